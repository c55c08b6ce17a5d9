"""The worker process: imports TensorFlow once, then forks a fresh child per case or per curve.

It never touches a device itself, so it can always answer: it relays requests to the child and events back, ends a
child that overruns its time, and reports how one died. It exits, and takes its child along, when its input closes.
"""

import os
import platform
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench_core.measure import protocol
from bench_core.model.case import Case
from bench_core.model.result import Outcome

FOLDER_PREFIX = "cliffwatch-worker-"


@dataclass(slots=True)
class Child:
    """A forked child and the two pipes to it."""

    pid: int
    group: str
    requests: IO[bytes]
    events: protocol.LineReader


class Worker:
    """Relays between the client and one child at a time."""

    def __init__(self, requests: protocol.LineReader, events: IO[bytes]) -> None:
        self._requests = requests
        self._events = events
        self._child: Child | None = None

    def serve(self) -> None:
        """Answer requests until the input closes."""
        while self._requests.is_open:
            for line in self._requests.read():
                self._answer(protocol.decode(line))
        self._end_child()

    def _answer(self, request: Mapping[str, Any]) -> None:
        child = self._child_for(request)
        deadline_s = time.monotonic() + request["case"]["timeout_s"]
        try:
            protocol.send(child.requests, request)
        except BrokenPipeError:
            self._report_death(child)
        else:
            self._relay(child, deadline_s)

    def _child_for(self, request: Mapping[str, Any]) -> Child:
        """The child that already serves this request's group, or a fresh one."""
        if self._child is not None and self._child.group == request["group"]:
            return self._child
        # The kernel takes the old one apart while the new one is forked, which touches no device before it is asked.
        ending = self._kill_child()
        _share_operands(Case.from_json(request["case"]))
        self._child = _fork(request["group"])
        if ending is not None:
            os.waitpid(ending, 0)
        protocol.send(self._events, {"event": "child", "pid": self._child.pid})
        return self._child

    def _relay(self, child: Child, deadline_s: float) -> None:
        """Pass events on until the request has ended, its time is over, or the client is gone."""
        while True:
            left_s = max(0.0, deadline_s - time.monotonic())
            ready, _, _ = select.select([child.events, self._requests], [], [], left_s)
            if not ready:
                return self._time_out()
            if self._requests in ready:  # the client sends nothing while it waits: this is the end of its output
                self._requests.is_open = False
                return None
            lines = child.events.read()
            for line in lines:
                self._events.write(line + b"\n")
            self._events.flush()
            if any(map(protocol.is_end, lines)):
                return None
            if not child.events.is_open:
                return self._report_death(child)

    def _time_out(self) -> None:
        self._end_child()
        self._send_end(Outcome.TIMED_OUT, "did not finish within its time limit and was ended")

    def _report_death(self, child: Child) -> None:
        self._child = None
        _, status = os.waitpid(child.pid, 0)
        _close(child)
        self._send_end(Outcome.CRASHED, _cause_of_death(status))

    def _send_end(self, outcome: Outcome, reason: str) -> None:
        protocol.send(self._events, {"event": "end", "outcome": outcome.value, "reason": reason})

    def _end_child(self) -> None:
        ending = self._kill_child()
        if ending is not None:
            os.waitpid(ending, 0)

    def _kill_child(self) -> int | None:
        """Kill the child; its pid, which must still be waited for, or None where there was none."""
        if self._child is None:
            return None
        pid = self._child.pid
        os.kill(pid, signal.SIGKILL)
        _close(self._child)
        self._child = None
        return pid


def _fork(group: str) -> Child:
    request_read, request_write = os.pipe()
    event_read, event_write = os.pipe()
    parent_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        _become_child(parent_pid, request_read, event_write, (request_write, event_read))
    os.close(request_read)
    os.close(event_write)
    return Child(pid, group, os.fdopen(request_write, "wb"), protocol.LineReader(event_read))


def _become_child(parent_pid: int, request_fd: int, event_fd: int, parent_ends: tuple[int, int]) -> None:
    """Serve in the forked process and exit without running the parent's clean-up."""
    from bench_core.measure.worker import child

    try:
        child.die_with_parent(parent_pid)
        for fd in parent_ends:
            os.close(fd)
        child.serve(os.fdopen(request_fd, "rb"), os.fdopen(event_fd, "wb"))
    finally:
        os._exit(0 if sys.exc_info()[0] is None else 1)


def _share_operands(case: Case) -> None:
    """Make the operands before forking, so that every child shares the pages; a child reports what goes wrong."""
    from bench_core.measure.worker.errors import UnsupportedError
    from bench_core.measure.worker.operands import host_operands

    try:
        host_operands(case.operands, case.shape)
    except (UnsupportedError, MemoryError):
        return


def _close(child: Child) -> None:
    child.events.close()
    with suppress(BrokenPipeError):  # a request the dead child never read
        child.requests.close()


def _cause_of_death(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"the child process exited with status {code}"
    name = signal.Signals(-code).name
    hint = "; the kernel does this when memory runs out" if -code == signal.SIGKILL else ""
    return f"the child process was killed by {name}{hint}"


def _own_output() -> IO[bytes]:
    """The pipe to the client; whatever else prints goes to standard error."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return events


@contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """Let everything temporary be made in a folder that goes with the worker.

    AutoGraph removes the source files it writes when its process exits in order, which a killed child never does.
    What a worker killed with SIGKILL left is removed by the next.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(FOLDER_PREFIX).partition("-")[0]).exists():
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{FOLDER_PREFIX}{os.getpid()}-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        yield


def main() -> None:
    """Import TensorFlow, say so, serve."""
    # Ctrl-C reaches the whole process group; the client decides what becomes of the sweep and closes the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Prefect ends a cancelled flow run with all of its processes: in order, so that nothing is left in a folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    events = _own_output()
    started_s = time.monotonic()
    import numpy as np
    import tensorflow as tf

    from bench_core.measure.worker import child  # noqa: F401  every child needs it: imported once, here

    with _own_temporary_folder():
        protocol.send(
            events,
            {
                "event": "ready",
                "protocol_version": protocol.PROTOCOL_VERSION,
                "tensorflow_version": tf.__version__,
                "numpy_version": np.__version__,
                "python_version": platform.python_version(),
                "import_time_s": time.monotonic() - started_s,
            },
        )
        Worker(protocol.LineReader(0), events).serve()


if __name__ == "__main__":
    main()
