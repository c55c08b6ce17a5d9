"""Warm-up until no trend is left, then samples until they agree or the budget is spent."""

import math
import statistics
from collections.abc import Sequence

from bench_core.model.case import SamplingPlan
from bench_core.model.result import StoppedBy

# A warm-up sample is short: it shows the trend of the cost per epoch without costing a whole sample. With up to 25
# epochs the first sample after it was no nearer to the later ones (docs/method.md, "Warm-up").
WARMUP_MAX_EPOCHS = 10
WARMUP_SAMPLE_S = 0.04
WARMUP_MIN_SAMPLES = 3
WARMUP_MAX_SAMPLES = 20
# Three samples in a row that do not fall by more than this show no trend: half of all quiet samples lie within it of
# those before them (docs/method.md, "Warm-up").
WARMUP_TREND_FRACTION = 0.05


def warmup_is_over(s_per_epoch: Sequence[float]) -> bool:
    """Whether the cost per epoch has stopped falling."""
    count = len(s_per_epoch)
    if count < WARMUP_MIN_SAMPLES:
        return False
    return count >= WARMUP_MAX_SAMPLES or s_per_epoch[-1] >= (1 - WARMUP_TREND_FRACTION) * s_per_epoch[-3]


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The order statistics that enclose the median with at least 95 % confidence, or None for fewer than six values.

    Distribution-free: the number of values below the median is binomial(n, 1/2).
    """
    ordered, count = sorted(values), len(values)
    for low in range((count - 1) // 2, -1, -1):
        outside = sum(math.comb(count, below) for below in range(low + 1)) / 2 ** (count - 1)
        if outside <= 0.05:
            return ordered[low], ordered[count - 1 - low]
    return None


def stop_reason(wall_time_s: Sequence[float], plan: SamplingPlan) -> StoppedBy | None:
    """Why sampling ends here, or None while more samples are wanted."""
    if len(wall_time_s) < plan.min_samples:
        return None
    interval = median_interval(wall_time_s)
    if interval and interval[1] - interval[0] <= plan.interval_fraction * statistics.median(wall_time_s):
        return StoppedBy.INTERVAL
    if len(wall_time_s) >= plan.max_samples:
        return StoppedBy.MAX_SAMPLES
    # A sample that would end past the budget is not begun.
    if sum(wall_time_s) + statistics.median(wall_time_s) > plan.budget_s:
        return StoppedBy.BUDGET
    return None


def warmup_epoch_count(one_epoch_s: float, epoch_count: int) -> int:
    """Epochs of a warm-up sample, given what a single epoch takes."""
    return max(1, min(WARMUP_MAX_EPOCHS, epoch_count, int(WARMUP_SAMPLE_S / one_epoch_s)))


def affordable_epoch_count(epoch_count: int, s_per_epoch: float, plan: SamplingPlan) -> int:
    """The epochs of a sample: all of them, unless a single sample would overrun the budget of the whole case."""
    if epoch_count * s_per_epoch <= plan.budget_s:
        return epoch_count
    return max(1, int(plan.budget_s / (plan.min_samples * s_per_epoch)))
