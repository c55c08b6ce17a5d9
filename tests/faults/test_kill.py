"""kill -9 in the middle of a sweep with real TensorFlow: nothing that was finished is lost, nothing stays behind."""

import signal
from collections.abc import Callable

import pytest

from warehouse.store import Warehouse

pytestmark = [pytest.mark.tensorflow, pytest.mark.prefect]


def cases(warehouse: Warehouse) -> dict[str, str]:
    """Outcome by case id over the runs of every status."""
    return dict(warehouse.query("select case_id, outcome from all_runs.cases").rows)


def statuses(warehouse: Warehouse) -> list[str]:
    return [row[0] for row in warehouse.query("select status from all_runs.runs").rows]


@pytest.mark.parametrize("victim", ["child", "worker"])
def test_the_sweep_survives_kill_9_of_what_measures(
    victim: str, start_sweep: Callable, device_holder: Callable[[], int | None]
) -> None:
    sweep = start_sweep()
    sweep.wait_for_records(2)

    getattr(sweep, victim)().send_signal(signal.SIGKILL)
    status, _, errors = sweep.end()

    assert status == 0, errors
    # 7 epoch counts of 3 strategies; the case that was hit was measured again.
    warehouse = Warehouse.read(sweep.warehouse)
    assert statuses(warehouse) == ["complete"]
    assert list(cases(warehouse).values()) == ["measured"] * 21
    assert sweep.left_behind() == []
    assert device_holder() != sweep.process.pid


def test_every_finished_case_of_a_flow_killed_with_9_is_there_after_the_next_start(
    start_sweep: Callable, device_holder: Callable[[], int | None]
) -> None:
    sweep = start_sweep()
    finished = sweep.wait_for_records(3)

    sweep.process.send_signal(signal.SIGKILL)
    sweep.end()

    assert sweep.left_behind() == []
    assert device_holder() != sweep.process.pid
    assert cases(Warehouse.read(sweep.warehouse)) == {}  # a reader sees nothing of an unfinished run
    warehouse = Warehouse.open(sweep.warehouse)  # as every start does
    assert statuses(warehouse) == ["adopted"]
    assert finished <= set(cases(warehouse))
    assert set(cases(warehouse).values()) == {"measured"}


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_sweep_keeps_a_partial_run_that_can_be_resumed(
    number: int, status: int, start_sweep: Callable, device_holder: Callable[[], int | None]
) -> None:
    sweep = start_sweep()
    finished = sweep.wait_for_records(2)

    sweep.process.send_signal(number)
    ended, output, errors = sweep.end()

    assert (ended, output) == (status, "")
    assert sweep.left_behind() == []
    assert device_holder() != sweep.process.pid
    warehouse = Warehouse.read(sweep.warehouse)
    ((run_id, kept),) = warehouse.query("select run_id, status from all_runs.runs").rows
    assert kept == "partial"
    assert finished <= set(cases(warehouse))
    assert f"--resume {run_id}" in errors
