"""Ratios of interleaved pairs, with their interval: how every benchmark here states a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of paired measurements.

    Attributes:
        median: of the pairs' ratios.
        interval: 95 % interval of that median by order statistics: free of any assumption on the noise;
            NaN with fewer than six pairs.
    """

    median: float
    interval: tuple[float, float]
    pair_count: int

    def __str__(self) -> str:
        low, high = self.interval
        interval = f"95 % {low:.3f} to {high:.3f}" if low <= high else "too few for an interval"
        return f"{self.median:.3f} ({interval}, {self.pair_count} pairs)"


def paired_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Ratio:
    """The ratio of pairs measured one right after the other, so that drift of the machine cancels."""
    ratios = np.asarray(numerators) / np.asarray(denominators)
    interval = stats.quantile_test(ratios, p=0.5).confidence_interval(0.95)
    return Ratio(float(np.median(ratios)), (float(interval.low), float(interval.high)), len(ratios))
