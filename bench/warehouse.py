"""How fast the warehouse answers and writes, as ratios to a plain sum over the same columns of the same files.

`python bench/warehouse.py --rows 1e8` makes its own data (40 hosts measured weekly for ten years at 1e8), measures
every query in turn several times and removes the data again. Times are CPU seconds of this process, the smallest of
the repetitions, so that another process on the machine cannot make a query look slow.
"""

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# Run as a script, this folder comes first on the path, and this file would be taken for the package it measures.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from warehouse.compact import compact
from warehouse.connect import connect
from warehouse.create import make
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.schema import CASES, LAUNCHES, SAMPLES, TABLE_BY_NAME, TableSchema
from warehouse.sources import duckdb_type
from warehouse.table_log import TableLog

CASES_PER_RUN = 192
SAMPLES_PER_CASE = 25
SAMPLES_PER_RUN = CASES_PER_RUN * SAMPLES_PER_CASE
# 4 weeks of 40 hosts are a partition; 13 of them a year, 130 the ten years of 1e8 samples.
HOSTS, WEEKS = 40, 4
SAMPLES_PER_MONTH = HOSTS * WEEKS * SAMPLES_PER_RUN
# 3e8 launches are the traces of a year of 40 hosts: 144,192 a run.
LAUNCHES_PER_CASE = 751
LAUNCHES_PER_RUN = CASES_PER_RUN * LAUNCHES_PER_CASE
REPETITIONS = 5
MEDIUM = 10_000_000
PUBLISHED_FILES = 500
# A thousand such runs are the 1e7 samples of the other questions about samples.
SAMPLES_PER_LONG_CASE = 52

# A run of the made-up fleet: 4 precisions, 6 mitigations, 8 epoch counts; noise from a hash, the same in every run.
_RUNS = """
select
    printf('%04d%02d%02dT060000Z-%06x', 2016 + month // 12, 1 + month % 12, 1 + week, host) as run_id,
    host, month, 1451606400000000000 + (month * 28 + week * 7) * 86400000000000 as run_started_at_ns
from (select {month} as month), range({weeks}) as weeks(week), range({hosts}) as hosts(host)
"""
_POINTS = """
select
    runs.*, case_index, md5(case_index::varchar)[:16] as case_id,
    md5(concat_ws(' ', host, case_index))[:16] as series_id, 'gpu:0' as device, 'gpu' as device_kind,
    printf('GPU-%04x', host) as device_uuid,
    ['fp32', 'tf32', 'fp16', 'bf16'][1 + case_index % 4] as "precision",
    ['none', 'graph_loop_kept', 'sync_each', 'while_loop_kept', 'merged', 'xla_kept'][1 + case_index // 4 % 6]
        as mitigation,
    '512x784x512' as shape, (250 * (1 + case_index // 24))::bigint as epoch_count
from ({runs}) as runs, range({cases}) as cases(case_index)
"""
_SAMPLES = """
select
    points.* exclude (host, month, run_started_at_ns, case_index),
    sample_index::integer as sample_index, sample_index < 2 as is_warmup, sample_index >= 2 as is_ok,
    run_started_at_ns + case_index * 20000000000 + sample_index * 700000000
        + (hash(case_index * 91 + sample_index * 7 + host + month) % 40000000)::bigint as started_at_ns,
    epoch_count * 4000 + (hash(case_index, sample_index, host, month) % 300000)::bigint as enqueue_time_ns,
    epoch_count * 36000 + (hash(sample_index, case_index, month, host) % 900000)::bigint as drain_time_ns,
    null::bigint as finish_lag_ns, null::double as checksum_rel_error, null::varchar as disturbed_by,
    (1500000000 + hash(case_index, host) % 50000000 // 4096 * 4096)::bigint as resident_bytes,
    null::bigint as allocator_bytes, null::bigint as allocator_peak_bytes, 1::bigint as graph_trace_count
from ({points}) as points, range({samples}) as samples(sample_index)
"""
_LAUNCHES = """
select run_id, case_id, 2::integer as sample_index, epoch_index,
    (epoch_index + 1) * 4000 + (hash(epoch_index, case_index, host) % 1500)::bigint as call_end_ns
from ({points}) as points, range({launches}) as launches(epoch_index)
"""

