from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench_core.model.diagnosis import Verdict
from bench_core.model.spec import SweepSpec
from flows.events import changed_verdicts, completed_payload
from flows.sweep import Execution, FinishedRun, sweep_flow
from warehouse.store import Warehouse

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_api")]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse.open(tmp_path / "warehouse")


def measured(spec: SweepSpec, client: object, warehouse: Warehouse, silent: object) -> FinishedRun:
    execution = Execution(client, warehouse, silent)
    sweep_flow(execution)(spec)
    return execution.finished


def test_a_first_run_changes_no_verdict_and_says_what_it_found(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    finished = measured(spec, fake_client(), warehouse, silent)

    assert changed_verdicts(finished, warehouse) == []
    payload = completed_payload(finished)
    assert (payload["case_count"], payload["failed_case_count"]) == (6, 0)
    assert len(payload["verdicts"]) == 2


def test_only_the_curve_that_is_judged_otherwise_than_by_the_run_before_is_told(
    spec: SweepSpec, fake_client: Callable, warehouse: Warehouse, silent: object
) -> None:
    before = measured(spec, fake_client(), warehouse, silent)
    (control,) = [item for item in before.curves if item.curve.key.mitigation == "none"]
    other = next(verdict for verdict in Verdict if verdict is not control.diagnosis.verdict)
    warehouse.add_findings(before.run.run_id, [(control.curve.key, replace(control.diagnosis, verdict=other))])

    after = measured(spec, fake_client(), warehouse, silent)

    (change,) = changed_verdicts(after, warehouse)
    assert change["mitigation"] == "none"
    assert change["previous_run_id"] == before.run.run_id
    assert change["run_id"] == after.run.run_id
    assert (change["previous_verdict"], change["verdict"]) == (other.value, control.diagnosis.verdict.value)
