"""Server, deployments and worker for a small team on one machine, as long as one command runs."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn, Self

from bench_core.model.errors import UserError
from flows.prefect_yaml import ROOT
from flows.setup import POOL
from flows.temporary_server import answers

READY_TIMEOUT_S = 180.0
# A flow run that is told to end stops its device work, commits what is there and goes: seconds. Then it is killed.
STOP_TIMEOUT_S = 30.0
WORKER_QUERY_S = "2"
POLL_S = 0.2
# Server and worker need 5 to 10 s to start; what ends before this did not start.
SHORTEST_LIFE_S = 15.0


def server_environment(home: Path, port: int) -> dict[str, str]:
    """The environment of a server on this port, and of everything that talks to it.

    Filesystem leases survive a restart of the server, which the default in memory do not; the port is also what the
    user interface is told, which `--port` alone does not do.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    return kept | {
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_API_HOST": "127.0.0.1",
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
        "PREFECT_WORKER_QUERY_SECONDS": WORKER_QUERY_S,
        "DO_NOT_TRACK": "1",
    }


class PrefectProcess:
    """One long-running Prefect command, started again when it has died.

    It leads a process group of its own: Ctrl-C in a terminal reaches only us, and we stop things in order.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._arguments = tuple(arguments)
        self._environment = dict(environment)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = 0.0

    @property
    def pid(self) -> int:
        """The process while it runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the process; its output is appended to its log."""
        self._started_s = time.monotonic()
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "prefect", *self._arguments],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    def keep_alive(self) -> None:
        """Start it again if it has died.

        Raises:
            UserError: it ended so soon after its start that the next one would too.
        """
        if self._process is None or self._process.poll() is None:
            return
        if time.monotonic() - self._started_s < SHORTEST_LIFE_S:
            raise UserError(f"`prefect {' '.join(self._arguments)}` ends as soon as it is started; see {self._log}")
        self.start()

    def stop(self) -> None:
        """Ask it to end, and kill it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def server_process(environment: Mapping[str, str], folder: Path) -> PrefectProcess:
    """The Prefect server with its user interface."""
    return PrefectProcess(["server", "start"], environment, folder / "server.log")


def worker_process(environment: Mapping[str, str], folder: Path) -> PrefectProcess:
    """A worker that takes flow runs of every queue of the pool."""
    arguments = ["worker", "start", "--pool", POOL, "--type", "process"]
    return PrefectProcess(arguments, environment, folder / "worker.log")


def wait_until_ready(server: PrefectProcess, environment: Mapping[str, str]) -> None:
    """Return when the server answers.

    Raises:
        UserError: it ended, or did not answer in time.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not answers(environment["PREFECT_API_URL"]):
        server.keep_alive()
        if time.monotonic() > deadline:
            raise UserError(f"the Prefect server did not answer within {READY_TIMEOUT_S:.0f} s")
        time.sleep(POLL_S)


def keep_serving(*processes: PrefectProcess) -> NoReturn:
    """Keep every process alive; left by an exception only."""
    while True:
        for process in processes:
            process.keep_alive()
        time.sleep(POLL_S)


def deploy_all(environment: Mapping[str, str]) -> None:
    """Create or update every deployment of prefect.yaml.

    Raises:
        UserError: with what Prefect said.
    """
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"the deployments could not be made:\n{done.stdout.strip()}\n{done.stderr.strip()}")