_RUN_ROWS = """
select run_id, 'complete' as status, run_started_at_ns as started_at_ns, run_started_at_ns as committed_at_ns,
    'gpu:0' as device, 'gpu' as device_kind, printf('GPU-%04x', host) as device_uuid, printf('host-%02d', host) as host
from ({runs})
"""
_SUMMARY = ", ".join(
    f"median({value})::bigint as {timer}_time_median_ns, mad({value})::bigint as {timer}_time_mad_ns, "
    f"min({value}) as {timer}_time_min_ns, quantile_cont({value}, 0.05)::bigint as {timer}_time_p05_ns, "
    f"quantile_cont({value}, 0.25)::bigint as {timer}_time_p25_ns, "
    f"quantile_cont({value}, 0.75)::bigint as {timer}_time_p75_ns, "
    f"quantile_cont({value}, 0.95)::bigint as {timer}_time_p95_ns"
    for timer, value in (
        ("enqueue", "enqueue_time_ns"),
        ("drain", "drain_time_ns"),
        ("wall", "(enqueue_time_ns + drain_time_ns)"),
    )
)

_CASE_ROWS = f"""
select run_id, case_id, series_id, device, device_kind, device_uuid, "precision", mitigation, shape, epoch_count,
    411041792::bigint as flop_per_epoch, 'measured' as outcome, 'proven' as proof_verdict, {_SUMMARY},
    min(started_at_ns) as started_at_ns, count(*) as sample_count, count(*) as ok_count
from samples_of_month
where is_ok
group by all
"""

# The columns a curve is made of, each read once; texts are summed by their lengths. Where a query also reads the key
# it groups by, that is left out here: it is the query's own means, and the limit is the smaller for it.
LIMIT = """
select sum(enqueue_time_ns), sum(drain_time_ns), sum(epoch_count), sum(is_ok::int),
    sum(length(device_uuid)), sum(length("precision")), sum(length(mitigation)), sum(length(shape))
from raw_samples
"""
CURVE_BY_TEXTS = """
select device_uuid, "precision", mitigation, shape, regr_slope(wall_time_s, epoch_count)
from (
    select device_uuid, "precision", mitigation, shape, epoch_count, median(wall_time_s) as wall_time_s
    from samples_ok
    group by all
)
group by all
"""
_TEXTS = """any_value(device_uuid) as device_uuid, any_value("precision") as "precision",
        any_value(mitigation) as mitigation, any_value(shape) as shape, any_value(epoch_count) as epoch_count"""
