"""The deployments on a real server with a real worker and real TensorFlow, over the REST API."""

import base64
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from flows.prefect_yaml import read_prefect_yaml
from warehouse.store import Warehouse

pytestmark = [pytest.mark.prefect, pytest.mark.tensorflow]

SMALL = {
    "comparison": {"epochs": [20, 50, 100], "mitigations": ["graph_loop"]},
    "place": {"device": "cpu-async:64", "shape": "64x784x128"},
    "effort": {"budget_s": 5},
}
LONG = {
    "comparison": {"epochs": [50, 100, 150, 200, 250], "mitigations": ["graph_loop_kept"]},
    "place": {"device": "cpu-async:64", "shape": "256x784x512"},
    "effort": {"budget_s": 60},
}
CANCEL_WITHIN_S = 10.0
ROOT = Path(__file__).resolve().parents[2]


def statuses(served: Any) -> dict[str, str]:
    if not served.warehouse.exists():  # the first run makes it
        return {}
    return dict(Warehouse.read(served.warehouse).query("select run_id, status from all_runs.runs").rows)


def test_every_deployment_waits_in_a_queue_with_room_for_one(served: Any) -> None:
    for entry in read_prefect_yaml().deployments:
        (flow_name,) = {
            "weekly": ["preset"], "question": ["preset"]
        }.get(entry.name, [entry.name])  # fmt: skip
        deployment = served.deployment(f"{flow_name}/{entry.name}")
        queue = served.call("GET", f"/work_queues/{deployment['work_queue_id']}")

        assert deployment["description"] == entry.description
        assert queue["concurrency_limit"] == 1
        assert queue["name"] == ("records" if "records" in entry.tags else "cpu")


def test_a_run_from_the_form_ends_with_its_finding_picture_tables_and_event(served: Any) -> None:
    flow_run_id = served.start_run("adhoc/adhoc", SMALL)

    flow_run = served.wait_for_state(flow_run_id, "Completed", "Failed", "Crashed")

    assert flow_run["state"]["name"] == "Completed", flow_run["state"]
    assert flow_run["name"] == "adhoc: none, graph_loop in fp32 on cpu-async:64, 20 to 100 epochs"
    run_id = re.search(r"6 of 6 cases measured in run (\S+)", flow_run["state"]["message"]).group(1)
    assert statuses(served)[run_id] == "complete"
    artifacts = served.artifacts(flow_run_id)
    assert {"adhoc-finding", "adhoc-curve", "adhoc-mitigations", "adhoc-progress"} <= set(artifacts)
    picture = re.search(r"data:image/png;base64,([A-Za-z0-9+/=]+)", artifacts["adhoc-finding"]["data"]).group(1)
    assert base64.b64decode(picture).startswith(b"\x89PNG")
    names = served.wait_for(lambda: _measured_names(served, flow_run_id))
    assert names == {f"{strategy} fp32 64x784x128 x {n}" for strategy in ("none", "graph_loop") for n in (20, 50, 100)}
    payloads = [event["payload"] for event in served.wait_for(lambda: served.events("cliffwatch.run.completed"))]
    assert run_id in {payload["run_id"] for payload in payloads}


def _measured_names(served: Any, flow_run_id: str) -> set[str]:
    """Names of the finished measuring task runs, once all six are recorded."""
    runs = [run for run in served.task_runs(flow_run_id) if " x " in run["name"] and run["state_type"] == "COMPLETED"]
    return {run["name"] for run in runs} if len(runs) == 6 else set()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"comparison": {"epochs": [0]}}, "0 is less than the minimum of 1"),
        ({"comparison": {"precisions": ["fp33"]}}, "fp33"),
        ({"comparison": {"mitigations": ["sudo reboot"]}}, "sudo reboot"),
        ({"place": {"device": "/dev/sda"}}, "/dev/sda"),
        ({"place": {"mnist_path": "/etc/passwd"}}, "mnist_path"),
        ({"resume": "../../etc"}, "../../etc"),
    ],
)
def test_a_wrong_value_is_refused_before_a_run_starts(wrong: dict[str, Any], named: str, served: Any) -> None:
    status, message = served.start_run("adhoc/adhoc", wrong)

    assert status == 409
    assert named in message


