"""Flow runs that a server still calls running although nothing of them is left."""

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, WorkPoolFilter
from prefect.client.schemas.objects import FlowRun
from prefect.states import Crashed

from flows.setup import POOL

UNFINISHED = ("PENDING", "RUNNING", "CANCELLING")


def crash_lost_runs(api: SyncPrefectClient) -> list[FlowRun]:
    """Mark every unfinished flow run of the pool as crashed: each would hold its queue for ever.

    Call it only where it is certain that nothing of them runs any more, as when the one machine that has server,
    worker and flow runs starts again.
    """
    lost = api.read_flow_runs(
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": {"any_": UNFINISHED}}}),
        work_pool_filter=WorkPoolFilter.model_validate({"name": {"any_": [POOL]}}),
    )
    for flow_run in lost:
        message = (
            "The machine or `cliffwatch serve` ended during this run; what it measured is taken in at the next start."
        )
        api.set_flow_run_state(flow_run.id, Crashed(message=message), force=True)
    return lost
