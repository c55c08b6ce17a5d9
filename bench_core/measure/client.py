"""The measuring side's one door: cases in, results out, whatever happens to the processes behind it."""

import os
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

from bench_core.measure import protocol
from bench_core.measure.device_lock import DeviceLock
from bench_core.measure.devices import identify
from bench_core.measure.disturbance import label_samples, missing_rate_fraction
from bench_core.measure.environments import OWN_WORKER, MissingEnvironment, worker_command
from bench_core.measure.plan import reason_to_refuse
from bench_core.measure.telemetry import TelemetrySampler, open_probe
from bench_core.measure.worker_process import WorkerInfo, WorkerProcess
from bench_core.model.case import Case, DeviceRequest, Operands, Precision, SamplingPlan
from bench_core.model.errors import DeviceError
from bench_core.model.mitigation import Mitigation
from bench_core.model.proof import CountMethod, Proof, ProofVerdict
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.run import Ceiling
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation
from bench_core.model.telemetry import TelemetryReading

CALIBRATION_TIMEOUT_S = 300.0
NS_PER_S = 1_000_000_000


class MeasureClient:
    """Measures on one device, through one long-lived worker process per TensorFlow.

    Use as a context manager: leaving it, also by an exception, ends the workers and their children.
    """

    def __init__(
        self,
        device: DeviceRequest,
        *,
        isolation: Isolation = Isolation.CASE,
        worker_command: Sequence[str] = OWN_WORKER,
    ) -> None:
        self.device = device
        self.identity = identify(device)
        self._isolation = isolation
        self._own_command = tuple(worker_command)
        self._lock = DeviceLock(self.identity.device_uuid)
        self._workers: dict[tuple[str, ...], WorkerProcess] = {}
        self._proofs: dict[str, Proof | None] = {}
        self._group_count = 0
        self._open = ExitStack()
        self._telemetry: TelemetrySampler | None = None

    def start(self) -> None:
        """Start the worker process and return at once: TensorFlow loads meanwhile."""
        self._worker(self._own_command)

    def acquire_device(self, on_wait: Callable[[str], None] | None = None) -> None:
        """Wait for the device; held until the client and its processes are gone."""
        self._lock.acquire(on_wait=on_wait)
        probe = self._open.enter_context(open_probe(self.device.kind, self.identity))
        self._telemetry = self._open.enter_context(TelemetrySampler(probe, self.child_pid))

    def worker_info(self) -> WorkerInfo:
        """What is installed there; waits until TensorFlow is loaded.

        Raises:
            UserError: the worker cannot start, for example because there is no TensorFlow.
        """
        return self._worker(self._own_command).info()

    def calibrate(self, precision: Precision, operands: Operands) -> Shape:
        """A shape whose epoch costs about ten times its enqueueing."""
        return Shape.parse(self._ask("calibrate", precision, operands, Shape(1, 1, 1))["shape"])

    def measure_ceiling(self, precision: Precision, operands: Operands, shape: Shape) -> Ceiling:
        """The best synchronised rate in that precision, over the shape and a few squares.

        What other processes took of the CPU meanwhile is missing from it, and so part of its uncertainty.
        """
        self._take_telemetry()
        end = self._ask("ceiling", precision, operands, shape)
        missing = missing_rate_fraction(self._take_telemetry(), os.cpu_count() or 1)
        return Ceiling(end["flop_per_s"], max(end["uncertainty_fraction"], missing), end["shape"])

    def measure(self, case: Case) -> CaseResult:
        """Measure one case and gather its proof; what goes wrong is its outcome, never an exception."""
        refusal = reason_to_refuse(case, self.identity)
        if refusal:
            return CaseResult(case, refusal[0], reason=refusal[1])
        command = self._command_for(case)
        if isinstance(command, MissingEnvironment):
            return CaseResult(case, Outcome.UNSUPPORTED, reason=command.reason)
        # The proof comes first, in a child of its own, so that no child both profiles and times.
        proof = self._proof(command, case)
        samples: list[Sample] = []
        end = self._request(command, "measure", case, self._group(case), samples)
        readings = self._take_telemetry()
        return _result(case, end, label_samples(samples, readings), proof, readings)

    def close(self) -> None:
        """End the workers and their children, and let the device go."""
        self._open.close()
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _command_for(self, case: Case) -> tuple[str, ...] | MissingEnvironment:
        version = case.mitigation.setting("tensorflow")
        if version is None or version == self.worker_info().tensorflow_version:
            return self._own_command
        return worker_command(version)

    def _proof(self, command: tuple[str, ...], case: Case) -> Proof | None:
        """The evidence of the case's curve, gathered once; None where its passes failed."""
        curve = _curve(case)
        if curve not in self._proofs:
            probe = replace(case, epoch_count=1, timeout_s=CALIBRATION_TIMEOUT_S)
            end = self._request(command, "prove", probe, f"prove {curve}", [])
            self._proofs[curve] = _read_proof(end["proof"]) if "proof" in end else None
        return self._proofs[curve]

    def _ask(self, request: str, precision: Precision, operands: Operands, shape: Shape) -> dict[str, Any]:
        """A request whose failure means that the sweep cannot begin."""
        case = Case(self.device, shape, precision, Mitigation(), 1, operands, timeout_s=CALIBRATION_TIMEOUT_S)
        end = self._request(self._own_command, request, case, self._new_group(), [])
        if end["outcome"] != Outcome.MEASURED:
            raise DeviceError(f"{request} on {self.device} in {precision} failed: {end['reason']}")
        return end

    def _request(
        self, command: tuple[str, ...], request: str, case: Case, group: str, samples: list[Sample]
    ) -> dict[str, Any]:
        message = {
            "request": request,
            "case": case.to_json(),
            "group": group,
            "device_uuid": self.identity.device_uuid,
            "memory_bytes": self.identity.memory_bytes,
        }
        return self._worker(command).ask(
            message,
            timeout_s=case.timeout_s,
            on_event=lambda event: samples.append(protocol.read_sample(event)),
        )

    def _worker(self, command: tuple[str, ...]) -> WorkerProcess:
        """The running worker of that command; a dead one is replaced."""
        worker = self._workers.get(command)
        if worker is None or not worker.is_alive():
            worker = WorkerProcess(command, inherited_fds=(self._lock.fd,))
            self._workers[command] = worker
        return worker

    def child_pid(self) -> int | None:
        """The process that measures now."""
        pids = [worker.child_pid for worker in self._workers.values() if worker.child_pid is not None]
        return pids[-1] if pids else None

    def _take_telemetry(self) -> tuple[TelemetryReading, ...]:
        return self._telemetry.take() if self._telemetry else ()

    def _group(self, case: Case) -> str:
        """Cases of one group share a child process."""
        return _curve(case) if self._isolation is Isolation.CURVE else self._new_group()

    def _new_group(self) -> str:
        self._group_count += 1
        return str(self._group_count)


