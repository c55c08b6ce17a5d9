"""A forked child: answers requests on its bench until its input closes, then exits.

Forked after TensorFlow was imported and before it touched a device, so it can prepare the process as the case asks.
"""

import ctypes
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import IO, Any

import tensorflow as tf

from bench_core.measure import protocol
from bench_core.measure.worker.bench import Bench, measure, open_bench
from bench_core.measure.worker.calibrate import calibrate_shape, measure_ceiling
from bench_core.measure.worker.errors import UnsupportedError
from bench_core.measure.worker.proof import prove
from bench_core.measure.worker.queue import select_device
from bench_core.model.case import Case
from bench_core.model.result import Outcome, Sample

Event = Mapping[str, Any]

PR_SET_PDEATHSIG = 1  # from <sys/prctl.h>; no library in use here wraps it


def die_with_parent(parent_pid: int) -> None:
    """Have the kernel kill this process when the worker is gone; exit if it already is."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)


def serve(requests: IO[bytes], events: IO[bytes]) -> None:
    """Answer each request with events, the last of which is its end."""
    with ExitStack() as benches:
        child = Child(benches)
        for line in requests:
            request = protocol.decode(line)
            try:
                for event in child.answer(request):
                    protocol.send(events, event)
            except Exception as error:  # the boundary: whatever TensorFlow raises becomes an outcome with its reason
                protocol.send(events, _failure(error))


class Child:
    """Keeps one bench open for every case of its group."""

    def __init__(self, benches: ExitStack) -> None:
        self._benches = benches
        self._bench: Bench | None = None

    def answer(self, request: Mapping[str, Any]) -> Iterator[Event]:
        """Events of one request, the last of which is its end."""
        case = Case.from_json(request["case"])
        kind = request["request"]
        if self._bench is None:
            select_device(case.device, request["device_uuid"])
        if kind == "calibrate":
            yield _calibrate(case)
        elif kind == "ceiling":
            yield _ceiling(case)
        else:
            is_warm = self._bench is not None
            bench = self._bench or self._benches.enter_context(open_bench(case, request["memory_bytes"]))
            self._bench = bench
            yield from _measure(bench, case, is_warm=is_warm) if kind == "measure" else _prove(bench, case)


def _measure(bench: Bench, case: Case, *, is_warm: bool) -> Iterator[Event]:
    for item in measure(bench, case.epoch_count, case.sampling, is_warm=is_warm):
        if isinstance(item, Sample):
            yield protocol.sample_event(item)
        else:
            yield _end(
                Outcome.MEASURED,
                reason=_what_was_changed(case, item.epoch_count),
                stopped_by=item.stopped_by.value,
                ran_on=bench.ran_on,
                tuned=list(bench.issuer.tuned.items()),
            )


def _what_was_changed(case: Case, epoch_count: int) -> str | None:
    if epoch_count == case.epoch_count:
        return None
    return (
        f"shrunk from {case.epoch_count} to {epoch_count} epochs to keep its budget of {case.sampling.budget_s:.3g} s"
    )


def _calibrate(case: Case) -> Event:
    return _end(Outcome.MEASURED, shape=str(calibrate_shape(case.device, case.precision, case.operands)))


def _ceiling(case: Case) -> Event:
    found = measure_ceiling(case.device, case.precision, case.shape, case.operands)
    return _end(
        Outcome.MEASURED,
        flop_per_s=found.flop_per_s,
        uncertainty_fraction=found.uncertainty_fraction,
        shape=found.shape,
    )


def _prove(bench: Bench, case: Case) -> Iterator[Event]:
    yield _end(Outcome.MEASURED, proof=asdict(prove(bench.strategy, bench.work, case.precision)))


def _failure(error: Exception) -> Event:
    if isinstance(error, tf.errors.ResourceExhaustedError | MemoryError):
        return _end(Outcome.OUT_OF_MEMORY, reason=_sentence(error))
    if isinstance(error, UnsupportedError | tf.errors.UnimplementedError):
        return _end(Outcome.UNSUPPORTED, reason=_sentence(error))
    return _end(Outcome.CRASHED, reason=f"{type(error).__name__}: {_sentence(error)}")


def _end(outcome: Outcome, **values: Any) -> Event:
    return {"event": "end", "outcome": outcome.value} | values


def _sentence(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:500]
