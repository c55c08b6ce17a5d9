"""A bounded queue between a host and a device, epoch by epoch: labelled curves to test and calibrate analyses on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.model.curve import CallSeries, CurveSample, ScalingCurve, Work

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SimulatedQueue:
    """A host that enqueues into a queue, and the device that empties it.

    Attributes:
        capacity: epochs accepted and not finished when the host is held up.
        enqueue_s: host cost of one call.
        device_s: device cost of one epoch while the queue is full.
        enqueuing_ratio: device cost while the host enqueues freely, over device_s.
        draining_ratio: device cost while nothing is enqueued any more, over device_s.
        startup_s: what the first call costs beside its enqueuing.
        drift_fraction: growth of the device cost over 1,000 epochs, as share of itself.
        noise_fraction: standard deviation of a reading over the reading: noise grows with time.
    """

    capacity: int
    enqueue_s: float
    device_s: float
    enqueuing_ratio: float = 1.0
    draining_ratio: float = 1.0
    startup_s: float = 0.0
    drift_fraction: float = 0.0
    noise_fraction: float = 0.03


def simulate_sample(queue: SimulatedQueue, epoch_count: int, rng: np.random.Generator | None = None) -> CurveSample:
    """One loop of calls, drained, with its trace; without noise if there is no generator.

    The noise is one factor for the whole sample: what differs between samples is the machine's state.
    """
    call_end_s, finished_s = _run(queue, epoch_count)
    factor = 1.0 if rng is None else float(np.exp(rng.normal(0.0, queue.noise_fraction)))
    call_end_s = call_end_s * factor
    enqueue = float(call_end_s[-1])
    return CurveSample(epoch_count, enqueue, finished_s * factor - enqueue, call_end_s)


def simulate_curve(
    queue: SimulatedQueue,
    epoch_counts: Sequence[int],
    rng: np.random.Generator,
    *,
    is_drained: bool = False,
    work: Work | None = None,
) -> ScalingCurve:
    """Separate loops without traces, each reading with noise of its own; undrained like a pasted table by default."""
    samples = []
    for count in epoch_counts:
        call_end_s, finished_s = _run(queue, count)
        enqueue, wall = np.array([call_end_s[-1], finished_s]) * np.exp(rng.normal(0.0, queue.noise_fraction, 2))
        samples.append(CurveSample(count, float(enqueue), float(wall - enqueue) if is_drained else None))
    return ScalingCurve(tuple(samples), work or Work())


def simulate_series(
    queue: SimulatedQueue, call_count: int, rng: np.random.Generator, *, is_synchronized: bool | None = None
) -> CallSeries:
    """One call after the other, each with noise of its own; a synchronised call waits for its epoch."""
    if is_synchronized:
        drift = 1.0 + queue.drift_fraction * np.arange(call_count) / 1000.0
        seconds = np.full(call_count, queue.enqueue_s) + queue.device_s * drift
        seconds[0] += queue.startup_s
    else:
        seconds = np.diff(_run(queue, call_count)[0], prepend=0.0)
    noisy: Array = seconds * np.exp(rng.normal(0.0, queue.noise_fraction, call_count))
    index = np.arange(1.0, call_count + 1.0)
    return CallSeries(index, noisy, work=Work(is_synchronized=is_synchronized))


def _run(queue: SimulatedQueue, epoch_count: int) -> tuple[Array, float]:
    """When every call returned, shape (epoch_count,), and when the device was idle, both in seconds."""
    device = _Device(queue)
    call_end = np.empty(epoch_count)
    host = queue.startup_s
    for epoch in range(epoch_count):
        host += queue.enqueue_s
        if epoch >= queue.capacity:
            # A full queue holds the host up until its oldest epoch is finished.
            oldest = epoch - queue.capacity
            host = max(host, device.finish(oldest, float(call_end[oldest]), host))
        call_end[epoch] = host
    device.host_end_s = host
    for epoch in range(max(0, epoch_count - queue.capacity), epoch_count):
        device.finish(epoch, float(call_end[epoch]), host)
    return call_end, device.idle_s


class _Device:
    """Finishes epochs in order; what one costs depends on what the host does when it begins."""

    def __init__(self, queue: SimulatedQueue) -> None:
        self._queue = queue
        self._held_up_s: float | None = None
        self.host_end_s: float | None = None
        self.idle_s = 0.0

    def finish(self, epoch: int, enqueued_s: float, host_s: float) -> float:
        """When this epoch is finished, for a host that has come to `host_s`."""
        begins = max(self.idle_s, enqueued_s)
        drift = 1.0 + self._queue.drift_fraction * epoch / 1000.0
        self.idle_s = begins + self._queue.device_s * drift * self._ratio(begins, host_s)
        if self._held_up_s is None and self.host_end_s is None and self.idle_s > host_s:
            self._held_up_s = host_s
        return self.idle_s

    def _ratio(self, begins: float, host_s: float) -> float:
        if self.host_end_s is not None and begins >= self.host_end_s:
            return self._queue.draining_ratio
        is_held_up = self._held_up_s is not None and begins >= self._held_up_s
        return 1.0 if is_held_up or begins > host_s else self._queue.enqueuing_ratio
