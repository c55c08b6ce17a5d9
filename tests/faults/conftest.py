"""A real sweep in its own session, so that everything it leaves behind can be found."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
# Seven cases a curve: enough to be in the middle of when the second record is there.
SWEEP = ("--preset", "smoke", "--epochs", "20,50,100,150,200,250,300", "--budget", "10")
TIMEOUT_S = 240.0


@dataclass(frozen=True)
class Sweep:
    """`cliffwatch run` in a session of its own."""

    process: subprocess.Popen[str]
    warehouse: Path

    def staged_case_ids(self) -> set[str]:
        # ORDER-CASE_ID-HASH.parquet
        return {path.name.split("-")[1] for path in self.warehouse.glob("staging/*/*.parquet")}

    def wait_for_records(self, count: int) -> set[str]:
        """Case ids that are safely kept, once there are that many."""
        deadline = time.monotonic() + TIMEOUT_S
        while len(self.staged_case_ids()) < count:
            assert self.process.poll() is None, f"ended early: {self.process.communicate()}"
            assert time.monotonic() < deadline, "no records in time"
            time.sleep(0.02)
        return self.staged_case_ids()

    def worker(self) -> psutil.Process:
        (worker,) = (child for child in psutil.Process(self.process.pid).children() if _is_worker(child))
        return worker

    def child(self) -> psutil.Process:
        """The forked child that measures; there is none for a moment between two cases."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            children = self.worker().children()
            if children:
                return children[0]
        raise AssertionError("no child in time")

    def end(self) -> tuple[int, str, str]:
        """Exit status, standard output and standard error."""
        output, errors = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, output, errors

    def left_behind(self) -> list[str]:
        """Command lines of processes of the session that are still there 2 s after it has ended."""
        deadline = time.monotonic() + 2.0
        while (left := _of_session(self.process.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left


def _is_worker(process: psutil.Process) -> bool:
    return "bench_core.measure.worker" in process.cmdline()


def _of_session(session_id: int) -> list[str]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session_id and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


@pytest.fixture
def start_sweep(tmp_path: Path) -> Iterator[Callable[..., Sweep]]:
    """Starts sweeps; whatever a test leaves of them is ended afterwards."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, warehouse: Path = tmp_path / "warehouse") -> Sweep:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", "run", *SWEEP, "--warehouse", str(warehouse), *arguments],
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
            | {"XDG_CACHE_HOME": str(ROOT / ".cache"), "XDG_STATE_HOME": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # A background job of a shell ignores Ctrl-C and passes that on; CI may be one.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return Sweep(process, warehouse)

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.communicate()


@pytest.fixture
def device_holder() -> Callable[[], int | None]:
    """The process that holds the lock of this host's CPU; None when nobody does."""
    from bench_core.measure.device_lock import DeviceLock
    from bench_core.measure.devices import identify, resolve

    with DeviceLock(identify(resolve("cpu")).device_uuid) as lock:
        path = lock.path

    def holder() -> int | None:
        with path.open() as lock_file:
            try:
                fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(json.load(lock_file)["pid"])
        return None

    return holder
