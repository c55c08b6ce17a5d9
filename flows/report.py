"""The deployment `report`: diagnose a stored run again and show it."""

from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed
from pydantic import Field

from bench_core.model.errors import UserError, WarehouseError
from flows.events import publish
from flows.form import RUN_ID
from flows.request import warehouse_folder
from flows.sweep import FinishedRun
from tasks.diagnose import diagnose_run
from tasks.judge import judge_run
from warehouse.store import Warehouse


@flow(name="report", persist_result=False)
def report(run_id: Annotated[str | None, Field(pattern=RUN_ID)] = None) -> State[Any]:
    """Diagnose a run again with the installed version and publish its artifacts.

    Args:
        run_id: which run; the newest complete one if empty
    """
    try:
        warehouse = Warehouse.read(warehouse_folder(None))
        finished = load_finished(warehouse, run_id)
    except UserError as error:
        return Failed(message=str(error))
    publish(finished, warehouse)
    return Completed(message=finished.summary)


def load_finished(warehouse: Warehouse, run_id: str | None) -> FinishedRun:
    """A stored run with fresh findings; nothing was measured, so its times are 0.

    Raises:
        WarehouseError: no such run, or none at all; or its traces are no longer kept.
    """
    known = warehouse.run_ids()
    if run_id is None and not known:
        raise WarehouseError(f"no complete run in {warehouse.root} yet")
    run, _ = warehouse.run(run_id or known[-1])
    _require_traces(run.run_id, warehouse)
    curves = diagnose_run(run.run_id, warehouse)
    judgement = judge_run(run.run_id, curves, warehouse)
    failed_cases = warehouse.failed_cases(run.run_id)
    ((case_count,),) = warehouse.query(f"select count(*) from all_runs.cases where run_id = '{run.run_id}'").rows
    return FinishedRun(run, curves, judgement, failed_cases, case_count, 0.0, 0.0)


def _require_traces(run_id: str, warehouse: Warehouse) -> None:
    """Refuse a run whose traces were dropped: what can be found without them would replace what was found in them."""
    ((had, has),) = warehouse.query(
        f"select launch_count, (select count(*) from all_runs.launches where run_id = '{run_id}') "
        f"from all_runs.runs where run_id = '{run_id}'"
    ).rows
    if has < had:
        raise WarehouseError(
            f"run {run_id} is older than traces are kept; what was found in them stays: "
            f"`cliffwatch sql \"from findings where run_id = '{run_id}'\"`"
        )
