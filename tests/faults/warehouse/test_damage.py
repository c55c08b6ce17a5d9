"""Damaged files: nothing damaged is ever read, nothing is lost silently, and everything sound stays readable."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.case_record import RECORD_SCHEMA
from warehouse.compact import compact
from warehouse.layout import Layout
from warehouse.parts import name_by_content
from warehouse.repair import repair, repair_logs
from warehouse.schema import RUN_TABLES
from warehouse.store import Warehouse
from warehouse.verify import verify

RUN_ID = "20260101T000000Z-000001"


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_text(path: Path) -> None:
    path.write_text("not Parquet")


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 4
    path.write_bytes(content)


DAMAGE = [truncate, empty, replace_by_text, flip_a_bit]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_staged_case_is_set_aside_and_the_run_is_partial(
    warehouse: Warehouse, damage: Callable[[Path], None]
) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured(made.case(4)))
    writer.add(made.measured(made.case(8)))
    damage(next((warehouse.root / "staging" / RUN_ID).glob("000001-*.parquet")))

    assert writer.commit(RunStatus.COMPLETE) is RunStatus.PARTIAL

    assert warehouse.query("select epoch_count from all_runs.cases").rows == ((8,),)
    ((run_id, reason),) = warehouse.query("select run_id, reason from quarantine").rows
    assert (run_id, reason) == (RUN_ID, "its content is not what was written: truncated or changed")


def test_a_case_set_aside_is_measured_anew_when_the_run_is_resumed(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured(made.case(4)))
    truncate(next((warehouse.root / "staging" / RUN_ID).glob("*.parquet")))
    writer.commit(RunStatus.COMPLETE)

    resumed = warehouse.resume(RUN_ID)
    assert made.case(4).case_id not in resumed.done_case_ids
    resumed.add(made.measured(made.case(4)))

    assert resumed.commit(RunStatus.COMPLETE) is RunStatus.COMPLETE
    assert warehouse.query("select count(*) from cases").rows == ((1,),)


def with_column(record: pa.Table, name: str, values: pa.Array) -> pa.Table:
    index = record.schema.get_field_index(name)
    return record.set_column(index, pa.field(name, values.type), values)


def with_sample_times(record: pa.Table, enqueue_time_ns: int) -> pa.Table:
    row = record.to_pylist()[0]
    for sample in row["samples"]:
        sample["enqueue_time_ns"] = enqueue_time_ns
    return pa.Table.from_pylist([row], schema=RECORD_SCHEMA)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: r.drop_columns(["outcome"]), "column outcome is missing"),
        (lambda r: r.append_column("extra", pa.array([1])), "column extra is not known"),
        (lambda r: with_column(r, "epoch_count", pa.array([4.0])), "column epoch_count is double, not int64"),
        (lambda r: with_column(r, "max_rel_error", pa.array([float("nan")])), "max_rel_error is nan: unknown is null"),
        (lambda r: with_column(r, "sample_count", pa.array([7])), "sample_count is 7, but 3 samples are steady"),
        (lambda r: with_column(r, "run_id", pa.array(["other"])), "it belongs to run other"),
        (lambda r: with_sample_times(r, -1), "enqueue_time_ns is null or negative"),
        (lambda r: with_sample_times(r, 2_000), "call_end_ns lies after the end of enqueueing"),
    ],
)
def test_a_staged_case_that_makes_no_sense_is_set_aside_with_the_reason(
    warehouse: Warehouse, change: Callable[[Any], Any], reason: str
) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured())
    path = next((warehouse.root / "staging" / RUN_ID).glob("*.parquet"))
    pq.write_table(change(pq.read_table(path)), path)
    path.rename(path.with_name(name_by_content("000001-" + made.case().case_id)(path)))

    writer.commit(RunStatus.COMPLETE)

    ((found,),) = warehouse.query("select reason from quarantine").rows
    assert reason in found
    assert warehouse.query("select count(*) from all_runs.cases").rows == ((0,),)


def two_runs(warehouse: Warehouse) -> Path:
    """Commit two complete runs; the samples file of the first."""
    for run_id in (RUN_ID, "20260102T000000Z-000002"):
        writer = warehouse.begin(made.run(run_id))
        writer.add(made.measured())
        writer.commit(RunStatus.COMPLETE)
    return next((warehouse.root / "tables" / "samples").rglob(f"{RUN_ID}-*.parquet"))


@pytest.mark.parametrize("damage", [*DAMAGE, Path.unlink])
def test_a_damaged_committed_file_is_named_and_repair_makes_the_rest_readable(
    warehouse: Warehouse, damage: Callable[[Path], None]
) -> None:
    path = two_runs(warehouse)
    layout = Layout(warehouse.root)
    assert verify(layout) == ()
    damage(path)

    (problem,) = verify(layout)
    assert problem.subject == str(path.relative_to(warehouse.root))

    repair(layout)

    assert verify(layout) == ()
    # The run that lost its samples is no longer complete, so no view shows half of it.
    assert warehouse.query("select run_id, status from all_runs.runs order by 1").rows == (
        (RUN_ID, "partial"),
        ("20260102T000000Z-000002", "complete"),
    )
    assert warehouse.query("select count(*) from samples").rows == ((4,),)


def test_cases_that_lost_their_samples_are_measured_again_when_the_run_is_resumed(warehouse: Warehouse) -> None:
    two_runs(warehouse).unlink()
    repair(Layout(warehouse.root))

    resumed = warehouse.resume(RUN_ID)
    assert resumed.done_case_ids == set()
    resumed.add(made.measured())
    resumed.commit(RunStatus.COMPLETE)

    assert warehouse.query("select count(*), count(distinct case_id) from cases").rows == ((2, 1),)
    assert warehouse.query("select count(*) from samples").rows == ((8,),)
    assert verify(Layout(warehouse.root)) == ()


def test_a_month_with_a_damaged_file_is_not_compacted(warehouse: Warehouse) -> None:
    flip_a_bit(two_runs(warehouse))

    counts = compact(Layout(warehouse.root))

    assert counts["samples"] == (2, 2)
    assert counts["cases"] == (2, 1)


def test_a_damaged_log_is_named_in_one_sentence(warehouse: Warehouse) -> None:
    two_runs(warehouse)
    log_entries(warehouse, "cases")[-1].write_text("{ torn")

    with pytest.raises(WarehouseError, match=r"\Athe log of .*tables/cases cannot be used: .*warehouse verify.*\Z"):
        Warehouse.open(warehouse.root)


def log_entries(warehouse: Warehouse, table: str) -> list[Path]:
    return sorted((warehouse.root / "tables" / table / "_delta_log").glob("*.json"))


@pytest.mark.parametrize(
    ("table", "damage", "which"),
    [
        *((table.name, truncate, -1) for table in RUN_TABLES),
        ("samples", empty, -1),
        ("samples", replace_by_text, -1),
        ("runs", truncate, 1),
        ("runs", truncate, 0),
    ],
)
def test_a_torn_entry_of_a_log_is_named_and_repair_loses_nothing(
    warehouse: Warehouse, table: str, damage: Callable[[Path], None], which: int
) -> None:
    two_runs(warehouse)
    layout = Layout(warehouse.root)
    entry = log_entries(warehouse, table)[which]
    damage(entry)

    (problem,) = verify(layout)
    assert str(problem) == f"{entry.relative_to(warehouse.root)}: is no whole entry of the log: torn or changed"

    assert repair(layout) == (problem,)

    assert verify(layout) == ()
    counts = ", ".join(f"(select count(*) from {view})" for view in ("runs", "cases", "samples", "launches"))
    # Two runs of one case, four samples a case, four calls a sample.
    assert warehouse.query(f"select {counts}, file from quarantine").rows == ((2, 2, 8, 32, entry.name),)


def test_an_entry_missing_between_others_is_named_and_put_right(warehouse: Warehouse) -> None:
    two_runs(warehouse)
    layout = Layout(warehouse.root)
    log_entries(warehouse, "samples")[1].unlink()

    (problem,) = verify(layout)
    assert problem.what == "is missing"
    repair(layout)

    assert verify(layout) == ()
    assert warehouse.query("select count(*) from samples").rows == ((8,),)


def test_a_commit_torn_by_a_power_cut_is_done_again_from_staging(warehouse: Warehouse, tmp_path: Path) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured())
    writer.close()
    staged = warehouse.root / "staging" / RUN_ID
    shutil.copytree(staged, tmp_path / "staged")
    warehouse.adopt()
    shutil.copytree(tmp_path / "staged", staged)
    log_entries(warehouse, "samples")[-1].write_text("{ torn")

    assert len(repair_logs(Layout(warehouse.root))) == 1
    assert warehouse.adopt() == (RUN_ID,)

    assert verify(Layout(warehouse.root)) == ()
    assert warehouse.query("select count(*) from all_runs.samples").rows == ((4,),)


@pytest.mark.parametrize("damage", [truncate, empty])
def test_a_torn_checkpoint_is_named_and_the_entries_say_the_same(
    warehouse: Warehouse, damage: Callable[[Path], None]
) -> None:
    two_runs(warehouse)
    layout = Layout(warehouse.root)
    DeltaTable(layout.table("samples")).create_checkpoint()
    (checkpoint,) = (layout.table("samples") / "_delta_log").glob("*.checkpoint.parquet")
    damage(checkpoint)

    (problem,) = verify(layout)
    assert str(problem).endswith("cannot be read as a checkpoint of the log: torn or changed")
    repair(layout)

    assert verify(layout) == ()
    assert warehouse.query("select count(*) from samples").rows == ((8,),)


def test_runs_of_a_damaged_merged_file_come_back_from_the_files_it_was_made_of(warehouse: Warehouse) -> None:
    two_runs(warehouse)
    layout = Layout(warehouse.root)
    compact(layout)
    flip_a_bit(next((warehouse.root / "tables" / "samples").rglob("compacted-*.parquet")))

    repair(layout)

    assert verify(layout) == ()
    assert warehouse.query("select count(*) from samples").rows == ((8,),)
