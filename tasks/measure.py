"""Prefect tasks that measure: one case is one task run, named by what it measures."""

from dataclasses import dataclass
from typing import Any, Protocol

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Failed

from bench_core.model.case import Case
from bench_core.model.result import CaseResult, Outcome


class MeasuresCases(Protocol):
    """What a task needs of the measuring client."""

    def measure(self, case: Case) -> CaseResult:
        """Measure the case; one that fails is a result with its reason."""


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """The data of a failed task run: Prefect logs its repr, which is therefore one word."""

    result: CaseResult

    def __repr__(self) -> str:
        return self.result.outcome.value


def measure_case(case: Case, client: MeasuresCases) -> CaseResult:
    """Measure one case as a task run: failed, with its reason, where there is no measurement."""
    kept: Any = _measure_case(case, client, return_state=True).result(raise_on_failure=False)
    if isinstance(kept, BaseException):  # a defect, not an outcome
        raise kept
    result: CaseResult = kept.result if isinstance(kept, Unmeasured) else kept
    return result


def _may_differ_next_time(_task: object, _run: object, state: State[Any]) -> bool:
    return isinstance(state.data, Unmeasured) and state.data.result.outcome.may_differ_next_time


# The warehouse says what is done, never Prefect's cache; and a result is neither hashed nor stored a second time.
# No tags: for a tagged task Prefect asks the server for a place before every run, 20 ms a case (profiled).
@task(
    name="measure case",
    task_run_name="{case.label}",
    retries=1,
    retry_condition_fn=_may_differ_next_time,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def _measure_case(case: Case, client: MeasuresCases) -> CaseResult | State[Any]:
    result = client.measure(case)
    if result.outcome is Outcome.MEASURED:
        return result
    return Failed(message=f"{result.outcome}: {result.reason}", data=Unmeasured(result))
