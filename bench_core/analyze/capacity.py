"""The queue's capacity, read twice: at the bend of the stopwatch's curve and at the end of a saturated sample.

A host that enqueues every d seconds into a queue that a device empties every s seconds is first held up at epoch
K = Q / (1 - d/s). When its last call returns the queue is full: what is left takes Q times the cost of one epoch.
The device's cost differs by phase, because on a CPU the enqueuing thread competes with the device's own: neither
reading knows the cost in its own phase, so each carries that as an uncertainty (docs/method.md, "Capacity").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.lines import BentLine, fit_bent_line, fit_line
from bench_core.analyze.readings import trace_readings
from bench_core.analyze.scoring import t_quantile
from bench_core.model.curve import CurveSample, ScalingCurve
from bench_core.model.diagnosis import Interval

Array = npt.NDArray[np.float64]

# How the device's cost while it is being enqueued to compares with its cost once the queue is full. On TensorFlow's
# CPU executor 8, 4.2 and 3.7 ms were seen while enqueuing, saturated and draining, elsewhere 2.3 ms before and
# 2.9 ms after the knee; on a GPU they are one.
_PHASE_RATIOS = (1 / 1.5, 2.0)

# A capacity is given to be used: an interval says at least this much is open (one epoch in execution, one in hand).
_LEAST_HALF_WIDTH = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of reading a number, with the 95 % interval it states."""

    value: float
    interval: Interval

    @property
    def deviation(self) -> float:
        """Standard deviation that a normal with this interval would have."""
        return max((self.interval[1] - self.interval[0]) / 3.92, 1e-9 * abs(self.value))


@dataclass(frozen=True, slots=True)
class Capacity:
    """The queue's capacity in epochs.

    Attributes:
        at_bend: by the knee.
        at_end: by the drain of saturated samples; None where nobody waited.
        combined: the two weighed by their uncertainty; its interval spans both where they disagree.
    """

    at_bend: Reading
    at_end: Reading | None
    combined: Reading

    @property
    def readings_agree(self) -> bool:
        """Whether the intervals of the two readings meet; True with one only."""
        if self.at_end is None:
            return True
        (low, high), (other_low, other_high) = self.at_bend.interval, self.at_end.interval
        return low <= other_high and other_low <= high


def capacity_at_bend(bent: BentLine) -> Reading:
    """Q = K (1 - d/s), the interval by the knee's and by what the device's cost may be while it is enqueued to."""
    fastest, slowest = (bent.s_per_epoch_after * ratio for ratio in _PHASE_RATIOS)
    low_knee, high_knee = bent.knee_interval
    return Reading(
        bent.knee_epoch_count * _free_share(bent.s_per_epoch_before, bent.s_per_epoch_after),
        (
            min(low_knee * _free_share(bent.s_per_epoch_before, fastest), low_knee - _LEAST_HALF_WIDTH),
            max(high_knee * _free_share(bent.s_per_epoch_before, slowest), low_knee + _LEAST_HALF_WIDTH),
        ),
    )


def _free_share(enqueue_s: float, device_s: float) -> float:
    """Share of the epochs enqueued before the knee that still wait at the knee."""
    return max(0.0, 1.0 - enqueue_s / device_s)


def read_capacity(curve: ScalingCurve, bent: BentLine) -> Capacity:
    """Both readings of the capacity, whole samples resampled; by the bend alone where there are no traces."""
    bends = saturated_bends(curve)
    if bends:
        at_bend = _spread_of([capacity_at_bend(each) for each in bends])
        knee = float(np.median([each.knee_epoch_count for each in bends]))
    else:
        at_bend, knee = capacity_at_bend(bent), bent.knee_epoch_count
    at_end = _capacity_at_end(curve, knee, bent)
    return Capacity(at_bend, at_end, _combine(at_bend, at_end))


