"""The measuring side's one door: cases in, results out, whatever happens to the processes behind it."""

import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Self

from bench_core.measure import protocol
from bench_core.measure.device_lock import DeviceLock
from bench_core.measure.devices import identify
from bench_core.measure.plan import reason_to_refuse
from bench_core.model.case import Case, DeviceRequest, Operands, Precision
from bench_core.model.errors import DeviceError, UserError
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation

WORKER_COMMAND = (sys.executable, "-m", "bench_core.measure.worker")
PROJECT_DIR = Path(__file__).resolve().parents[2]
# A worker that should have ended a child but does not answer is ended itself this long after the child's limit.
GRACE_S = 15.0
START_TIMEOUT_S = 300.0
CALIBRATION_TIMEOUT_S = 300.0


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What the worker process says of itself once TensorFlow is loaded."""

    tensorflow_version: str
    numpy_version: str
    python_version: str
    import_time_s: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best synchronised matmul rate found on the device, for one precision."""

    flop_per_s: float
    uncertainty_fraction: float
    shape: str


class MeasureClient:
    """One long-lived worker process for one device.

    Use as a context manager: leaving it, also by an exception, ends the worker and its child.
    """

    def __init__(
        self,
        device: DeviceRequest,
        *,
        isolation: Isolation = Isolation.CASE,
        worker_command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self.device = device
        self.identity = identify(device)
        self._isolation = isolation
        self._command = tuple(worker_command)
        self._lock = DeviceLock(self.identity.device_uuid)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the client
        self._process: subprocess.Popen[bytes] | None = None
        self._info: WorkerInfo | None = None
        self._case_count = 0

    def start(self) -> None:
        """Start the worker process and return at once: TensorFlow loads meanwhile."""
        path = os.pathsep.join(filter(None, (str(PROJECT_DIR), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            pass_fds=(self._lock.fd,),
            env=os.environ | {"PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "2"},
        )
        self._info = None

    def acquire_device(self, on_wait: Callable[[str], None] | None = None) -> None:
        """Wait for the device; held until the client and its processes are gone."""
        self._lock.acquire(on_wait=on_wait)

    def worker_info(self) -> WorkerInfo:
        """What is installed there; waits until TensorFlow is loaded.

        Raises:
            UserError: the worker cannot start, for example because there is no TensorFlow.
        """
        if self._process is None:
            self.start()
        if self._info is None:
            self._info = self._read_ready()
        return self._info

    def calibrate(self, precision: Precision, operands: Operands) -> Shape:
        """A shape whose epoch costs about ten times its enqueueing."""
        end = self._ask("calibrate", self._probe_case(precision, operands, Shape(1, 1, 1)))
        return Shape.parse(end["shape"])

    def measure_ceiling(self, precision: Precision, operands: Operands, shape: Shape) -> Ceiling:
        """The best synchronised rate in that precision, over the shape and a few squares."""
        end = self._ask("ceiling", self._probe_case(precision, operands, shape))
        return Ceiling(end["flop_per_s"], end["uncertainty_fraction"], end["shape"])

    def measure(self, case: Case) -> CaseResult:
        """Measure one case; what goes wrong with it is its outcome, never an exception."""
        refusal = reason_to_refuse(case, self.identity)
        if refusal:
            return CaseResult(case, refusal[0], reason=refusal[1])
        samples: list[Sample] = []
        end = self._request("measure", case, self._group(case), samples)
        stopped_by = end.get("stopped_by")
        return CaseResult(
            case,
            Outcome(end["outcome"]),
            tuple(samples),
            end.get("reason"),
            StoppedBy(stopped_by) if stopped_by else None,
            end.get("ran_on"),
        )

    def close(self) -> None:
        """End the worker and its child, and let the device go."""
        self._stop()
        self._lock.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _probe_case(self, precision: Precision, operands: Operands, shape: Shape) -> Case:
        return Case(self.device, shape, precision, Mitigation(), 1, operands, timeout_s=CALIBRATION_TIMEOUT_S)

    def _ask(self, request: str, case: Case) -> dict[str, Any]:
        """A request whose failure means that the sweep cannot begin."""
        self._case_count += 1
        end = self._request(request, case, f"{request} {self._case_count}", [])
        if end["outcome"] != Outcome.MEASURED:
            raise DeviceError(f"{request} on {self.device} in {case.precision} failed: {end['reason']}")
        return end

    def _request(self, request: str, case: Case, group: str, samples: list[Sample]) -> dict[str, Any]:
        """Send one request, collect its samples, return its end; a dead worker is an end too."""
        self.worker_info()
        message = {
            "request": request,
            "case": case.to_json(),
            "group": group,
            "device_uuid": self.identity.device_uuid,
        }
        try:
            protocol.send(self._stdin, message)
            return self._collect(case.timeout_s + GRACE_S, samples)
        except BrokenPipeError:
            return self._worker_died("stopped reading")

    def _collect(self, timeout_s: float, samples: list[Sample]) -> dict[str, Any]:
        deadline_s = time.monotonic() + timeout_s
        for event in self._read_events(deadline_s):
            if event["event"] == "sample":
                samples.append(protocol.read_sample(event))
            else:
                return event
        if time.monotonic() >= deadline_s:
            self._stop()
            return {"outcome": Outcome.TIMED_OUT, "reason": "the worker process stopped answering and was ended"}
        return self._worker_died("ended")

    def _read_events(self, deadline_s: float) -> Iterator[dict[str, Any]]:
        """Events as they come, until the deadline or the end of the worker's output."""
        while self._reader.is_open:
            left_s = max(0.0, deadline_s - time.monotonic())
            if not select.select([self._reader], [], [], left_s)[0]:
                return
            for line in self._reader.read():
                yield protocol.decode(line)

    def _read_ready(self) -> WorkerInfo:
        self._reader = protocol.LineReader(self._stdout.fileno())
        for event in self._read_events(time.monotonic() + START_TIMEOUT_S):
            if event["protocol_version"] != protocol.PROTOCOL_VERSION:
                break
            return WorkerInfo(
                event["tensorflow_version"], event["numpy_version"], event["python_version"], event["import_time_s"]
            )
        log = self._log_tail()
        self._stop()
        if "No module named 'tensorflow'" in log:
            raise UserError("Measuring needs TensorFlow: install the extra `cpu` or `cuda` (make setup TF=cpu)")
        raise UserError(f"the worker process did not start: {log or 'it said nothing'}")

    def _worker_died(self, what: str) -> dict[str, Any]:
        process = self._process
        self._stop()
        code = process.returncode if process else None
        return {
            "outcome": Outcome.CRASHED,
            "reason": f"the worker process {what} (status {code}): {self._log_tail() or 'it said nothing'}",
        }

    def _stop(self) -> None:
        """Kill the worker; the kernel kills its child (PR_SET_PDEATHSIG)."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            _close_quietly(pipe)
        self._process = None
        self._info = None

    def _group(self, case: Case) -> str:
        """Cases of one group share a child process."""
        if self._isolation is Isolation.CURVE:
            return repr(replace(case, epoch_count=1, sampling=type(case.sampling)(), timeout_s=0.0))
        self._case_count += 1
        return str(self._case_count)

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process is not None
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout

    def _log_tail(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:500] if lines else ""


def _close_quietly(pipe: IO[bytes] | None) -> None:
    if pipe is None:
        return
    try:
        pipe.close()
    except BrokenPipeError:  # a request the dead worker never read
        return
