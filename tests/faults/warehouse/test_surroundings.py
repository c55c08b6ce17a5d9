"""A file system, a clock or a place that is not what it should be."""

import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import made
import pytest

from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.store import Warehouse

RUN_ID = "20260101T000000Z-000001"
SUPPORT = Path(made.__file__).parent


def commit_run(warehouse: Warehouse, run_id: str = RUN_ID) -> None:
    writer = warehouse.begin(made.run(run_id))
    writer.add(made.measured())
    writer.commit(RunStatus.COMPLETE)


def in_own_mounts(script: str, *arguments: str) -> str:
    """Run a script of tests/support where it may mount file systems that nobody else sees."""
    return subprocess.run(
        ["unshare", "--map-root-user", "--mount", sys.executable, SUPPORT / script, *arguments],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("room_bytes", [0, 8_000, 40_000, 120_000, 200_000])
def test_a_full_disk_loses_no_acknowledged_case_wherever_it_strikes(tmp_path: Path, room_bytes: int) -> None:
    refusal, kept, run = in_own_mounts("fill_disk.py", str(tmp_path), str(room_bytes)).splitlines()

    assert refusal.startswith("cannot write ")
    assert "disk is full" in refusal or "No space left" in refusal
    assert kept == "kept"
    assert run.startswith("complete 3" if room_bytes else "adopted ")


def test_a_read_only_warehouse_is_read_and_refuses_writing(warehouse: Warehouse) -> None:
    commit_run(warehouse)

    read, written = in_own_mounts("use_read_only.py", str(warehouse.root)).splitlines()

    assert read == "4 samples"
    assert "the file system is read-only: choose another folder with --warehouse" in written


def test_a_file_system_without_hard_links_is_refused_at_the_start(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)

    with pytest.raises(WarehouseError, match="without hard links, which safe commits need"):
        Warehouse.open(root)


def test_a_deleted_catalog_is_named_and_made_again_by_the_next_writer(warehouse: Warehouse) -> None:
    commit_run(warehouse)
    (warehouse.root / "warehouse.duckdb").unlink()

    with pytest.raises(WarehouseError, match="cliffwatch warehouse rebuild-catalog"):
        Warehouse.read(warehouse.root).run_ids()

    assert Warehouse.open(warehouse.root).run_ids() == (RUN_ID,)


def test_a_moved_warehouse_says_so_and_works_once_its_catalog_is_rebuilt(warehouse: Warehouse, tmp_path: Path) -> None:
    commit_run(warehouse)
    moved = Path(shutil.move(warehouse.root, tmp_path / "elsewhere"))

    with pytest.raises(WarehouseError, match=rf"lay in {warehouse.root}; `cliffwatch warehouse rebuild-catalog"):
        Warehouse.read(moved).query("select 1")

    publish(Layout(moved))
    assert Warehouse.read(moved).query("select count(*) from samples").rows == ((4,),)


def test_a_copied_warehouse_never_answers_from_the_original(warehouse: Warehouse, tmp_path: Path) -> None:
    commit_run(warehouse)
    copy = Path(shutil.copytree(warehouse.root, tmp_path / "copy"))

    with pytest.raises(WarehouseError, match="rebuild-catalog"):
        Warehouse.read(copy).query("select 1")


def test_a_clock_that_goes_backwards_never_makes_an_older_finding_the_newest(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_run(warehouse)
    key = warehouse.curves(RUN_ID)[0].key
    assert key is not None
    warehouse.add_findings(RUN_ID, [(key, Diagnosis(Verdict.INCONCLUSIVE, 0.5))])
    an_hour_ago = time.time_ns() - 3_600 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: an_hour_ago)

    warehouse.add_findings(RUN_ID, [(key, Diagnosis(Verdict.LINEAR, 0.5))])

    assert warehouse.query("select verdict from findings").rows == (("linear",),)


def test_a_run_that_ends_before_it_began_is_reported(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    # The run began in 2026; the clock says 2001 when it is committed.
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)

    commit_run(warehouse)

    assert warehouse.query("select check_name from data_quality where check_name like 'clock%'").rows == (
        ("clock_went_backwards",),
    )


def test_hosts_in_two_time_zones_write_and_read_the_same_times(warehouse: Warehouse) -> None:
    def with_zone(zone: str, *arguments: str) -> str:
        environment = os.environ | {"TZ": zone}
        command = [sys.executable, SUPPORT / "commit_or_show.py", warehouse.root, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    with_zone("Asia/Tokyo", "commit", "20260101T000000Z-000001")
    with_zone("America/Lima", "commit", "20260101T000001Z-000002")

    shown = {zone: with_zone(zone, "show") for zone in ("Asia/Tokyo", "America/Lima", "UTC")}

    assert set(shown.values()) == {"2026-01-01 00:00:00\n2026-01-01 00:00:01\n"}
