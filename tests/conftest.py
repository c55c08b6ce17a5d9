"""What every test may use: Prefect servers of its own, never the person's."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import pytest

from flows.temporary_server import TemporaryServer

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
TIMEOUT_S = 300.0
BUSY_TRIES = 30


@pytest.fixture(scope="session")
def temporary_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporaryServer]:
    """One server for all tests of this process; its migrated database is kept between test runs."""
    log = tmp_path_factory.mktemp("prefect") / "server.log"
    with TemporaryServer(CACHE, log=log) as server:
        server.start()
        server.wait_until_ready()
        yield server


@pytest.fixture
def prefect_api(temporary_server: TemporaryServer) -> Iterator[str]:
    """Prefect's settings, pointing at the server of the tests; its URL."""
    from flows.prefect_session import settings_for

    with settings_for(temporary_server):
        yield temporary_server.api_url


def hear_sigint() -> None:
    """Undo what a shell does to its background jobs, which CI may be one of: they ignore Ctrl-C, and pass that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Served:
    """`cliffwatch serve`: a real server, every deployment and a real worker, over REST."""

    port: int
    home: Path
    warehouse: Path
    webhook_url: str
    webhook_calls: list[Any]
    process: "subprocess.Popen[str] | None" = None
    _lines: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns once it says where it is."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
        arguments = ["--port", str(self.port), "--home", str(self.home), "--warehouse", str(self.warehouse)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "serve", *arguments, "--webhook", self.webhook_url],
            cwd=ROOT,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=hear_sigint,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.append(line)
            if line.startswith("cliffwatch is at"):
                return
        raise AssertionError("".join(self._lines))

    def stop(self) -> None:
        """As Ctrl-C does; it must end in order."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        output, _ = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0, output
        self.process = None

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request to the REST API; a refusal is returned as (status, text).

        A server whose database is locked answers 503, and is asked again, as Prefect's own client does.
        """
        status, text = 503, ""
        for _ in range(BUSY_TRIES):
            status, text = self._send(method, path, body)
            if status != 503:
                break
            time.sleep(1.0)
        if status >= 400:
            return status, text
        return json.loads(text) if text else None

    def _send(self, method: str, path: str, body: Any) -> tuple[int, str]:
        request = urllib.request.Request(
            f"{self.url}/api{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def is_up(self) -> bool:
        """Whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/health", timeout=2):
                return True
        except OSError:
            return False

    def deployment(self, name: str) -> Any:
        return self.call("GET", f"/deployments/name/{name}")

    def start_run(self, name: str, parameters: dict[str, Any]) -> Any:
        """A new flow run's id; what the server said where it refuses."""
        path = f"/deployments/{self.deployment(name)['id']}/create_flow_run"
        answer = self.call("POST", path, {"parameters": parameters})
        return answer["id"] if isinstance(answer, dict) else answer

    def flow_run(self, flow_run_id: str) -> Any:
        return self.call("GET", f"/flow_runs/{flow_run_id}")

    def cancel(self, flow_run_id: str) -> None:
        state = {"type": "CANCELLING", "name": "Cancelling"}
        self.call("POST", f"/flow_runs/{flow_run_id}/set_state", {"state": state})

    def task_runs(self, flow_run_id: str) -> Any:
        return self.call("POST", "/task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run_id]}}})

    def artifacts(self, flow_run_id: str) -> dict[str, Any]:
        """Artifacts of a flow run by key."""
        filters = {"flow_runs": {"id": {"any_": [flow_run_id]}}}
        return {artifact["key"]: artifact for artifact in self.call("POST", "/artifacts/filter", filters)}

    def events(self, name: str) -> Any:
        return self.call("POST", "/events/filter", {"filter": {"event": {"name": [name]}}})["events"]

    def wait_for(self, is_true: Callable[[], Any], timeout_s: float = TIMEOUT_S) -> Any:
        """The first true answer."""
        deadline = time.monotonic() + timeout_s
        while not (answer := is_true()):
            assert time.monotonic() < deadline, f"not within {timeout_s} s; worker log:\n{self.worker_log()}"
            time.sleep(0.1)
        return answer

    def wait_for_state(self, flow_run_id: str, *names: str, timeout_s: float = TIMEOUT_S) -> Any:
        """The flow run, once it is in one of the states."""

        def reached() -> Any:
            run = self.flow_run(flow_run_id)
            return run if run["state"]["name"] in names else None

        return self.wait_for(reached, timeout_s)

    def measuring(self) -> list[int]:
        """Processes that measure for this server's worker."""
        assert self.process is not None
        found = []
        for process in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if "bench_core.measure.worker" in process.cmdline():
                    found.append(process.pid)
            except (psutil.NoSuchProcess, psutil.ZombieProcess):
                continue
        return found

    def worker_log(self) -> str:
        log = self.home / "worker.log"
        return log.read_text()[-4000:] if log.exists() else ""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@pytest.fixture
def free_port() -> int:
    """A port of the loopback interface that nobody used a moment ago."""
    return _free_port()


@contextmanager
def webhook() -> Iterator[tuple[str, list[Any]]]:
    """Somebody's web service on the loopback interface: its address, and the JSON it was sent."""
    calls: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            calls.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hook", calls
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`cliffwatch serve` for all tests of this process, on a migrated database where one is cached."""
    home = tmp_path_factory.mktemp("served")
    template = CACHE / f"prefect-{version('prefect')}.db"
    if template.exists():
        shutil.copyfile(template, home / "prefect.db")
    with webhook() as (url, calls):
        served = Served(_free_port(), home, tmp_path_factory.mktemp("records") / "warehouse", url, calls)
        served.start()
        yield served
        served.stop()
