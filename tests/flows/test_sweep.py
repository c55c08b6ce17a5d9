from collections.abc import Callable
from pathlib import Path

import pytest

from bench_core.model.errors import WarehouseError
from bench_core.model.result import Outcome
from bench_core.model.run import RunStatus
from bench_core.model.spec import SweepSpec
from flows.begin import plan_cases
from flows.sweep import Execution, describe, sweep_flow
from warehouse.store import Warehouse

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_api")]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse.open(tmp_path / "warehouse")


def outcomes(warehouse: Warehouse, run_id: str) -> dict[str, str]:
    rows = warehouse.query(f"select case_id, outcome from all_runs.cases where run_id = '{run_id}'").rows
    return dict(rows)


def test_a_sweep_ends_as_a_complete_run_with_a_finding_for_every_curve(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    execution = Execution(fake_client(), warehouse, silent)

    state = sweep_flow(execution)(spec, return_state=True)

    finished = execution.finished
    assert state.is_completed()
    assert state.message == f"6 of 6 cases measured in run {finished.run.run_id}"
    assert warehouse.run(finished.run.run_id)[1] is RunStatus.COMPLETE
    assert {item.curve.key.mitigation for item in finished.curves} == {"none", "graph_loop"}
    # 3 samples of 10, 20 and 30 epochs, twice, at 100 us an epoch
    assert finished.measured_time_s == pytest.approx(2 * 3 * 60 * 100e-6)


def test_failed_cases_are_kept_and_the_sweep_goes_on(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    execution = Execution(fake_client([Outcome.OUT_OF_MEMORY]), warehouse, silent)

    state = sweep_flow(execution)(spec, return_state=True)

    assert state.is_completed()
    assert "5 of 6 cases measured" in state.message
    assert "out_of_memory, because the script says so" in state.message
    assert sorted(outcomes(warehouse, execution.run_id).values()) == ["measured"] * 5 + ["out_of_memory"]


@pytest.mark.parametrize(("failed_count", "is_failed"), [(3, False), (4, True)])
def test_the_flow_run_fails_when_more_than_half_of_the_cases_did(
    failed_count: int, is_failed: bool, spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    execution = Execution(fake_client([Outcome.OUT_OF_MEMORY] * failed_count), warehouse, silent)

    state = sweep_flow(execution)(spec, return_state=True)

    assert state.is_failed() is is_failed
    assert warehouse.run(execution.run_id)[1] is RunStatus.COMPLETE  # the run is whole, whatever the flow run is called


def test_an_interruption_commits_what_was_measured_as_a_partial_run(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    client = fake_client([Outcome.MEASURED, Outcome.MEASURED, KeyboardInterrupt()])
    execution = Execution(client, warehouse, silent)

    with pytest.raises(KeyboardInterrupt):
        sweep_flow(execution)(spec)

    assert warehouse.run(execution.run_id)[1] is RunStatus.PARTIAL
    assert set(outcomes(warehouse, execution.run_id)) == {case.case_id for case in client.measured[:2]}


def interrupted(spec: SweepSpec, client: object, warehouse: Warehouse, silent: object) -> str:
    execution = Execution(client, warehouse, silent)
    with pytest.raises(KeyboardInterrupt):
        sweep_flow(execution)(spec)
    return execution.run_id


def test_resuming_measures_only_what_is_missing_or_may_differ(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    # A crash is tried twice, so the third answer ends the first case; the fourth ends the second, the last interrupts.
    script = [Outcome.CRASHED, Outcome.CRASHED, Outcome.OUT_OF_MEMORY, Outcome.MEASURED, KeyboardInterrupt()]
    run_id = interrupted(spec, fake_client(script), warehouse, silent)
    again = fake_client()

    sweep_flow(Execution(again, warehouse, silent, resume=run_id))(spec)

    cases = plan_cases(spec)
    assert again.measured == [cases[0], *cases[3:]]
    assert warehouse.run(run_id)[1] is RunStatus.COMPLETE
    assert outcomes(warehouse, run_id)[cases[1].case_id] == "out_of_memory"


def test_a_run_is_not_resumed_in_another_environment(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    run_id = interrupted(spec, fake_client([KeyboardInterrupt()]), warehouse, silent)
    newer = fake_client()
    newer.tensorflow_version = "2.22.0"

    with pytest.raises(WarehouseError, match=r"tensorflow_version was '2\.21\.0' and is '2\.22\.0'"):
        sweep_flow(Execution(newer, warehouse, silent, resume=run_id))(spec)


def test_a_flow_run_is_named_by_what_it_compares(spec: SweepSpec) -> None:
    assert describe(spec) == "small: none, graph_loop in fp32 on cpu-async:64, 10 to 30 epochs"
