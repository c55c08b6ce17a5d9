"""The queue's capacity, read twice: at the bend of the stopwatch's curve and at the end of a saturated sample.

A host that enqueues every d seconds into a queue that a device empties every s seconds is first held up at epoch
K = Q / (1 - d/s). When its last call returns the queue is full: what is left takes Q times the cost of one epoch.
The device's cost differs by phase, because on a CPU the enqueuing thread competes with the device's own: no reading
sees the cost in its own phase, so each carries that as an uncertainty (docs/method.md, "Capacity").
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.bends import TraceBend, median_knee
from bench_core.analyze.lines import BentLine, fit_line
from bench_core.analyze.scoring import t_quantile
from bench_core.model.curve import CurveSample
from bench_core.model.diagnosis import Interval

Array = npt.NDArray[np.float64]

# The device's cost while it is being enqueued to, over its cost once the queue is full: 1 on a GPU. On TensorFlow's
# CPU executor 8 over 4.2 ms was seen, and 1.5 brings the readings of five known capacities to within 3 %.
_PHASE_RATIOS = (1 / 1.25, 2.2)
_CPU_PHASE_RATIO = 1.5

# An interval leaves this much open at least: the epoch in execution and the one in hand.
_LEAST_HALF_WIDTH = 1.0

# A sample is below the knee, or beyond it, by more than the knee's own spread.
_BELOW_KNEE, _BEYOND_KNEE = 0.95, 1.1


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of reading a number, with the 95 % interval it states."""

    value: float
    interval: Interval

    @property
    def deviation(self) -> float:
        """Standard deviation of the normal that has this interval."""
        return max((self.interval[1] - self.interval[0]) / 3.92, 1e-9 * abs(self.value))

    def meets(self, other: "Reading") -> bool:
        """Whether the two intervals overlap."""
        return self.interval[0] <= other.interval[1] and other.interval[0] <= self.interval[1]


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


def combine(at_bend: Reading, at_end: Reading | None) -> Capacity:
    """Both readings as one."""
    if at_end is None:
        return Capacity(at_bend, None, at_bend)
    readings = (at_bend, at_end)
    weights = np.array([each.deviation**-2 for each in readings])
    weights /= weights.sum()
    # What the phases leave open is common to both, so that averaging does not narrow it.
    value, low, high = weights @ [(each.value, *each.interval) for each in readings]
    if not at_bend.meets(at_end):
        low, high = min(each.interval[0] for each in readings), max(each.interval[1] for each in readings)
    return Capacity(at_bend, at_end, Reading(float(value), (float(low), float(high))))


def capacity_at_bend(bent: BentLine) -> Reading:
    """Q = K (1 - d/s) of a table, the interval by the knee's and by what s may be while enqueuing."""
    low_ratio, high_ratio = _PHASE_RATIOS
    low_knee, high_knee = bent.knee_interval
    low, value, high = (
        knee * _waiting_share(bent.s_per_epoch_before, ratio * bent.s_per_epoch_after)
        for knee, ratio in ((low_knee, low_ratio), (bent.knee_epoch_count, 1.0), (high_knee, high_ratio))
    )
    return Reading(value, (min(low, value - _LEAST_HALF_WIDTH), max(high, value + _LEAST_HALF_WIDTH)))


def _waiting_share(enqueue_s: float, device_s: float) -> float:
    """Share of the epochs enqueued before the knee that still wait at the knee."""
    return max(0.0, 1.0 - enqueue_s / device_s)


def capacity_at_bends(bends: Sequence[TraceBend]) -> Reading:
    """The same of whole traces: K less what the device did until then, its cost as while enqueuing on a CPU."""
    low_ratio, high_ratio = _PHASE_RATIOS
    low, value, high = (
        [max(0.0, bend.knee_epoch_count - bend.knee_time_s / (ratio * bend.s_per_epoch_after)) for bend in bends]
        for ratio in (low_ratio, _CPU_PHASE_RATIO, high_ratio)
    )
    spread = max(half_width(value), _LEAST_HALF_WIDTH)
    middle = float(np.median(value))
    return Reading(middle, (max(0.0, float(np.median(low)) - spread), float(np.median(high)) + spread))


def knee_of_bends(bends: Sequence[TraceBend]) -> Reading:
    """The knee over whole traces, with the interval of their spread: no host is held up before its first epoch."""
    knees = [bend.knee_epoch_count for bend in bends]
    spread = max(half_width(knees), _LEAST_HALF_WIDTH)
    middle = median_knee(bends)
    return Reading(middle, (max(1.0, middle - spread), middle + spread))


def half_width(values: Sequence[float]) -> float:
    """Half the 95 % interval of the middle of whole samples, by Student's t; a tenth of a single one."""
    if len(values) < 2:
        return 0.1 * values[0]
    # The median's standard error is 1.25 times the mean's.
    return float(1.25 * t_quantile(len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)


def capacity_at_end(samples: Sequence[CurveSample], knee: float, enqueue_s: float) -> Reading | None:
    """Q = drain time / cost of one epoch, the cost by drained samples below the knee of the same run.

    Args:
        samples: of one curve; None is returned unless some were drained beyond the knee and some below it, whose wall
            time grows with the epochs.
        knee: epochs enqueued without being held up.
        enqueue_s: host cost of one epoch below the knee.
    """
    drained = [each.drain_time_s for each in samples if _is_beyond(each, knee)]
    drains = [drain_s for drain_s in drained if drain_s is not None and drain_s > 0]
    below = [each for each in samples if each.wall_time_s is not None and each.epoch_count < _BELOW_KNEE * knee]
    if not drains or not below:
        return None
    cost, cost_spread = _unsaturated_cost(below)
    if cost <= 0:
        return None
    drain, drain_spread = float(np.median(drains)), half_width(drains)
    spread = ((cost_spread / cost) ** 2 + (drain_spread / drain) ** 2) ** 0.5
    low, value, high = (
        drain / _draining_cost(cost, enqueue_s, ratio) for ratio in (_PHASE_RATIOS[0], _CPU_PHASE_RATIO, np.inf)
    )
    return Reading(value, (low * max(0.0, 1.0 - spread), high * (1.0 + spread)))


def _is_beyond(sample: CurveSample, knee: float) -> bool:
    return sample.epoch_count > _BEYOND_KNEE * knee


def _draining_cost(cost: float, enqueue_s: float, phase_ratio: float) -> float:
    """Cost of one epoch while nothing is enqueued.

    An unsaturated sample takes d an epoch to enqueue, during which the device does d / s1 of one; the rest is done
    while draining: cost = d + (1 - d / s1) s3.
    """
    share = _waiting_share(enqueue_s, phase_ratio * cost)
    return max(cost - enqueue_s, 0.3 * cost) / max(share, 0.3)


def _unsaturated_cost(samples: Sequence[CurveSample]) -> tuple[float, float]:
    """Slope of wall time over unsaturated samples and half its interval; per epoch where there is one count."""
    counts = np.array([sample.epoch_count for sample in samples], dtype=np.float64)
    walls = np.array([sample.wall_time_s for sample in samples], dtype=np.float64)
    at_largest = (walls / counts)[counts == counts.max()].tolist()
    distinct = np.unique(counts)
    medians = np.array([np.median(walls[counts == count]) for count in distinct])
    slope = fit_line(distinct, medians).s_per_epoch if len(distinct) > 1 else float(np.median(at_largest))
    return slope, half_width(at_largest)