CURVE = f"""
select device_uuid, "precision", mitigation, shape, regr_slope(wall_time_s, epoch_count)
from (
    select series_id, {_TEXTS}, median(wall_time_s) as wall_time_s
    from samples_ok
    group by series_id
)
group by all
"""
CURVE_WITH_QUANTILES = f"""
select device_uuid, "precision", mitigation, shape, regr_slope(wall_time_s[3], epoch_count),
    sum(wall_time_s[1]), sum(wall_time_s[2]), sum(wall_time_s[4]), sum(wall_time_s[5]), min(least)
from (
    select series_id, {_TEXTS}, quantile_cont(wall_time_s, [0.05, 0.25, 0.5, 0.75, 0.95]) as wall_time_s,
        min(wall_time_s) as least
    from samples_ok
    group by series_id
)
group by all
"""
CURVE_WITH_MAD = CURVE_WITH_QUANTILES.replace("min(least)", "min(least), sum(spread)").replace(
    "as least\n", "as least, mad(wall_time_s) as spread\n"
)
ROLL_UP = """
select "precision", mitigation, shape, epoch_count, median(wall_time_s), avg(enqueue_time_s), avg(flop_per_s)
from scaling_curve
group by all
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    limit: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        limit = "" if self.limit is None else f"{self.limit:g}{self.unit}"
        return f"| {self.what} | {self.value:.3g}{self.unit} | {limit} |"


def figures(folder: Path, sample_count: int) -> Iterator[Figure]:
    """Every figure, on warehouses made in the folder."""
    large = build(folder / "full", sample_count)
    small = build(folder / "tenth", sample_count // 10)
    cost = _fastest(large, {"limit": LIMIT, "roll-up": ROLL_UP})
    yield Figure(
        f"scaling_curve over {sample_count:.0e} samples from the roll-up / limit", cost["roll-up"] / cost["limit"], 0.2
    )
    growth = cost["roll-up"] / _fastest(small, {"roll-up": ROLL_UP})["roll-up"]
    yield Figure(f"growth of the roll-up query from {sample_count // 10:.0e} samples", growth, 10)
    yield from _raw_curve(large if sample_count <= MEDIUM else small)
    yield _one_runs_traces(large, sample_count)
    size = sum(file.size_bytes for file in TableLog(large, SAMPLES).files())
    count = sum(file.row_count for file in TableLog(large, SAMPLES).files())
    yield Figure("bytes per sample, compacted", size / count, 12)
    yield from _uncompacted(folder / "uncompacted", min(1000, max(10, sample_count // SAMPLES_PER_RUN)))
    yield from _writing(folder / "writing")


def _raw_curve(layout: Layout) -> Iterator[Figure]:
    queries = {
        "limit": LIMIT,
        "curve": CURVE,
        "quantiles": CURVE_WITH_QUANTILES,
        "mad": CURVE_WITH_MAD,
        "by texts": CURVE_BY_TEXTS,
    }
    cost = _fastest(layout, queries)
    yield Figure("curve (medians, slope) from raw samples, compacted / limit", cost["curve"] / cost["limit"], 3.0)
    yield Figure("the same with four quantiles and the minimum", cost["quantiles"] / cost["limit"])
    yield Figure("and with the median absolute deviation", cost["mad"] / cost["limit"])
    yield Figure("curve grouped by five columns instead of the series", cost["by texts"] / cost["limit"])


def _one_runs_traces(layout: Layout, sample_count: int) -> Figure:
    with connect(layout) as connection:
        run_id = connection.execute("select min(run_id) from launches").fetchall()[0][0]
        rows = connection.sql(f"from raw_launches where run_id = '{run_id}'").to_arrow_table()
    alone = TableLog(layout, LAUNCHES).write(rows.cast(LAUNCHES.schema), month="alone", stem="alone")
    file = layout.table(LAUNCHES.name) / alone.path
    asked = f"select count(*), sum(call_end_ns) from {{}} where run_id = '{run_id}'"
    cost = _fastest(layout, {"table": asked.format("raw_launches"), "alone": asked.format(f"read_parquet('{file}')")})
    launch_count = sum(file.row_count for file in TableLog(layout, LAUNCHES).files())
    return Figure(f"one run's traces of {launch_count:.0e} launches / its file alone", cost["table"] / cost["alone"], 6)


def _uncompacted(folder: Path, run_count: int) -> Iterator[Figure]:
    """A file a run and table against the same rows merged; and publishing once about 500 files are live."""
    layout = Layout(folder)
    make(layout)
    with duckdb.connect() as connection:
        hosts = -(-run_count // WEEKS)
        tables = _rows_of_month(connection, 0, hosts, with_launches=False, samples=SAMPLES_PER_LONG_CASE)
    first = min(run_count, PUBLISHED_FILES // len(tables))
    parts = {name: _by_run(rows)[:run_count] for name, rows in tables.items()}
    _commit_runs(layout, {name: runs[:first] for name, runs in parts.items()})
    publish(layout)
    cost = min(_seconds(lambda: publish(layout)) for _ in range(REPETITIONS))
    yield Figure(f"publishing the catalog with {first * len(tables)} live files", cost * 1e3, 300, " ms")
    _commit_runs(layout, {name: runs[first:] for name, runs in parts.items()})
    publish(layout)
    before = _fastest(layout, {"curve": CURVE})["curve"]
    compact(layout)
    after = _fastest(layout, {"curve": CURVE})["curve"]
    size = CASES_PER_RUN * SAMPLES_PER_LONG_CASE
    yield Figure(f"{run_count:,} uncompacted runs of {size:,} samples / compacted, same rows", before / after, 2.0)


def _commit_runs(layout: Layout, parts: Mapping[str, Sequence[tuple[str, pa.Table]]]) -> None:
    for name, runs in parts.items():
        log = TableLog(layout, TABLE_BY_NAME[name])
        for run_id, rows in runs:
            log.commit([log.write(rows, month="2016-01", stem=run_id)], key=run_id)


def _by_run(rows: pa.Table) -> list[tuple[str, pa.Table]]:
    """The rows of each run, in the order they have."""
    rows = rows.take(pc.sort_indices(rows["run_id"]))
    counts = pc.value_counts(rows["run_id"])
    starts = itertools.accumulate(counts.field("counts").to_pylist(), initial=0)
    return [
        (run_id, rows.slice(start, count))
        for run_id, count, start in zip(*(counts.field(i).to_pylist() for i in range(2)), starts, strict=False)
    ]


def _writing(folder: Path) -> Iterator[Figure]:
    """Wall time: waiting for the disk is what durable means."""
    layout = Layout(folder)
    make(layout)
    with duckdb.connect() as connection:
        rows = _rows_of_month(connection, month=0, hosts=6, with_launches=False)["samples"].slice(0, 100_000)
    log = TableLog(layout, SAMPLES)
    plain, numbers = folder / "plain.parquet", itertools.count()

    def write_run() -> None:
        run_id = f"run-{next(numbers)}"
        log.commit([log.write(rows, month="2016-01", stem=run_id)], key=run_id)

    pairs = [(_seconds(write_run), _seconds(lambda: pq.write_table(rows, plain))) for _ in range(4 * REPETITIONS)]
    ours, theirs = (min(side) for side in zip(*pairs, strict=True))
    yield Figure(f"writing {rows.num_rows:,} samples, durable / pyarrow.parquet.write_table", ours / theirs, 1.5)


def build(root: Path, sample_count: int) -> Layout:
    """A compacted warehouse of about that many samples: runs, cases, samples, and a year of traces at most."""
    layout = Layout(root)
    make(layout)
    month_count = max(1, round(sample_count / SAMPLES_PER_MONTH))
    hosts = min(HOSTS, max(1, round(sample_count / WEEKS / SAMPLES_PER_RUN)))
    traced = min(month_count, max(1, round(3 * sample_count / LAUNCHES_PER_RUN / hosts / WEEKS)))
    with duckdb.connect() as connection:
        for month in range(month_count):
            _write_month(
                layout, _rows_of_month(connection, month, hosts, with_launches=month >= month_count - traced), month
            )
    publish(layout)
    return layout


def _write_month(layout: Layout, tables: Mapping[str, pa.Table], month: int) -> None:
    for name, rows in tables.items():
        log = TableLog(layout, TABLE_BY_NAME[name])
        log.commit([log.write(rows, month=f"{2016 + month // 12}-{1 + month % 12:02d}", stem="compacted")])


def _rows_of_month(
    connection: duckdb.DuckDBPyConnection,
    month: int,
    hosts: int,
    *,
    with_launches: bool,
    samples: int = SAMPLES_PER_CASE,
) -> dict[str, pa.Table]:
    """Rows of every table of one month, each in its table's order."""
    runs = _RUNS.format(month=month, weeks=WEEKS, hosts=hosts)
    points = _POINTS.format(runs=runs, cases=CASES_PER_RUN)
    queries = {"runs": _RUN_ROWS.format(runs=runs), "samples": _SAMPLES.format(points=points, samples=samples)}
    if with_launches:
        queries["launches"] = _LAUNCHES.format(points=points, launches=LAUNCHES_PER_CASE)
    tables = {name: _sorted(connection, TABLE_BY_NAME[name], query) for name, query in queries.items()}
    connection.register("samples_of_month", tables["samples"])
    tables["cases"] = _sorted(connection, CASES, _CASE_ROWS)
    return tables


