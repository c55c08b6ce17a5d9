"""kill -9 while committing, compacting and publishing; and many processes with one run to commit."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made
from kill_harness import torment

from bench_core.model.run import RunStatus
from warehouse.case_record import flatten_records, read_record, write_record
from warehouse.commit import commit_rows
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.store import Warehouse
from warehouse.verify import verify

RACERS = 6


def test_ten_killed_writers_lose_nothing_and_disturb_no_reader(tmp_path: Path) -> None:
    report = torment(tmp_path / "warehouse", kill_count=10, seed=7)

    assert report.is_sound, str(report)
    assert sum(report.kills.values()) == 10
    assert report.queries > 0


def race(root: Path, record: Path, barrier: Any, outcomes: Any) -> None:
    rows = flatten_records(read_record(record))
    barrier.wait()
    outcomes.put(commit_rows(Layout(root), made.run(), 1, RunStatus.COMPLETE, rows))


def open_new(root: Path, barrier: Any, outcomes: Any) -> None:
    barrier.wait()
    outcomes.put(Warehouse.open(root).run_ids())


def test_six_processes_may_make_the_same_warehouse_at_once(root: Path) -> None:
    assert _together(open_new, root) == [()] * RACERS


def test_of_six_writers_racing_to_commit_one_run_one_wins(warehouse: Warehouse, tmp_path: Path) -> None:
    record = tmp_path / "record.parquet"
    write_record(record, made.run(), made.measured())

    assert sorted(_together(race, warehouse.root, record)) == [False] * (RACERS - 1) + [True]

    publish(Layout(warehouse.root))
    assert warehouse.query("select count(*) from runs").rows == ((1,),)
    assert warehouse.query("select count(*) from cases").rows == ((1,),)
    assert warehouse.query("select count(*) from samples").rows == ((4,),)
    assert verify(Layout(warehouse.root)) == ()


def _together(function: Callable[..., None], *arguments: Any) -> list[Any]:
    """What `function` put into its last argument in six processes that all start at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["made", "warehouse.store"])
    barrier, outcomes = context.Barrier(RACERS), context.Queue()
    racers = [context.Process(target=function, args=(*arguments, barrier, outcomes)) for _ in range(RACERS)]
    for racer in racers:
        racer.start()
    found = [outcomes.get(timeout=120) for _ in racers]
    for racer in racers:
        racer.join()
    return found