def saturated_bends(curve: ScalingCurve) -> list[BentLine]:
    """The bent line of every trace that has room for a knee and shows one."""
    longest = max((sample.epoch_count for sample in curve.samples if sample.call_end_s is not None), default=0)
    traces = [each for each in curve.samples if each.call_end_s is not None and each.epoch_count == longest]
    fits = (fit_bent_line(readings.epoch_count, readings.seconds) for readings in map(trace_readings, traces))
    return [fit for fit in fits if fit is not None and not fit.is_bracket and fit.slope_ratio >= 2]


def _spread_of(readings: Sequence[Reading]) -> Reading:
    """Median over samples; the interval is theirs, widened by what differs between samples."""
    value = float(np.median([each.value for each in readings]))
    low = float(np.median([each.interval[0] for each in readings]))
    high = float(np.median([each.interval[1] for each in readings]))
    half_width = interval_half_width([each.value for each in readings])
    return Reading(value, (low - half_width, high + half_width))


def interval_half_width(values: Sequence[float]) -> float:
    """Half the 95 % interval of the mean of whole samples by Student's t; 0 for a single one."""
    if len(values) < 2:
        return 0.0
    deviation = float(np.std(values, ddof=1))
    return t_quantile(len(values) - 1) * deviation / len(values) ** 0.5


def _capacity_at_end(curve: ScalingCurve, knee: float, bent: BentLine) -> Reading | None:
    """Q = drain time / cost of one epoch, the cost from drained samples below the knee of the same run."""
    drains = [each.drain_time_s for each in curve.samples if _is_saturated(each, knee)]
    unsaturated = [each for each in curve.samples if each.wall_time_s is not None and each.epoch_count < 0.95 * knee]
    if not drains or not unsaturated:
        return None
    cost, half_width = _unsaturated_cost(unsaturated)
    drain = float(np.median([each for each in drains if each is not None]))
    spread = interval_half_width([each for each in drains if each is not None])
    # While the host still enqueues, the device may be slower: all of the enqueue cost may be hidden in it, or none.
    low_cost = max(cost - half_width - bent.s_per_epoch_before, 0.5 * cost)
    return Reading(drain / cost, ((drain - spread) / (cost + half_width), (drain + spread) / low_cost))


def _is_saturated(sample: CurveSample, knee: float) -> bool:
    return sample.drain_time_s is not None and sample.drain_time_s > 0 and sample.epoch_count > 1.1 * knee


def _unsaturated_cost(samples: Sequence[CurveSample]) -> tuple[float, float]:
    """Slope of wall time over unsaturated samples and half its interval; per epoch where there is one count."""
    counts = np.array([sample.epoch_count for sample in samples], dtype=np.float64)
    walls = np.array([sample.wall_time_s for sample in samples], dtype=np.float64)
    largest = counts == counts.max()
    per_epoch = walls[largest] / counts[largest]
    half_width = interval_half_width(per_epoch.tolist())
    if len(set(counts.tolist())) == 1:
        return float(np.median(per_epoch)), half_width
    return fit_line(*_median_walls(counts, walls)).s_per_epoch, half_width


def _median_walls(counts: Array, walls: Array) -> tuple[Array, Array]:
    distinct = np.unique(counts)
    return distinct, np.array([np.median(walls[counts == count]) for count in distinct])


def _combine(at_bend: Reading, at_end: Reading | None) -> Reading:
    """Middles of both intervals weighed by their uncertainty, the interval spanning whichever readings count.

    The middle, not the reading itself: each reading takes one phase's cost for another's, and its interval says to
    which side that errs.
    """
    if at_end is None:
        return at_bend
    readings = (at_bend, at_end)
    middles = [sum(each.interval) / 2 for each in readings]
    weights = [each.deviation**-2 for each in readings]
    value = sum(m * w for m, w in zip(middles, weights, strict=True)) / sum(weights)
    low = min(value, *(each.interval[0] for each in readings)) if _disjoint(*readings) else at_bend.interval[0]
    high = max(value, *(each.interval[1] for each in readings)) if _disjoint(*readings) else at_bend.interval[1]
    return Reading(value, (min(low, value), max(high, value)))


def _disjoint(one: Reading, other: Reading) -> bool:
    return one.interval[1] < other.interval[0] or other.interval[1] < one.interval[0]
