"""A sweep in a flow run that a Prefect worker started: everything it says goes to the Prefect UI."""

from collections.abc import Sequence
from typing import Any

from prefect import get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Failed

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.measure.plan import estimate, reason_to_refuse
from bench_core.model.case import Case
from bench_core.model.errors import SpecError, UserError
from bench_core.model.spec import SweepSpec
from bench_core.model.units import format_duration
from flows.artifact_progress import ArtifactProgress
from flows.begin import plan_cases, settle
from flows.events import publish
from flows.request import read_resumed, warehouse_folder
from flows.sweep import Execution, state_of
from warehouse.store import Warehouse


def measure_deployed(spec: SweepSpec, *, resume: str | None = None, is_affordable_only: bool = False) -> State[Any]:
    """Measure a sweep, store it, publish it; the state says how many cases were measured.

    Args:
        spec: the sweep; a resumed run brings its own.
        resume: run id of an interrupted run to go on with.
        is_affordable_only: refuse a sweep whose least cost is above its budget, before measuring.
    """
    try:
        warehouse = Warehouse.open(warehouse_folder(None))
        if resume:
            spec = read_resumed(warehouse.run(resume)[0], {})
        return _measure(spec, warehouse, resume, is_affordable_only=is_affordable_only)
    except UserError as error:
        # A sentence for a person, not a traceback: the state's message is what the UI shows first.
        return Failed(message=str(error))


def _measure(spec: SweepSpec, warehouse: Warehouse, resume: str | None, *, is_affordable_only: bool) -> State[Any]:
    progress = ArtifactProgress(f"{spec.name}-progress", get_run_logger())
    with MeasureClient(resolve(spec.device), isolation=spec.isolation) as client:
        client.start()
        settled = settle(spec, client, progress)
        if is_affordable_only:
            require_affordable(plan_cases(settled), client, spec.budget_s)
        execution = Execution(client, warehouse, progress, resume=resume)
        finished = execution(settled)
    publish(finished, warehouse)
    return state_of(finished)


def require_affordable(cases: Sequence[Case], client: MeasureClient, budget_s: float) -> None:
    """Refuse what would not be measured in time, before anything is.

    Raises:
        SpecError: every case is refused on this device, or the samples every case gets cost more than the budget.
    """
    reasons = {case.label: reason_to_refuse(case, client.identity) for case in cases}
    measurable = [case for case in cases if reasons[case.label] is None]
    if not measurable:
        raise SpecError({label: reason[1] for label, reason in reasons.items() if reason})
    first = measurable[0]
    ceiling = client.measure_ceiling(first.precision, first.operands, first.shape)
    cost = estimate(measurable, flop_per_s=ceiling.flop_per_s)
    if cost.duration_s > budget_s:
        message = (
            f"need at least {format_duration(cost.duration_s)} for {len(measurable)} cases of {first.shape} on "
            f"{client.identity.device_name}, got {format_duration(budget_s)}; take fewer epochs, cases or samples, a "
            "smaller shape, or a larger budget"
        )
        raise SpecError({"budget_s": message})
