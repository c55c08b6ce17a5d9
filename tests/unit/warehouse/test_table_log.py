from pathlib import Path

import made
import pytest

from warehouse import place
from warehouse.case_record import flatten_records, read_record, write_record
from warehouse.layout import Layout
from warehouse.schema import CASES
from warehouse.store import Warehouse
from warehouse.table_log import CHECKPOINT_INTERVAL, TableLog


@pytest.fixture
def log(warehouse: Warehouse) -> TableLog:
    return TableLog(Layout(warehouse.root), CASES)


@pytest.fixture
def waited_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were waited for until they were on the disk."""
    names: list[str] = []
    monkeypatch.setattr(place, "fsync_file", lambda path: names.append(path.name))
    return names


def commit_a_run(log: TableLog, tmp_path: Path, number: int) -> None:
    run = made.run(f"20260101T000000Z-{number:06}")
    write_record(tmp_path / "record.parquet", run, made.measured())
    rows = flatten_records(read_record(tmp_path / "record.parquet"))["cases"]
    log.commit([log.write(rows, month="2026-01", stem=run.run_id)], key=run.run_id)


def test_a_commit_waits_for_its_entry_also_where_another_came_right_after(
    log: TableLog, waited_for: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = log.refresh

    def refresh_after_another() -> None:
        monkeypatch.setattr(log, "refresh", refresh)
        commit_a_run(TableLog(Layout(tmp_path / "warehouse"), CASES), tmp_path, 2)
        waited_for.clear()
        refresh()

    monkeypatch.setattr(log, "refresh", refresh_after_another)
    commit_a_run(log, tmp_path, 1)

    assert waited_for == [f"{1:020d}.json", f"{2:020d}.json"]


def test_a_checkpoint_is_waited_for_too(log: TableLog, waited_for: list[str], tmp_path: Path) -> None:
    for number in range(CHECKPOINT_INTERVAL):
        commit_a_run(log, tmp_path, number)

    assert [name for name in waited_for if not name.endswith(".json")] == [
        # Version 0 made the table, so the twentieth is 19.
        f"{CHECKPOINT_INTERVAL - 1:020d}.checkpoint.parquet",
        "_last_checkpoint",
    ]
