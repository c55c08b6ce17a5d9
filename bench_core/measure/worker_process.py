"""One worker process as the client sees it: started, asked, ended."""

import os
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench_core.measure import protocol
from bench_core.model.errors import UserError
from bench_core.model.result import Outcome

PROJECT_DIR = Path(__file__).resolve().parents[2]
# A cold import of TensorFlow took 12 s on a busy two-core machine; a network file system may need far longer.
START_TIMEOUT_S = 300.0
# A worker that should have ended a child but does not answer is ended itself this long after the child's limit.
GRACE_S = 15.0
# A worker whose input has closed ends its child and removes its files; seen to take 0.1 s.
END_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What the worker process says of itself once TensorFlow is loaded."""

    tensorflow_version: str
    numpy_version: str
    python_version: str
    import_time_s: float


class WorkerProcess:
    """A started worker; ended by end(), or by the kernel when this process closes its input by dying.

    Attributes:
        child_pid: the forked child that serves the current request, for telemetry; None before the first.
    """

    def __init__(self, command: Sequence[str], *, inherited_fds: Sequence[int]) -> None:
        path = os.pathsep.join(filter(None, (str(PROJECT_DIR), os.environ.get("PYTHONPATH"))))
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            pass_fds=tuple(inherited_fds),
            env=os.environ | {"PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "2"},
        )
        self._stdin, stdout = self._pipes()
        self._events = protocol.LineReader(stdout.fileno())
        self._info: WorkerInfo | None = None
        self.child_pid: int | None = None

    @property
    def pid(self) -> int:
        """The worker process's id."""
        return self._process.pid

    def info(self) -> WorkerInfo:
        """What is installed there; waits until TensorFlow is loaded.

        Raises:
            UserError: the worker cannot start, for example because there is no TensorFlow.
        """
        if self._info is None:
            self._info = self._read_ready()
        return self._info

    def ask(
        self, request: Mapping[str, Any], *, timeout_s: float, on_event: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """Send one request, hand its events on, return its end; a dead worker is an end too (see is_alive)."""
        self.info()
        deadline_s = time.monotonic() + timeout_s + GRACE_S
        try:
            protocol.send(self._stdin, request)
        except BrokenPipeError:
            return self._died()
        for event in self._read_events(deadline_s):
            if event["event"] == "end":
                return event
            if event["event"] == "child":
                self.child_pid = event["pid"]
            else:
                on_event(event)
        if self._events.is_open:
            self.end()
            return {"outcome": Outcome.TIMED_OUT, "reason": "the worker process stopped answering and was ended"}
        return self._died()

    def is_alive(self) -> bool:
        """Whether it can be asked again."""
        return self._process.poll() is None

    def end(self) -> None:
        """Close its input, so that it removes its files and exits; kill it if it does not listen.

        The kernel kills the child of a killed worker (PR_SET_PDEATHSIG).
        """
        if self._info is not None:
            _close_quietly(self._stdin)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_TIMEOUT_S)
        self._process.kill()
        self._process.wait()
        self.child_pid = None
        for pipe in (*self._pipes(), self._log):
            _close_quietly(pipe)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _read_events(self, deadline_s: float) -> Iterator[dict[str, Any]]:
        """Events as they come, until the deadline or the end of the worker's output."""
        while self._events.is_open:
            left_s = max(0.0, deadline_s - time.monotonic())
            if not select.select([self._events], [], [], left_s)[0]:
                return
            for line in self._events.read():
                yield protocol.decode(line)

    def _read_ready(self) -> WorkerInfo:
        for event in self._read_events(time.monotonic() + START_TIMEOUT_S):
            version = event.get("protocol_version")
            if version != protocol.PROTOCOL_VERSION:
                raise UserError(f"the worker process speaks protocol {version}, not {protocol.PROTOCOL_VERSION}")
            return WorkerInfo(
                event["tensorflow_version"], event["numpy_version"], event["python_version"], event["import_time_s"]
            )
        log = self._last_words()
        if "No module named 'tensorflow'" in log:
            raise UserError("Measuring needs TensorFlow: install the extra `cpu` or `cuda` (make setup TF=cpu)")
        raise UserError(f"the worker process did not start: {log}")

    def _died(self) -> dict[str, Any]:
        last_words = self._last_words()
        return {
            "outcome": Outcome.CRASHED,
            "reason": f"the worker process ended with status {self._process.returncode}: {last_words}",
        }

    def _last_words(self) -> str:
        """The last line a dying worker wrote; ends it."""
        self._process.kill()
        self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        self.end()
        return lines[-1][:500] if lines else "it said nothing"


def _close_quietly(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:  # a request the dead worker never read
        return
