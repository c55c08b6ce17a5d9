"""A full queue in seconds against epochs: the host enqueues freely, and then at the device's pace."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench_core.analyze.candidate import Candidate
from bench_core.analyze.capacity import Reading, capacity_at_bend
from bench_core.analyze.curve_limits import LEAST_SATURATION_RATIO
from bench_core.analyze.lines import BentLine, solve_relative, zero_deviation
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.readings import Readings
from bench_core.analyze.scoring import noise_variance, t_quantile
from bench_core.model.diagnosis import NextStep, Verdict

# A full queue holds the host up for a quarter of the longest reading, or the bend is in the noise of a slow start.
_LEAST_STALL_SHARE = 0.25

# A knee open by more than a fifth tells no capacity apart from its neighbours: measure between first.
_OPEN_KNEE_FRACTION = 0.2


@dataclass(frozen=True, slots=True)
class Saturated:
    """The host enqueues freely until the queue is full, then at the device's pace."""

    def explain(self, readings: Readings) -> Candidate | None:
        """A line that bends up by at least LEAST_SATURATION_RATIO."""
        bent = readings.bent
        if bent is None or bent.slope_ratio < LEAST_SATURATION_RATIO:
            return None
        if _stall_share(bent, readings) < _LEAST_STALL_SHARE:
            return None
        return Candidate(
            Verdict.QUEUE_SATURATION,
            readings.score(bent.at(readings.epoch_count), bent.parameter_count, readings.search_nats),
            also=(Verdict.WARMUP,) if _starts_slowly(bent, readings) else (),
            findings=saturation_findings(bent, capacity_at_bend(bent)),
            evidence=_saturation_evidence(bent),
            next_step=_settle_knee(bent),
        )


def saturation_findings(bent: BentLine, capacity: Reading) -> dict[str, Any]:
    """Fields of a diagnosis that a saturated queue determines; a bracket alone where only that is known."""
    known = not bent.is_bracket
    return {
        "knee_epoch_count": bent.knee_epoch_count if known else None,
        "knee_interval": bent.knee_interval,
        "queue_capacity": capacity.value if known else None,
        "queue_capacity_interval": capacity.interval,
        "enqueue_s_per_epoch": bent.s_per_epoch_before,
        "steady_s_per_epoch": bent.s_per_epoch_after if known else None,
        "intercept_s": bent.intercept_s,
    }


def _starts_slowly(bent: BentLine, readings: Readings) -> bool:
    """Whether the intercept outweighs the epochs in the geometric middle of the first piece."""
    middle = math.sqrt(readings.epoch_count[0] * bent.knee_epoch_count)
    return bool(bent.intercept_s > bent.s_per_epoch_before * middle)


def _stall_share(bent: BentLine, readings: Readings) -> float:
    """Share of the longest reading that the host was held up."""
    last = readings.epoch_count[-1:]
    free = bent.intercept_s + bent.s_per_epoch_before * last[0]
    return float(1.0 - free / bent.at(last)[0])


def _saturation_evidence(bent: BentLine) -> dict[str, float]:
    low, high = bent.s_per_epoch_after_interval
    interval = {"steady_low_s_per_epoch": low, "steady_high_s_per_epoch": high}
    return interval | ({"slope_ratio": bent.slope_ratio} if math.isfinite(bent.slope_ratio) else {})


def _settle_knee(bent: BentLine) -> NextStep:
    low, high = bent.knee_interval
    if bent.is_bracket or high - low > _OPEN_KNEE_FRACTION * bent.knee_epoch_count:
        return next_step("measure_between", low_epoch_count=low, high_epoch_count=high, epoch_count=(low + high) / 2)
    capacity = capacity_at_bend(bent).value
    return next_step("resize_queue", queue_capacity=capacity, knee_epoch_count=bent.knee_epoch_count)


@dataclass(frozen=True, slots=True)
class AlreadySaturated:
    """Every count lies beyond the knee: the line is the device's, and it meets zero at the queue's capacity.

    A host held up at epoch K = Q / (1 - d/s) shows d K + s (N - K) = s (N - Q) from there on.
    """

    def explain(self, readings: Readings) -> Candidate | None:
        """A straight line that starts below zero, by one epoch at least."""
        if len(readings) < 3:
            return None
        columns = np.stack([np.ones(len(readings)), readings.epoch_count], axis=1)
        (intercept, slope), squares = (each[0] for each in solve_relative(columns[None], readings.seconds))
        if intercept >= 0 or slope <= 0:
            return None
        predicted = intercept + slope * readings.epoch_count
        capacity, slope = -float(intercept / slope), float(slope)
        if capacity < 1:
            return None
        variance, freedom = noise_variance(float(squares), len(readings) - 2)
        deviation_s = variance**0.5 * zero_deviation(readings.epoch_count, readings.seconds, capacity)
        spread = t_quantile(freedom) * deviation_s / slope
        first = float(readings.epoch_count[0])
        low, high = max(1.0, capacity - spread), min(first, capacity + spread)
        return Candidate(
            Verdict.QUEUE_SATURATION,
            readings.score(predicted, 2),
            findings={
                "knee_interval": (low, first),
                "queue_capacity": capacity,
                "queue_capacity_interval": (low, high),
                "steady_s_per_epoch": slope,
            },
            # The knee Q / (1 - d/s) is Q at least, whatever enqueuing costs.
            next_step=next_step(
                "measure_between", low_epoch_count=low, high_epoch_count=first, epoch_count=(low + first) / 2
            ),
        )