def _sorted(connection: duckdb.DuckDBPyConnection, of: TableSchema, query: str) -> pa.Table:
    """The rows in the order of the table; columns the query does not have are null, or empty where they must not be."""
    types = {field.name: duckdb_type(field.type) for field in of.schema}
    found = set(connection.sql(query).columns)
    columns = ", ".join(
        f'"{field.name}"' if field.name in found else f"{_filler(field, types[field.name])} as {field.name}"
        for field in of.schema
    )
    return (
        connection.sql(f"select {columns} from ({query}) order by {', '.join(of.sort_by)}")
        .to_arrow_table()
        .cast(of.schema)
    )


def _filler(field: pa.Field, type_: str) -> str:
    if field.nullable:
        return f"null::{type_}"
    empty = {"varchar": "''", "varchar[]": "[]"}.get(type_, "map()" if type_.startswith("map") else "0")
    return f"{empty}::{type_}"


def _fastest(layout: Layout, queries: Mapping[str, str]) -> dict[str, float]:
    """CPU seconds of each query, the smallest of several turns."""
    with connect(layout) as connection:
        turns = [
            {name: _cpu_seconds(partial(_ask, connection, sql)) for name, sql in queries.items()}
            for _ in range(REPETITIONS)
        ]
    return {name: min(turn[name] for turn in turns) for name in queries}


def _ask(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    connection.execute(sql).fetchall()


def _cpu_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=float, default=1e7, help="samples; 1e8 is ten years of 40 hosts")
    parser.add_argument("--folder", type=Path, help="where the data is made, for example another disk")
    options = parser.parse_args()
    print("| what | measured | at most |\n|---|---|---|")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for figure in figures(Path(folder), int(options.rows)):
            print(figure, flush=True)


if __name__ == "__main__":
    main()
