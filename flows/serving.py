"""Server, deployments and worker for a small team on one machine, as long as one command runs."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from bench_core.model.errors import UserError
from flows.prefect_yaml import ROOT
from flows.setup import POOL
from flows.temporary_server import answers

READY_TIMEOUT_S = 180.0
# A flow run that is told to end stops its device work, commits what is there and goes: seconds. Then it is killed.
STOP_TIMEOUT_S = 30.0
WORKER_QUERY_S = "2"
# A worker needs about 5 s to start; one that ends before this did not start.
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


@contextmanager
def running_server(environment: Mapping[str, str], log: Path) -> Iterator[None]:
    """A Prefect server with its user interface, ready; stopped on leaving.

    Raises:
        UserError: it ended or did not answer in time.
    """
    with _process(["server", "start"], environment, log) as server:
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not answers(environment["PREFECT_API_URL"]):
            if server.poll() is not None or time.monotonic() > deadline:
                raise UserError(f"the Prefect server did not start; see {log}")
            time.sleep(0.1)
        yield


@contextmanager
def running_worker(environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that takes flow runs of every queue of the pool; stopped on leaving, its flow runs first."""
    with _process(["worker", "start", "--pool", POOL, "--type", "process"], environment, log) as worker:
        yield worker


def keep_working(environment: Mapping[str, str], log: Path) -> NoReturn:
    """Run a worker, and another whenever one has died; left by an exception only.

    Raises:
        UserError: a worker ended so soon that the next one would too.
    """
    while True:
        started_s = time.monotonic()
        with running_worker(environment, log) as worker:
            worker.wait()
        if time.monotonic() - started_s < SHORTEST_LIFE_S:
            raise UserError(f"the worker ended as soon as it was started; see {log}")


def deploy_all(environment: Mapping[str, str]) -> None:
    """Create or update every deployment of prefect.yaml.

    Raises:
        UserError: with what Prefect said.
    """
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"the deployments could not be made:\n{done.stdout.strip()}\n{done.stderr.strip()}")


@contextmanager
def _process(arguments: list[str], environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Prefect command in a process group of its own, so that Ctrl-C reaches only us and we stop things in order."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", *arguments],
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
