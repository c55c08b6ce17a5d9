"""A forked child: answers requests on its bench until its input closes, then exits.

Forked after TensorFlow was imported and before it touched a device, so it can prepare the process as the case asks.
"""

import ctypes
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import IO, Any

import tensorflow as tf

from bench_core.measure import protocol
from bench_core.measure.worker.bench import Bench, measure, open_bench
from bench_core.measure.worker.calibrate import calibrate_shape, measure_ceiling
from bench_core.measure.worker.operands import OperandError
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
        bench: Bench | None = None
        for line in requests:
            request = protocol.decode(line)
            case = Case.from_json(request["case"])
            try:
                if request["request"] != "measure":
                    select_device(case.device, request["device_uuid"])
                    protocol.send(events, _ANSWERS[request["request"]](case))
                    continue
                is_warm = bench is not None
                if bench is None:
                    select_device(case.device, request["device_uuid"])
                    bench = benches.enter_context(open_bench(case))
                for event in _measure(bench, case, is_warm=is_warm):
                    protocol.send(events, event)
            except Exception as error:  # the boundary: whatever TensorFlow raises becomes an outcome with its reason
                protocol.send(events, _failure(error))


def _measure(bench: Bench, case: Case, *, is_warm: bool) -> Iterator[Event]:
    for item in measure(bench, case.epoch_count, case.sampling, is_warm=is_warm):
        if isinstance(item, Sample):
            yield protocol.sample_event(item)
        else:
            yield _end(Outcome.MEASURED, stopped_by=item.value, ran_on=bench.ran_on)


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


_ANSWERS = {"calibrate": _calibrate, "ceiling": _ceiling}


def _failure(error: Exception) -> Event:
    if isinstance(error, tf.errors.ResourceExhaustedError | MemoryError):
        return _end(Outcome.OUT_OF_MEMORY, reason=_sentence(error))
    if isinstance(error, OperandError | tf.errors.UnimplementedError):
        return _end(Outcome.UNSUPPORTED, reason=_sentence(error))
    return _end(Outcome.CRASHED, reason=f"{type(error).__name__}: {_sentence(error)}")


def _end(outcome: Outcome, **values: Any) -> Event:
    return {"event": "end", "outcome": outcome.value} | values


def _sentence(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:500]
