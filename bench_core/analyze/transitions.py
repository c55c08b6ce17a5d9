"""Shapes a series of calls can take on its way from one level to another, fitted to the logarithm of its times.

Every shape is a weight between 0 (the level before) and 1 (the level after) for each call, so that one fit of two
levels serves steps, ramps and decays alike. A cost that wears off decays in seconds, not in their logarithm.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.lines import solve_relative

Array = npt.NDArray[np.float64]

# Places a ramp is tried to begin or end at; finer changes no verdict.
_TRIES = 24

# Time constants a decay is tried with, 8 % apart over 40 calls: an excess of fifty levels shows less than that.
_DECAY_TRIES = 48


@dataclass(frozen=True, slots=True)
class Transition:
    """Two levels and how one becomes the other.

    Attributes:
        begins_at: last index surely at the first level.
        ends_at: first index surely at the second level.
        choice_nats: log of the number of shapes tried.
    """

    predicted_s: Array
    before_s: float
    after_s: float
    begins_at: float
    ends_at: float
    choice_nats: float

    @property
    def ratio(self) -> float:
        """Level after over level before; 2 against 5 clock ticks are 2.5 in any unit, whatever rounding leaves."""
        return round(self.after_s / self.before_s, 9)

    def first_changed(self, index: Array) -> float:
        """The first call that is no longer at the first level, by its own number."""
        return float(index[min(int(np.searchsorted(index, self.begins_at, side="right")), len(index) - 1)])

    def first_settled(self, index: Array) -> float:
        """The first call at the second level, by its own number: a decay settles between two calls."""
        return float(index[min(int(np.searchsorted(index, self.ends_at)), len(index) - 1)])


def step(index: Array, seconds: Array, *, least_calls: int) -> Transition | None:
    """The best sudden change with at least so many calls on either side."""
    n = len(index)
    if n < 2 * least_calls:
        return None
    logs = np.log(seconds)
    before = np.arange(least_calls, n - least_calls + 1)
    sums = np.cumsum(logs)
    # Least squares within two groups is the largest squared sum over size.
    explained = sums[before - 1] ** 2 / before + (sums[-1] - sums[before - 1]) ** 2 / (n - before)
    split = int(before[np.argmax(explained)])
    low, high = float(np.median(logs[:split])), float(np.median(logs[split:]))
    predicted = np.exp(np.where(np.arange(n) < split, low, high))
    return Transition(
        predicted, math.exp(low), math.exp(high), float(index[split - 1]), float(index[split]), math.log(len(before))
    )


def ramp(index: Array, seconds: Array, *, from_start: bool) -> Transition | None:
    """The best straight ramp of the logarithm, from the first call on or after a level of at least two calls."""
    n = len(index)
    if n < 5:
        return None
    places = np.unique(np.linspace(0, n - 1, min(_TRIES, n)).astype(int))
    least = 3 if from_start else 2
    starts = np.array([0]) if from_start else places[places >= 1]
    pairs = [(a, b) for a in starts for b in places if b >= a + 2 and n - b >= max(least, 0.3 * n * from_start)]
    if not pairs:
        return None
    begins, ends = index[np.array(pairs)].T
    weights = np.clip((index[None, :] - begins[:, None]) / (ends - begins)[:, None], 0.0, 1.0)
    return _best(weights, seconds, begins, ends)


def settling(index: Array, seconds: Array) -> Transition | None:
    """The best exponential approach to a level, most of it over within the series."""
    if len(index) < 5:
        return None
    constants, shapes = _exponentials(index, _TRIES)
    return _best(1.0 - shapes, seconds, np.full(_TRIES, index[0]), index[0] + 3 * constants)


def decay(index: Array, seconds: Array) -> Transition | None:
    """The best level with an excess above it that falls off exponentially, three time constants of it seen at least."""
    if len(index) < 5:
        return None
    constants, shapes = _exponentials(index, _DECAY_TRIES)
    coefficients, squares = solve_relative(np.stack([np.ones_like(shapes), shapes], axis=2), seconds)
    squares[(coefficients <= 0).any(axis=1)] = np.inf
    best = int(np.argmin(squares))
    if not np.isfinite(squares[best]):
        return None
    level, excess = (float(value) for value in coefficients[best])
    return Transition(
        level + excess * shapes[best],
        level + excess,
        level,
        float(index[0]),
        float(index[0] + 3 * constants[best]),
        math.log(_DECAY_TRIES),
    )


def _exponentials(index: Array, tries: int) -> tuple[Array, Array]:
    """Time constants (tries,) and what each leaves of 1 at every index (tries, n)."""
    span = index[-1] - index[0]
    # Up to a quarter of the span: three time constants, 95 % of the way, are then seen.
    constants = np.geomspace(span / (4 * len(index)), span / 4, tries)
    return constants, np.exp(-(index[None, :] - index[0]) / constants[:, None])


def _best(weights: Array, seconds: Array, begins: Array, ends: Array) -> Transition | None:
    """The shape whose two levels leave the least squares; weights of shape (k, n)."""
    logs = np.log(seconds)
    first, second = 1.0 - weights, weights
    aa, ab, bb = (first**2).sum(1), (first * second).sum(1), (second**2).sum(1)
    ya, yb = first @ logs, second @ logs
    determinant = np.maximum(aa * bb - ab**2, 1e-300)
    low, high = (bb * ya - ab * yb) / determinant, (aa * yb - ab * ya) / determinant
    squares = ((logs - low[:, None] * first - high[:, None] * second) ** 2).sum(1)
    best = int(np.argmin(squares))
    predicted = np.exp(low[best] * first[best] + high[best] * second[best])
    if not np.all(np.isfinite(predicted)):
        return None
    return Transition(
        predicted,
        math.exp(low[best]),
        math.exp(high[best]),
        float(begins[best]),
        float(ends[best]),
        math.log(len(weights)),
    )
