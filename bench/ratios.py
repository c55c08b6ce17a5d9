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
        interval: 95 % interval of the mean log ratio (Student's t), as ratios.
    """

    median: float
    interval: tuple[float, float]
    pair_count: int

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.median:.3f} (95 % {low:.3f} to {high:.3f}, {self.pair_count} pairs)"


def paired_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Ratio:
    """The ratio of pairs measured one right after the other, so that drift of the machine cancels."""
    logs = np.log(np.asarray(numerators) / np.asarray(denominators))
    low, high = stats.t.interval(0.95, len(logs) - 1, loc=logs.mean(), scale=stats.sem(logs))
    return Ratio(float(np.exp(np.median(logs))), (float(np.exp(low)), float(np.exp(high))), len(logs))
