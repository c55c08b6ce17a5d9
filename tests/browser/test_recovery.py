"""What happens by itself when things die: the slow half of what a team has to be able to rely on."""

import signal
import time
from typing import Any

import psutil
import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.tensorflow]

MARKED_WITHIN_S = 120.0
LONG = {
    "comparison": {"epochs": [100, 150, 200, 250], "mitigations": ["graph_loop_kept"]},
    "place": {"device": "cpu-async:64", "shape": "256x784x512"},
    "effort": {"budget_s": 90},
}


def children(served: Any, word: str) -> list[psutil.Process]:
    return [process for process in psutil.Process(served.process.pid).children() if word in process.cmdline()]


def test_a_flow_run_killed_with_its_worker_is_marked_and_its_queue_goes_on(served: Any) -> None:
    flow_run_id = served.start_run("adhoc/adhoc", LONG)
    served.wait_for(lambda: len(list(served.warehouse.glob("staging/*/*.parquet"))) >= 2)
    (worker,) = children(served, "worker")
    flow_runs = worker.children()

    for process in (worker, *flow_runs):
        process.send_signal(signal.SIGKILL)
    killed_at_s = time.monotonic()

    flow_run = served.wait_for_state(flow_run_id, "Crashed")
    assert time.monotonic() - killed_at_s < MARKED_WITHIN_S
    assert flow_run["state"]["message"].startswith("No heartbeat")
    assert served.measuring() == []
    next_run = served.start_run("preset/weekly", {"sweep": "smoke"})  # a new worker is there, and the queue is free
    assert served.wait_for_state(next_run, "Completed", "Failed")["state"]["name"] == "Completed"
