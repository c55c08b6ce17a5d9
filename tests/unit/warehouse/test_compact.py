from datetime import UTC, datetime

import made
import pytest
from asked import rows

from bench_core.model.run import RunStatus
from warehouse import compact
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.schema import LAUNCHES, SAMPLES
from warehouse.store import Warehouse
from warehouse.table_log import TableLog


def commit_runs(warehouse: Warehouse, *statuses: RunStatus) -> Layout:
    for number, status in enumerate(statuses, 1):
        writer = warehouse.begin(made.run(f"2026010{number}T000000Z-00000{number}"))
        for epoch_count in (8, 4):
            writer.add(made.measured(made.case(epoch_count)))
        writer.commit(status)
    return Layout(warehouse.root)


def everything(layout: Layout) -> dict[str, list[tuple[object, ...]]]:
    with connect(layout) as connection:
        return {
            view: sorted(connection.execute(f"from {view}").fetchall(), key=str)
            for view in ("stg_samples", "stg_launches", "stg_cases", "stg_runs")
        }


def test_compaction_changes_files_and_no_answer(warehouse: Warehouse) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE, RunStatus.COMPLETE)
    before = everything(layout)

    counts = compact.compact(layout)

    assert counts["samples"] == counts["cases"] == counts["runs"] == (3, 1)
    assert everything(layout) == before


def test_a_run_that_may_still_grow_keeps_a_file_of_its_own(warehouse: Warehouse) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.PARTIAL, RunStatus.COMPLETE)

    compact.compact(layout)

    names = sorted(file.path.split("/")[1].split("-")[0] for file in TableLog(layout, SAMPLES).files())
    assert names == ["20260102T000000Z", "compacted"]
    resumed = warehouse.resume("20260102T000000Z-000002")
    resumed.add(made.measured(made.case(16)))
    resumed.commit(RunStatus.COMPLETE)
    assert warehouse.query("select count(*) from cases").rows == ((3 * 2 + 1,),)


def test_rows_are_sorted_by_device_and_case_so_that_a_question_skips_row_groups(warehouse: Warehouse) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE)
    compact.compact(layout)
    (file,) = (log := TableLog(layout, SAMPLES)).files()

    stored = log.read([file]).select(SAMPLES.sort_by).to_pylist()

    assert stored == sorted(stored, key=lambda row: tuple(row.values()))


def test_a_reader_of_the_old_catalog_still_gets_whole_answers_after_compaction(warehouse: Warehouse) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE)
    with connect(layout) as connection:
        compact.compact(layout)

        assert connection.execute("select count(*) from samples").fetchall() == [(2 * 2 * 4,)]


def test_old_traces_go_and_everything_else_stays(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE)
    monkeypatch.setattr(compact, "datetime", in_two_years())

    compact.compact(layout, trace_weeks=52)

    assert TableLog(layout, LAUNCHES).files() == ()
    assert warehouse.query("select count(*) from samples").rows == ((8,),)
    assert rows(warehouse, "select count(*) from launches") == ((0,),)


def test_compaction_is_due_in_the_month_after_and_not_before(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE)
    assert not compact.is_due(layout)

    monkeypatch.setattr(compact, "datetime", in_two_years())

    assert compact.is_due(layout)
    Warehouse.open(warehouse.root)
    assert not compact.is_due(layout)


def test_runs_that_may_still_grow_never_make_compaction_due(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = commit_runs(warehouse, RunStatus.PARTIAL, RunStatus.PARTIAL)
    monkeypatch.setattr(compact, "datetime", in_two_years())

    assert not compact.is_due(layout)


def test_compaction_is_due_above_300_files(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE)

    monkeypatch.setattr(compact, "LIVE_FILE_LIMIT", 1)

    assert compact.is_due(layout)


def test_files_are_deleted_a_week_after_nothing_needs_them(warehouse: Warehouse) -> None:
    layout = commit_runs(warehouse, RunStatus.COMPLETE, RunStatus.COMPLETE)

    compact.compact(layout)

    on_disk = list((layout.table("samples")).rglob("*.parquet"))
    assert len(on_disk) == 3  # two that were merged, and what they became
    assert compact.RETENTION_HOURS == 7 * 24


def in_two_years() -> type[datetime]:
    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            now = datetime.now(UTC)
            return now.replace(year=now.year + 2, day=1)

    return Later