def _curve(case: Case) -> str:
    """What a case's curve has in common."""
    return repr(replace(case, epoch_count=1, sampling=SamplingPlan(), timeout_s=0.0))


def _result(
    case: Case,
    end: dict[str, Any],
    samples: tuple[Sample, ...],
    proof: Proof | None,
    telemetry: tuple[TelemetryReading, ...],
) -> CaseResult:
    stopped_by = end.get("stopped_by")
    return CaseResult(
        case,
        Outcome(end["outcome"]),
        samples,
        end.get("reason"),
        StoppedBy(stopped_by) if stopped_by else None,
        end.get("ran_on"),
        tuple((name, value) for name, value in end.get("tuned", ())),
        proof and _with_samples(proof, samples),
        telemetry,
    )


def _with_samples(proof: Proof, samples: Sequence[Sample]) -> Proof:
    """The proof of the passes, with what the timed samples of one case add."""
    steady = [sample for sample in samples if not sample.is_warmup]
    lags = [sample.finish_lag_ns / NS_PER_S for sample in steady if sample.finish_lag_ns is not None]
    errors = [abs(sample.checksum_rel_error) for sample in steady if sample.checksum_rel_error is not None]
    return replace(
        proof,
        finish_lag_s=statistics.median(lags) if lags else None,
        checksum_rel_error=max(errors, default=None),
    )


def _read_proof(values: dict[str, Any]) -> Proof:
    return Proof(
        **values | {"count_method": CountMethod(values["count_method"]), "verdict": ProofVerdict(values["verdict"])}
    )
