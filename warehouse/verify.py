"""Is everything there that was committed, as it was written? And what can be done where it is not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench_core.model.run import RunStatus
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.parts import is_unchanged
from warehouse.publish import publish
from warehouse.quarantine import set_aside
from warehouse.schema import RUNS, TABLES
from warehouse.table_log import LiveFile, TableLog

_COUNTS = """
with

counted_cases as (select run_id, count(*) as found from all_runs.raw_cases group by run_id),
counted_samples as (select run_id, count(*) as found from all_runs.raw_samples group by run_id),
doubled as (select distinct run_id from all_runs.raw_cases group by run_id, case_id having count(*) > 1)

select
    runs.run_id, runs.case_count, coalesce(counted_cases.found, 0), runs.sample_count,
    coalesce(counted_samples.found, 0), doubled.run_id is not null
from all_runs.raw_runs as runs
left join counted_cases using (run_id)
left join counted_samples using (run_id)
left join doubled using (run_id)
where doubled.run_id is not null or runs.status = 'complete' and (
    runs.case_count <> coalesce(counted_cases.found, 0)
    or runs.sample_count <> coalesce(counted_samples.found, 0)
)
order by runs.run_id
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was committed.

    Attributes:
        subject: a file, relative to the warehouse, or a run.
    """

    subject: str
    what: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}"


def verify(layout: Layout) -> tuple[Problem, ...]:
    """Hash every live file, compare it with its table's log and schema, and every run with what it counted.

    Raises:
        WarehouseError: a log or the catalog cannot be read.
    """
    damaged = tuple(problem for _, _, problem in _damaged_files(layout))
    return damaged or tuple(_miscounted(layout))


def repair(layout: Layout) -> tuple[Problem, ...]:
    """Set damaged files aside, so that the rest can be read again; runs that lost rows are partial from then on.

    Returns:
        What was damaged, and which runs lost rows.

    Raises:
        WarehouseError: the file system refuses.
    """
    problems = []
    for log, file, problem in list(_damaged_files(layout)):
        problems.append(problem)
        log.refresh()
        log.commit([], [file])
        path = log.folder / file.path
        if path.exists():
            set_aside(layout, path, file.only_run_id, problem.what)
    publish(layout)
    incomplete = list(_miscounted(layout))
    _demote(layout, {problem.subject for problem in incomplete})
    publish(layout)
    return (*problems, *incomplete)


def _damaged_files(layout: Layout) -> Iterator[tuple[TableLog, LiveFile, Problem]]:
    for table in TABLES:
        log = TableLog(layout, table)
        for file in log.files():
            what = _damage(log, file)
            if what:
                yield log, file, Problem(str((log.folder / file.path).relative_to(layout.root)), what)


def _damage(log: TableLog, file: LiveFile) -> str | None:
    path = log.folder / file.path
    if not path.exists():
        return "is missing"
    if path.stat().st_size != file.size_bytes:
        return f"has {path.stat().st_size} bytes, not {file.size_bytes}: truncated or changed"
    if not is_unchanged(path):
        return "its content is not what was written"
    return _wrong_content(path, log, file)


def _wrong_content(path: Path, log: TableLog, file: LiveFile) -> str | None:
    try:
        found = pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        return f"cannot be read as Parquet: {error}"
    if found.metadata.num_rows != file.row_count:
        return f"has {found.metadata.num_rows} rows, not {file.row_count}"
    known = {field.name: field.type for field in log.of.schema}
    drifted = [field.name for field in found.schema_arrow if known.get(field.name) != field.type]
    return f"columns are not those of the table: {', '.join(drifted)}" if drifted else None


def _miscounted(layout: Layout) -> Iterator[Problem]:
    publish(layout)
    with connect(layout) as connection:
        rows = connection.execute(_COUNTS).fetchall()
    for run_id, cases, found_cases, samples, found_samples, is_doubled in rows:
        counts = f"{found_cases} of {cases} cases and {found_samples} of {samples} samples are there"
        yield Problem(run_id, "a case is there twice" if is_doubled else counts)


def _demote(layout: Layout, run_ids: set[str]) -> None:
    """Make complete runs partial: nobody may read half a run unawares. Each gets files of its own in every table."""
    if not run_ids:
        return
    for table in TABLES:
        log = TableLog(layout, table)
        for file in log.files():
            rows = log.read([file])
            is_demoted = pc.is_in(rows["run_id"], pa.array(list(run_ids), pa.string()))
            if pc.any(is_demoted).as_py() and (file.only_run_id is None or table is RUNS):
                log.commit(_apart(log, file, rows, is_demoted), [file], is_rewrite=table is not RUNS)


def _apart(log: TableLog, file: LiveFile, rows: pa.Table, is_demoted: pa.ChunkedArray) -> list[LiveFile]:
    """The file's rows in new files: one a demoted run, and one for the others."""
    others = rows.filter(pc.invert(is_demoted))
    demoted = rows.filter(is_demoted)
    parts = [log.write(others, month=file.month, stem="compacted")] if others.num_rows else []
    for run_id in pc.unique(demoted["run_id"]).to_pylist():
        of_run = demoted.filter(pc.equal(demoted["run_id"], run_id))
        if log.of is RUNS:
            index = of_run.schema.get_field_index("status")
            of_run = of_run.set_column(index, of_run.schema.field(index), pa.array([RunStatus.PARTIAL.value]))
        parts.append(log.write(of_run, month=file.month, stem=run_id))
    return parts
