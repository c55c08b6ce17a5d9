"""What other systems hear of a run: Prefect events, whose payloads docs/operations.md describes."""

from typing import Any

from bench_core.report.curve_table import curve_title
from flows.published import publication_of
from flows.sweep import FinishedRun
from tasks.publish import announce, publish_artifacts
from warehouse.store import Warehouse

RUN_COMPLETED = "cliffwatch.run.completed"
VERDICT_CHANGED = "cliffwatch.verdict.changed"

# The newest verdict of each curve from a complete run of the same sweep on the same device, started before this one.
PREVIOUS_VERDICTS = """
with this as (

    select started_at, spec_name, device, device_uuid
    from all_runs.runs
    where run_id = '{run_id}'

)

select findings.precision, findings.mitigation, findings.shape, runs.run_id, findings.verdict
from findings
inner join runs using (run_id)
inner join this
    on runs.spec_name = this.spec_name
    and runs.device = this.device
    and runs.device_uuid = this.device_uuid
    and runs.started_at < this.started_at
where findings.kind = 'curve'
qualify row_number() over (
    partition by findings.precision, findings.mitigation, findings.shape order by runs.started_at desc
) = 1
"""


def publish(finished: FinishedRun, warehouse: Warehouse) -> None:
    """Write the artifacts of a run, then tell whoever listens that it is there and which verdicts it changed."""
    publish_artifacts(publication_of(finished, warehouse))
    announce(RUN_COMPLETED, finished.run.spec_name, completed_payload(finished))
    for change in changed_verdicts(finished, warehouse):
        announce(VERDICT_CHANGED, finished.run.spec_name, change)


def completed_payload(finished: FinishedRun) -> dict[str, Any]:
    """The payload of `cliffwatch.run.completed` (docs/operations.md)."""
    return {
        "run_id": finished.run.run_id,
        "spec_name": finished.run.spec_name,
        "device": finished.run.device.device,
        "device_uuid": finished.run.device.device_uuid,
        "case_count": finished.case_count,
        "failed_case_count": len(finished.failed_cases),
        "verdicts": {curve_title(item.curve): item.diagnosis.verdict.value for item in finished.curves},
    }


def changed_verdicts(finished: FinishedRun, warehouse: Warehouse) -> list[dict[str, Any]]:
    """A payload of `cliffwatch.verdict.changed` for each curve that the run before it judged otherwise."""
    run = finished.run
    rows = warehouse.query(PREVIOUS_VERDICTS.format(run_id=run.run_id)).rows
    before = {
        (precision, mitigation, shape): (run_id, verdict) for precision, mitigation, shape, run_id, verdict in rows
    }
    changes = []
    for item in finished.curves:
        key = item.curve.key
        previous = before.get((key.precision, key.mitigation, key.shape)) if key else None
        if key and previous and previous[1] != item.diagnosis.verdict.value:
            changes.append(
                {
                    "run_id": run.run_id,
                    "previous_run_id": previous[0],
                    "spec_name": run.spec_name,
                    "device": run.device.device,
                    "precision": key.precision,
                    "mitigation": key.mitigation,
                    "shape": key.shape,
                    "verdict": item.diagnosis.verdict.value,
                    "previous_verdict": previous[1],
                }
            )
    return changes