def test_a_sweep_above_its_budget_fails_at_once_with_the_sentence_a_person_needs(served: Any) -> None:
    # 3 samples of 1,000,000 epochs of 0.4 GFLOP are 1.2e15 FLOP: over 10 minutes at any rate below 2 TFLOP/s.
    too_much = SMALL | {"comparison": {"epochs": [1_000_000]}, "place": {"device": "cpu", "shape": "512x784x512"}}

    flow_run = served.wait_for_state(served.start_run("adhoc/adhoc", too_much), "Failed", "Completed", "Crashed")

    assert flow_run["state"]["name"] == "Failed"
    assert re.match(
        r"budget_s: need at least .* for \d cases of 512x784x512 .*, got 5.00 s", flow_run["state"]["message"]
    )


def test_a_cancelled_run_leaves_nothing_behind_and_is_resumed(served: Any) -> None:
    before = set(statuses(served))
    flow_run_id = served.start_run("adhoc/adhoc", LONG)
    served.wait_for(lambda: len(list(served.warehouse.glob("staging/*/*.parquet"))) >= 2)
    (measuring,) = [pid for pid in served.measuring() if psutil.Process(pid).ppid() not in served.measuring()]

    cancelled_at_s = time.monotonic()
    served.cancel(flow_run_id)
    served.wait_for(lambda: not psutil.pid_exists(measuring), timeout_s=CANCEL_WITHIN_S)
    flow_run = served.wait_for_state(flow_run_id, "Cancelled", "Crashed", "Failed")

    assert flow_run["state"]["name"] == "Cancelled"
    assert time.monotonic() - cancelled_at_s < 3 * CANCEL_WITHIN_S
    assert served.measuring() == []
    (run_id,) = set(statuses(served)) - before
    assert statuses(served)[run_id] == "partial"
    assert list(served.warehouse.glob("staging/*/*.parquet")) == []

    resumed = served.start_run("adhoc/adhoc", {"resume": run_id})
    flow_run = served.wait_for_state(resumed, "Completed", "Failed", "Crashed")
    assert flow_run["state"]["message"] == f"10 of 10 cases measured in run {run_id}"
    assert statuses(served)[run_id] == "complete"


def test_a_changed_verdict_calls_the_webhook_with_its_payload(served: Any) -> None:
    payload = {"run_id": "20260101T000000Z-000001", "verdict": "linear", "previous_verdict": "queue_saturation"}
    event = {
        "event": "cliffwatch.verdict.changed",
        "resource": {"prefect.resource.id": "cliffwatch.sweep.weekly"},
        "payload": payload,
        "id": str(uuid4()),
        "occurred": datetime.now(UTC).isoformat(),
    }

    served.call("POST", "/events", [event])

    served.wait_for(lambda: payload in served.webhook_calls)


def test_setting_up_again_changes_nothing(served: Any) -> None:
    def everything() -> Any:
        pools = served.call("POST", "/work_pools/filter", {})
        queues = served.call("POST", "/work_queues/filter", {})
        variables = served.call("POST", "/variables/filter", {})
        automations = served.call("POST", "/automations/filter", {})
        return [
            sorted((made["name"], made["id"], made.get("concurrency_limit"), made.get("value")) for made in kind)
            for kind in (pools, queues, variables, automations)
        ]

    options = ["--warehouse", str(served.warehouse), "--webhook", served.webhook_url]
    before = everything()
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "setup", *options],
        cwd=ROOT,
        env=os.environ | {"PREFECT_API_URL": f"{served.url}/api"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert everything() == before
