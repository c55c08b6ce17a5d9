"""What a team does in the browser: start, watch, read, be refused, wait, cancel; and what happens by itself."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil
import pytest
from playwright.sync_api import expect

from bench_core.measure.device_lock import DeviceLock
from bench_core.measure.devices import identify, resolve

pytestmark = [pytest.mark.prefect, pytest.mark.tensorflow]

CANCEL_WITHIN_S = 10.0


def open_form(ui: Any, served: Any) -> None:
    ui.open(f"/deployments/deployment/{served.deployment('adhoc/adhoc')['id']}/run")
    ui.page.locator("button[type=submit]").wait_for()


def fill_small(ui: Any, epochs: list[int]) -> None:
    ui.fill_rows("Epoch counts", epochs)
    ui.fill_text("Device", "cpu-async:64")
    ui.fill_text("Shape", "64x784x128")
    ui.fill_number("Budget in seconds", 10)


def fill_long(ui: Any) -> None:
    ui.fill_rows("Epoch counts", [100, 150, 200, 250])
    ui.fill_text("Device", "cpu-async:64")
    ui.fill_text("Shape", "256x784x512")
    ui.fill_number("Budget in seconds", 90)


def newest_run(served: Any) -> Any:
    filters = {
        "deployments": {"id": {"any_": [served.deployment("adhoc/adhoc")["id"]]}},
        "sort": "EXPECTED_START_TIME_DESC",
    }
    runs = served.call("POST", "/flow_runs/filter", filters | {"limit": 1})
    return runs[0] if runs else None


def submit(ui: Any, served: Any) -> str:
    """The id of the flow run that the form has started."""
    before = newest_run(served)
    ui.submit()
    expect(ui.page).not_to_have_url(re.compile("/run$"))
    started = served.wait_for(lambda: _other(newest_run(served), before))
    flow_run_id: str = started["id"]
    return flow_run_id


def _other(run: Any, before: Any) -> Any:
    return run if run and (before is None or run["id"] != before["id"]) else None


def see_state(ui: Any, flow_run_id: str, state: str) -> None:
    """Watch the flow run's page until it shows the state."""
    ui.open(f"/runs/flow-run/{flow_run_id}")
    expect(ui.page.locator(".state-badge").get_by_text(state, exact=True).first).to_be_visible()
    ui.picture()


@contextmanager
def busy_device() -> Iterator[None]:
    """Another process measures on the CPU meanwhile."""
    with DeviceLock(identify(resolve("cpu")).device_uuid) as lock:
        lock.acquire()
        yield


def test_someone_fills_the_form_and_reads_the_finding_with_its_picture(ui: Any, served: Any) -> None:
    open_form(ui, served)
    fill_small(ui, [20, 50, 100])
    ui.add_chip("Precisions", "bf16")
    ui.add_chip("Mitigations", "graph_loop")
    ui.picture()

    flow_run_id = submit(ui, served)

    see_state(ui, flow_run_id, "Completed")
    name = "adhoc: none, graph_loop_kept, graph_loop in fp32, bf16 on cpu-async:64, 20 to 100 epochs"
    expect(ui.page.get_by_text(name).first).to_be_visible()
    ui.page.get_by_text("Artifacts", exact=True).click()
    expect(ui.page.get_by_text("adhoc-finding").first).to_be_visible()
    ui.open(f"/artifacts/artifact/{served.artifacts(flow_run_id)['adhoc-finding']['id']}")
    expect(ui.page.get_by_text("18 of 18 cases measured").first).to_be_visible()
    picture = ui.page.locator("article img, .markdown-renderer img").first
    expect(picture).to_have_attribute("src", re.compile("^data:image/png;base64,"))
    assert picture.evaluate("image => image.naturalWidth") > 0
    ui.picture()


def test_a_wrong_value_is_refused_where_it_is_typed(ui: Any, served: Any) -> None:
    before = newest_run(served)
    open_form(ui, served)
    fill_small(ui, [20, 0])

    ui.submit()

    expect(ui.page.get_by_text(re.compile("less than the minimum of 1")).first).to_be_visible()
    ui.picture()
    after = newest_run(served)
    assert (after and after["id"]) == (before and before["id"])


