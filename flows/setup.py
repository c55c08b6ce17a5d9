"""What the deployments need on a Prefect server: pool, queues, variables, automations. Any number of times."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.client.schemas.objects import WorkQueue
from prefect.events.schemas.automations import AutomationCore
from prefect.exceptions import ObjectNotFound
from prefect.variables import Variable
from prefect.workers.process import ProcessWorker

from bench_core.measure.devices import list_gpus
from flows.prefect_yaml import AutomationEntry, read_automations, read_prefect_yaml

POOL = "cliffwatch"
RECORDS_QUEUE = "records"
CPU_QUEUE = "cpu"
DEVICE_QUEUE_VARIABLE = "cliffwatch_device_queue"
WAREHOUSE_VARIABLE = "cliffwatch_warehouse"


def set_up(warehouse: Path, *, webhook_url: str | None = None) -> Iterator[str]:
    """Make or update everything prefect.yaml refers to; yields a sentence for each thing that is now there.

    Args:
        warehouse: where the deployments keep their records.
        webhook_url: who is told of a changed verdict; those automations are left out without it.

    Raises:
        DeploymentFileError: prefect.yaml or deploy/automations.yaml is not as it must be.
    """
    read_prefect_yaml()
    automations = read_automations()
    queues = device_queues()
    with get_client(sync_client=True) as api:
        _make_pool(api)
        yield f"work pool {POOL}, of type process"
        for queue in (*queues, RECORDS_QUEUE, "default"):
            _limit_queue(api, queue)
            yield f"work queue {queue}, one flow run at a time"
        Variable.set(DEVICE_QUEUE_VARIABLE, queues[0], overwrite=True)
        yield f"variable {DEVICE_QUEUE_VARIABLE} = {queues[0]}"
        Variable.set(WAREHOUSE_VARIABLE, str(warehouse.absolute()), overwrite=True)
        yield f"variable {WAREHOUSE_VARIABLE} = {warehouse.absolute()}"
        for entry in automations:
            yield _make_automation(api, entry, webhook_url)


def device_queues() -> tuple[str, ...]:
    """One queue for each physical device of this host, the one `auto` means first."""
    return (*(f"gpu-{gpu.index}" for gpu in list_gpus()), CPU_QUEUE)


def _make_pool(api: SyncPrefectClient) -> None:
    template = ProcessWorker.get_default_base_job_template()
    api.create_work_pool(
        WorkPoolCreate(
            name=POOL,
            type="process",
            base_job_template=template,
            description="Flow runs of cliffwatch, as processes beside the worker.",
        ),
        overwrite=True,
    )


def _limit_queue(api: SyncPrefectClient, name: str) -> WorkQueue:
    """A queue with room for one flow run: the others wait where people see them."""
    try:
        queue = api.read_work_queue_by_name(name, work_pool_name=POOL)
    except ObjectNotFound:
        queue = api.create_work_queue(name=name, work_pool_name=POOL)
    api.update_work_queue(queue.id, concurrency_limit=1)
    return queue


def _make_automation(api: SyncPrefectClient, entry: AutomationEntry, webhook_url: str | None) -> str:
    if entry.webhook and not webhook_url:
        return f"automation {entry.name!r} left out: name a URL with --webhook"
    actions: list[dict[str, Any]] = [action.model_dump() for action in entry.actions]
    if entry.webhook and webhook_url:
        block_id = Webhook(method="POST", url=webhook_url).save(entry.webhook, overwrite=True)
        actions = [action | {"block_document_id": str(block_id)} for action in actions]
    automation = AutomationCore.model_validate(
        {
            "name": entry.name,
            "description": entry.description,
            "trigger": entry.trigger.model_dump(),
            "actions": actions,
        }
    )
    known = api.read_automations_by_name(entry.name)
    if not known:
        api.create_automation(automation)
    elif not _is_same(known[0], automation):
        api.update_automation(known[0].id, automation)
    return f"automation {entry.name!r}"


def _is_same(known: AutomationCore, wanted: AutomationCore) -> bool:
    """Whether an update can be left out: it would forget the events that a trigger is waiting after."""
    compared = {"description", "trigger", "actions"}
    return known.model_dump(include=compared) == wanted.model_dump(include=compared)
