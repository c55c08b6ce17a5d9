from collections.abc import Callable

import pytest
from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import TaskRun

from bench_core.model.case import Case
from bench_core.model.result import CaseResult, Outcome
from bench_core.model.spec import SweepSpec
from flows.begin import plan_cases
from tasks.measure import measure_case

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_api")]


def measured_in_a_flow(case: Case, client: object) -> tuple[CaseResult, TaskRun]:
    @flow(name="one case", validate_parameters=False)
    def measure_one() -> tuple[str, CaseResult]:
        from prefect import runtime

        return runtime.flow_run.id, measure_case(case, client)

    flow_run_id, result = measure_one()
    with get_client(sync_client=True) as api:
        filters = FlowRunFilter.model_validate({"id": {"any_": [flow_run_id]}})
        (task_run,) = _recorded(lambda: api.read_task_runs(flow_run_filter=filters))
    return result, task_run


def _recorded(read: Callable[[], list[TaskRun]]) -> list[TaskRun]:
    """Task runs reach the database through the server's event queue, moments after the flow has ended."""
    import time

    for _ in range(200):
        runs = read()
        if runs and all(run.state and run.state.is_final() for run in runs):
            return runs
        time.sleep(0.05)
    raise AssertionError(f"no final task run within 10 s: {read()}")


def test_a_case_is_one_task_run_named_by_what_it_measures(spec: SweepSpec, fake_client: Callable) -> None:
    case = plan_cases(spec)[0]

    result, task_run = measured_in_a_flow(case, fake_client())

    assert result.outcome is Outcome.MEASURED
    assert task_run.name == case.label
    assert task_run.state.is_completed()


def test_a_failed_case_is_a_failed_task_run_with_its_reason(spec: SweepSpec, fake_client: Callable) -> None:
    result, task_run = measured_in_a_flow(plan_cases(spec)[0], fake_client([Outcome.OUT_OF_MEMORY]))

    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert task_run.state.is_failed()
    assert task_run.state.message == "out_of_memory: because the script says so"


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_what_may_differ_next_time_is_measured_once_more(
    outcome: Outcome, spec: SweepSpec, fake_client: Callable
) -> None:
    client = fake_client([outcome, outcome])

    result, _ = measured_in_a_flow(plan_cases(spec)[0], client)

    assert len(client.measured) == (2 if outcome.may_differ_next_time else 1)
    assert result.outcome is outcome


def test_a_case_that_works_the_second_time_is_measured(spec: SweepSpec, fake_client: Callable) -> None:
    result, task_run = measured_in_a_flow(plan_cases(spec)[0], fake_client([Outcome.CRASHED]))

    assert result.outcome is Outcome.MEASURED
    assert task_run.state.is_completed()


def test_a_defect_is_not_taken_for_an_outcome(spec: SweepSpec, fake_client: Callable) -> None:
    with pytest.raises(ZeroDivisionError):
        measured_in_a_flow(plan_cases(spec)[0], fake_client([ZeroDivisionError("defect")]))
