"""The timed region: the only place a duration is made. Clock and device are arguments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SampleTime:
    """Integer nanoseconds of one sample.

    Attributes:
        enqueue_ns: until the last call returned.
        drain_ns: from then until the device was idle.
        call_end_ns: the clock after each call, from the start of the sample.
        last: what the last call returned, for the proof.
    """

    enqueue_ns: int
    drain_ns: int
    call_end_ns: tuple[int, ...] = ()
    last: Any = field(default=None, compare=False, repr=False)


def time_sample(
    call: Callable[[], Any], drain: Callable[[], Any], *, call_count: int, clock: Callable[[], int]
) -> SampleTime:
    """Time call_count calls back to back, then the drain.

    What a call returns is dropped before the next, all but the last: keeping one longer would keep two products
    alive on the device.
    """
    readings = [0] * call_count
    start_ns = clock()
    for position in range(call_count - 1):
        call()
        readings[position] = clock()
    last = call()
    readings[-1] = clock()
    drain()
    end_ns = clock()
    enqueued_ns = readings[-1]
    return SampleTime(
        enqueued_ns - start_ns, end_ns - enqueued_ns, tuple(reading - start_ns for reading in readings), last
    )