def test_a_run_on_a_busy_device_is_seen_waiting_and_goes_on_when_it_is_free(ui: Any, served: Any) -> None:
    open_form(ui, served)
    fill_small(ui, [20, 50])
    with busy_device():
        flow_run_id = submit(ui, served)
        ui.open(f"/runs/flow-run/{flow_run_id}")
        expect(ui.page.get_by_text(re.compile("waiting for .*: used by")).first).to_be_visible()
        ui.picture()
        second = served.start_run("adhoc/adhoc", {"place": {"device": "cpu-async:64", "shape": "8x8x8"}})
        served.wait_for(lambda: served.flow_run(second)["state"]["name"] in ("Late", "AwaitingConcurrencySlot"))

    see_state(ui, flow_run_id, "Completed")
    served.wait_for_state(second, "Completed", "Failed")  # no start is lost


def test_a_run_cancelled_in_the_browser_leaves_nothing(ui: Any, served: Any) -> None:
    open_form(ui, served)
    fill_long(ui)
    flow_run_id = submit(ui, served)
    served.wait_for(lambda: len(list(served.warehouse.glob("staging/*/*.parquet"))) >= 2)
    measuring = served.measuring()
    ui.open(f"/runs/flow-run/{flow_run_id}")
    expect(ui.page.locator(".state-badge").get_by_text("Running", exact=True).first).to_be_visible()

    ui.page.get_by_role("button", name="Cancel").first.click()
    dialog = ui.page.locator(".p-modal")
    expect(dialog.first).to_be_visible()
    ui.picture()
    cancelled_at_s = time.monotonic()
    dialog.get_by_role("button", name="Confirm").click()

    served.wait_for(lambda: not any(psutil.pid_exists(pid) for pid in measuring))
    assert time.monotonic() - cancelled_at_s < CANCEL_WITHIN_S
    see_state(ui, flow_run_id, "Cancelled")
    assert served.measuring() == []
    assert list(served.warehouse.glob("staging/*/*.parquet")) == []


def test_a_schedule_a_minute_or_two_ahead_starts_by_itself(served: Any) -> None:
    deployment_id = served.deployment("preset/weekly")["id"]
    # The scheduler looks once a minute, and a cron line has no seconds: this is 70 to 130 s ahead.
    due = datetime.now(UTC) + timedelta(seconds=130)
    schedule = {
        "schedule": {"cron": f"{due.minute} {due.hour} * * *", "timezone": "UTC"},
        "active": True,
        "parameters": {"sweep": "smoke"},
    }
    (made,) = served.call("POST", f"/deployments/{deployment_id}/schedules", [schedule])

    def started() -> Any:
        filters = {
            "deployments": {"id": {"any_": [deployment_id]}},
            "flow_runs": {"state": {"type": {"any_": ["RUNNING", "COMPLETED"]}}},
            "sort": "EXPECTED_START_TIME_DESC",
        }
        runs = served.call("POST", "/flow_runs/filter", filters)
        return next((run for run in runs if run["auto_scheduled"]), None)

    flow_run = served.wait_for(started)
    served.call("DELETE", f"/deployments/{deployment_id}/schedules/{made['id']}")
    flow_run = served.wait_for_state(flow_run["id"], "Completed", "Failed", "Crashed")

    assert flow_run["state"]["name"] == "Completed"
    assert flow_run["name"].startswith("smoke: none, graph_loop")


def test_a_restart_of_the_server_in_the_middle_loses_nothing(ui: Any, served: Any) -> None:
    open_form(ui, served)
    fill_long(ui)
    flow_run_id = submit(ui, served)
    served.wait_for(lambda: len(list(served.warehouse.glob("staging/*/*.parquet"))) >= 2)

    (server,) = [
        process
        for process in psutil.Process(served.process.pid).children()
        if process.cmdline()[-2:] == ["server", "start"]
    ]
    server.terminate()
    served.wait_for(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)

    served.wait_for(served.is_up)
    see_state(ui, flow_run_id, "Completed")
    assert served.flow_run(flow_run_id)["state"]["message"].startswith("8 of 8 cases measured")
