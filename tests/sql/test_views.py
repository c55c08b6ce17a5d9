from pathlib import Path

import duckdb
import made
import pytest

from bench_core.model.run import RunStatus
from warehouse.columns import COLUMNS
from warehouse.describe import describe_views
from warehouse.schema import TABLES
from warehouse.store import Warehouse
from warehouse.views import MARTS, STAGING, grain, view_sql

GOLDEN = Path(__file__).parents[1] / "golden" / "warehouse_columns.txt"


def test_field_ids_names_and_types_of_stored_columns_never_change() -> None:
    stored = [
        f"{table.name} {int(field.metadata[b'PARQUET:field_id'])} {field.name} {field.type}"
        for table in TABLES
        for field in sorted(table.schema, key=lambda field: int(field.metadata[b"PARQUET:field_id"]))
    ]

    # A line may be added at the end of its table; no line may change or go.
    assert stored == GOLDEN.read_text().splitlines()


@pytest.mark.parametrize("name", [*STAGING, *MARTS])
def test_every_view_states_its_grain_in_its_first_line(name: str) -> None:
    folder = "staging" if name in STAGING else "marts"

    assert view_sql(folder, name).startswith("-- One row per ")


def test_every_view_and_column_of_the_published_catalog_has_a_comment(example: Warehouse) -> None:
    with duckdb.connect(str(example.root / "warehouse.duckdb"), read_only=True) as connection:
        views = dict(
            connection.execute(
                "select view_name, comment from duckdb_views() where not internal and schema_name = 'main'"
            ).fetchall()
        )
        columns = connection.execute(
            "select table_name, column_name, comment from duckdb_columns() where not internal and schema_name = 'main'"
        ).fetchall()

    assert {name: views[name] for name in MARTS} == {name: grain(name) for name in MARTS}
    assert [row for row in columns if row[0] in MARTS and row[2] != COLUMNS[row[1]].comment] == []


def test_no_column_is_documented_that_no_view_has() -> None:
    described = {column["name"] for view in describe_views().values() for column in view["columns"]}

    assert set(COLUMNS) - described == set()


def test_times_of_the_example_are_those_of_its_made_up_queue(example: Warehouse) -> None:
    # 2,000 epochs of 40,000 ns are 0.08 s; the host is blocked from 2,000 - 1,024 epochs on: 976 * 40,000 ns.
    rows = example.query(
        "select wall_time_s, enqueue_time_s, drain_time_s from scaling_curve "
        "where host = 'atlas' and mitigation = 'none' and epoch_count = 2000 and started_at < '2026-01-06'"
    ).rows

    ((wall_s, enqueue_s, drain_s),) = rows
    assert wall_s == pytest.approx(0.08)
    assert enqueue_s == pytest.approx(0.03904)
    assert drain_s == pytest.approx(0.04096)


def test_a_mitigation_without_proof_has_no_speedup_and_its_verdict_is_shown(example: Warehouse) -> None:
    rows = example.query("select distinct proof_verdict, speedup is null from mitigation_effect order by 1").rows

    assert rows == (("proven", False), ("work_eliminated", True))


def test_a_curve_grouped_by_series_is_the_one_grouped_by_its_columns(example: Warehouse) -> None:
    columns = ("device_uuid", "precision", "mitigation", "shape", "epoch_count")
    by_series = ", ".join(f"any_value({column}) as {column}" for column in columns)
    medians = "median(wall_time_s) as wall_time_s from samples_ok"

    rows = example.query(
        f"with by_series as (select {by_series}, {medians} group by series_id), "
        f"by_columns as (select {', '.join(columns)}, {medians} group by all) "
        "select (select count(*) from by_series), (select count(*) from by_columns), "
        "(select count(*) from (from by_series intersect from by_columns))"
    ).rows

    # Two devices, four mitigations, four epoch counts; graph_loop ran no matmul, but was timed.
    assert rows == ((32, 32, 32),)


def test_a_partial_run_is_in_all_runs_and_in_no_view(example: Warehouse) -> None:
    for view in ("runs", "cases", "samples", "samples_ok", "launches", "telemetry", "findings", "scaling_curve"):
        partial = "where run_id in (select run_id from all_runs.runs where status = 'partial')"
        assert example.query(f"select count(*) from {view} {partial}").rows == ((0,),), view
        assert example.query(f"select count(*) > 0 from all_runs.{view} {partial}").rows == ((True,),), view


def test_the_roll_up_is_what_the_samples_say(example: Warehouse) -> None:
    rows = example.query(
        "select count(*) from cases inner join ("
        "  select run_id, case_id, median(wall_time_s) as wall, mad(wall_time_s) as mad, min(enqueue_time_s) as least,"
        "    quantile_cont(drain_time_s, 0.95) as p95"
        "  from samples_ok group by all"
        ") using (run_id, case_id)"
        "where abs(wall_time_s - wall) > 1e-9 or abs(wall_time_mad_s - mad) > 1e-9"
        "  or abs(enqueue_time_min_s - least) > 1e-9 or abs(drain_time_p95_s - p95) > 1e-9"
    ).rows

    assert rows == ((0,),)


def test_the_history_of_a_gpu_goes_on_when_its_index_changes(tmp_path: Path) -> None:
    warehouse = Warehouse.open(tmp_path / "warehouse")
    for number, device in enumerate(("gpu:0", "gpu:1"), 1):
        writer = warehouse.begin(made.run(f"2026010{number}T000000Z-00000{number}", device))
        writer.add(made.measured(made.case(device=device)))
        writer.commit(RunStatus.COMPLETE)

    rows = warehouse.query("select device, previous_run_id, wall_time_ratio from history order by started_at").rows

    assert rows == (("gpu:0", None, None), ("gpu:1", "20260101T000000Z-000001", 1.0))


def test_histories_of_two_queue_capacities_are_kept_apart(tmp_path: Path) -> None:
    warehouse = Warehouse.open(tmp_path / "warehouse")
    for number, device in enumerate(("cpu-async", "cpu-async:256"), 1):
        writer = warehouse.begin(made.run(f"2026010{number}T000000Z-00000{number}", device))
        writer.add(made.measured(made.case(device=device)))
        writer.commit(RunStatus.COMPLETE)

    assert warehouse.query("select previous_run_id from history").rows == ((None,), (None,))
