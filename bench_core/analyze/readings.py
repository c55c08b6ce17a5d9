"""What a scaling curve shows: the stopwatch's readings, the wall times, and the table of both."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bench_core.analyze.lines import BentLine, Line, fit_bent_line, fit_line
from bench_core.analyze.scoring import PRIOR_READINGS, PriorNoise, Score, score
from bench_core.analyze.thinning import even_rows
from bench_core.model.curve import CurvePoint, CurveSample, ScalingCurve

Array = npt.NDArray[np.float64]

# The counts of the question's own table.
_QUESTION_COUNTS = (100, 200, 500, 1000, 1100, 1200, 1500, 2000)

# More readings, and more samples, than this add time, not certainty.
MOST_READINGS = 256
MOST_SAMPLES = 4096

# Counts a trace is read at: half evenly spaced, half by equal factors, so that a knee at a twentieth of the trace
# still has readings on both sides.
_READINGS_PER_TRACE = 48


# The cases of a run are minutes apart, and the machine is not the same: on two cores the recorded curves differ by 5 to
# 9 % between cases that should cost alike.
_BETWEEN_CASES_NOISE = 0.08


@dataclass(frozen=True, eq=False)
class Readings:
    """Median seconds at each epoch count, counts strictly increasing; both of shape (n,).

    Attributes:
        prior: what is known of their noise beforehand.
    """

    epoch_count: Array
    seconds: Array
    prior: PriorNoise = field(default_factory=PriorNoise)

    def score(self, predicted_s: Array, parameter_count: int, choice_nats: float = 0.0) -> Score:
        """The description length of these readings under a model."""
        return score(self.seconds, predicted_s, parameter_count, choice_nats, prior=self.prior)

    @cached_property
    def bent(self) -> BentLine | None:
        """The two-piece line of least relative residuals; None with fewer than three readings."""
        return fit_bent_line(self.epoch_count, self.seconds)

    @property
    def search_nats(self) -> float:
        """Log of the gaps a knee may lie in."""
        return math.log(max(len(self) - 1, 1))

    def __len__(self) -> int:
        return len(self.epoch_count)


def bounded(curve: ScalingCurve) -> ScalingCurve:
    """The curve with at most MOST_SAMPLES of its samples, evenly chosen by epoch count."""
    if len(curve.samples) <= MOST_SAMPLES:
        return curve
    order = np.argsort([sample.epoch_count for sample in curve.samples], kind="stable")
    return replace(curve, samples=tuple(curve.samples[row] for row in order[even_rows(len(order), MOST_SAMPLES)]))


def stopwatch_readings(curve: ScalingCurve) -> Readings:
    """Enqueue time by epoch count: of whole samples, and of every trace at smaller counts."""
    grouped: dict[int, list[float]] = defaultdict(list)
    for sample in curve.samples:
        grouped[sample.epoch_count].append(sample.enqueue_time_s)
    for count in _trace_counts(curve):
        grouped[count] = [reading for each in curve.samples if (reading := enqueue_time_at(each, count)) is not None]
    return _medians(grouped, is_run=curve.key is not None)


def wall_readings(curve: ScalingCurve) -> Readings:
    """Wall time by epoch count, of drained samples only; empty where nobody waited."""
    grouped: dict[int, list[float]] = defaultdict(list)
    for sample in curve.samples:
        if sample.wall_time_s is not None:
            grouped[sample.epoch_count].append(sample.wall_time_s)
    return _medians(grouped, is_run=curve.key is not None)


def enqueue_time_at(sample: CurveSample, epoch_count: int) -> float | None:
    """What the stopwatch showed after this many calls of a sample; None where the sample cannot tell."""
    if sample.epoch_count == epoch_count:
        return sample.enqueue_time_s
    if sample.call_end_s is None or epoch_count > len(sample.call_end_s):
        return None
    return float(sample.call_end_s[epoch_count - 1])


def tabulate(curve: ScalingCurve, epoch_counts: Sequence[int] | None = None) -> tuple[CurvePoint, ...]:
    """The curve as a table: measured where a sample was drained, fitted where not, never the one for the other.

    Args:
        curve: samples with or without traces.
        epoch_counts: rows wanted; by default every sampled count and, as far as the traces reach, those of the
            question's table.
    """
    counts = sorted(set(epoch_counts)) if epoch_counts is not None else _default_counts(curve)
    wall = wall_readings(curve)
    measured = dict(zip(wall.epoch_count.tolist(), wall.seconds.tolist(), strict=True))
    line = fit_line(wall.epoch_count, wall.seconds) if len(wall) >= 2 else None
    return tuple(_point(curve, count, measured.get(count), line) for count in counts)


def _point(curve: ScalingCurve, count: int, wall_time_s: float | None, line: Line | None) -> CurvePoint:
    enqueued = [value for each in curve.samples if (value := enqueue_time_at(each, count)) is not None]
    fitted = None if line is None or wall_time_s is not None else line.intercept_s + line.s_per_epoch * count
    return CurvePoint(count, float(np.median(enqueued)) if enqueued else None, wall_time_s, fitted)


def _default_counts(curve: ScalingCurve) -> list[int]:
    longest = max((len(each.call_end_s) for each in curve.samples if each.call_end_s is not None), default=0)
    sampled = {sample.epoch_count for sample in curve.samples}
    return sorted(sampled | {count for count in _QUESTION_COUNTS if count <= longest})


def _trace_counts(curve: ScalingCurve) -> list[int]:
    longest = max((len(each.call_end_s) for each in curve.samples if each.call_end_s is not None), default=0)
    return _spread(longest).tolist() if longest else []


def _spread(length: int) -> npt.NDArray[np.int64]:
    half = min(_READINGS_PER_TRACE // 2, length)
    even = np.linspace(length / half, length, half)
    by_factor = np.geomspace(min(8, length), length, half)
    return np.unique(np.concatenate([even, by_factor]).astype(np.int64))


def _medians(grouped: dict[int, list[float]], *, is_run: bool) -> Readings:
    counts = sorted(count for count, values in grouped.items() if values)
    counts = [counts[row] for row in even_rows(len(counts), MOST_READINGS)]
    seconds = np.array([np.median(grouped[count]) for count in counts], dtype=np.float64)
    # A clock may be too coarse to see the first calls of a trace.
    is_seen = seconds > 0
    prior = _noise_of_run([grouped[count] for count in counts]) if is_run else PriorNoise()
    return Readings(np.array(counts, dtype=np.float64)[is_seen], seconds[is_seen], prior)


def _noise_of_run(groups: list[list[float]]) -> PriorNoise:
    """Noise of a run's medians: how far samples of one count lie apart, and what cases minutes apart differ by."""
    repeats = [np.log(values) for values in groups if len(values) > 1 and min(values) > 0]
    within = float(np.mean([np.var(logs, ddof=1) / len(logs) for logs in repeats])) if repeats else 0.0
    return PriorNoise((_BETWEEN_CASES_NOISE**2 + within) ** 0.5, PRIOR_READINGS + len(groups))
