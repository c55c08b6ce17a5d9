"""Straight and bent lines through readings whose noise grows with time, so that every residual is relative."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.scoring import noise_variance, t_quantile
from bench_core.model.diagnosis import Interval

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """`intercept_s + s_per_epoch * epoch_count`, neither of them negative."""

    intercept_s: float
    s_per_epoch: float

    def at(self, epoch_count: Array) -> Array:
        """Predicted seconds, same shape."""
        return self.intercept_s + self.s_per_epoch * epoch_count


def solve_relative(designs: Array, seconds: Array) -> tuple[Array, Array]:
    """Least squares of relative residuals for many designs at once.

    Args:
        designs: columns of predictors, shape (k, n, p).
        seconds: measured times, shape (n,).

    Returns:
        Coefficients (k, p), zero where they are so within rounding, and the sums of squared relative residuals
        (k,).
    """
    weighted = designs / seconds[None, :, None]
    scale = np.sqrt(np.einsum("knp,knp->kp", weighted, weighted))
    scale[scale == 0] = 1.0
    weighted = weighted / scale[:, None, :]
    normal = np.einsum("knp,knq->kpq", weighted, weighted)
    right = weighted.sum(axis=1)
    # Columns have unit length: the ridge decides only what the readings leave undecided, towards nothing.
    normal += _RIDGE * np.eye(normal.shape[-1])
    coefficients = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
    largest = np.abs(weighted).max(axis=1) * np.abs(coefficients)
    coefficients[largest < _NOTHING_FRACTION] = 0.0
    residuals = np.einsum("knp,kp->kn", weighted, coefficients) - 1.0
    return coefficients / scale, np.einsum("kn,kn->k", residuals, residuals)


def fit_line(epoch_count: Array, seconds: Array) -> Line:
    """The straight line of least relative residuals, through the origin where the intercept would be negative."""
    ones = np.ones_like(epoch_count)
    if len(epoch_count) > 1:
        (both,), _ = solve_relative(np.stack([ones, epoch_count], axis=1)[None], seconds)
        if both[0] >= 0 and both[1] >= 0:
            return Line(float(both[0]), float(both[1]))
        if both[1] < 0:
            (level,), _ = solve_relative(ones[None, :, None], seconds)
            return Line(float(level[0]), 0.0)
    (slope,), _ = solve_relative(epoch_count[None, :, None], seconds)
    return Line(0.0, float(slope[0]))


@dataclass(frozen=True, slots=True)
class BentLine:
    """Two straight pieces that meet at the knee.

    Attributes:
        knee_epoch_count: where they meet.
        knee_interval: 95 % interval by the profile of the fit; the whole gap between two readings where they leave
            it open.
        s_per_epoch_after_interval: 95 % interval of the second slope.
        is_bracket: fewer than two readings lie surely after the knee, so that it can be bracketed and no more.
    """

    intercept_s: float
    s_per_epoch_before: float
    s_per_epoch_after: float
    knee_epoch_count: float
    knee_interval: Interval
    s_per_epoch_after_interval: Interval
    is_bracket: bool

    def at(self, epoch_count: Array) -> Array:
        """Predicted seconds, same shape."""
        beyond = np.maximum(0.0, epoch_count - self.knee_epoch_count)
        rise = self.s_per_epoch_after - self.s_per_epoch_before
        return self.intercept_s + self.s_per_epoch_before * epoch_count + rise * beyond

    @property
    def parameter_count(self) -> int:
        """Numbers that were fitted: the knee, the second slope, and what of the first piece is not zero."""
        return 2 + (self.intercept_s > 0) + (self.s_per_epoch_before > 0)

    @property
    def slope_ratio(self) -> float:
        """Second slope over first; infinite where only the first piece is level, 1 where both are."""
        if self.s_per_epoch_before > 0:
            return self.s_per_epoch_after / self.s_per_epoch_before
        return float("inf") if self.s_per_epoch_after > 0 else 1.0


_RIDGE = 1e-11

# A cost that makes up less than this of every reading is what rounding left: the noise of any table is far above it.
_NOTHING_FRACTION = 1e-4

# Places the knee is tried at in every gap between readings, then again around the best: finer than the interval of
# any fit seen (3 % noise leaves 1 % of the knee open), and quick.
_TRIES_PER_GAP = 24


def fit_bent_line(epoch_count: Array, seconds: Array) -> BentLine | None:
    """The two-piece line of least relative residuals that bends upwards; None with fewer than three readings.

    Args:
        epoch_count: strictly increasing, shape (n,).
        seconds: measured times, same shape.
    """
    if len(epoch_count) < 3:
        return None
    coarse = np.concatenate(
        [np.linspace(low, high, _TRIES_PER_GAP, endpoint=False) for low, high in itertools.pairwise(epoch_count)]
    )
    best = coarse[_middle_of_least(_profile(coarse, epoch_count, seconds)[1])]
    step = np.diff(coarse).max(initial=0.0, where=np.abs(coarse[1:] - best) <= 2 * np.diff(coarse))
    knees = np.union1d(coarse, np.linspace(max(best - step, epoch_count[0]), min(best + step, coarse[-1]), 60))
    coefficients, squares = _profile(knees, epoch_count, seconds)
    index = _middle_of_least(squares)
    if not np.isfinite(squares[index]):
        return None
    return _assemble(knees, squares, coefficients[index], index, epoch_count, seconds)


def _middle_of_least(squares: Array) -> int:
    """Where squared residuals are least, within rounding; in the middle of them where the knee can lie anywhere."""
    least = np.flatnonzero(squares <= squares.min() * (1 + 1e-6) + 1e-12)
    return int(least[len(least) // 2])


def _profile(knees: Array, epoch_count: Array, seconds: Array) -> tuple[Array, Array]:
    """Best intercept, first slope and rise at every knee, shape (k, 3), and their squared residuals, (k,)."""
    n, k = len(epoch_count), len(knees)
    columns = np.empty((k, n, 3))
    columns[:, :, 0] = 1.0
    columns[:, :, 1] = epoch_count
    columns[:, :, 2] = np.maximum(0.0, epoch_count[None, :] - knees[:, None])
    coefficients = np.zeros((k, 3))
    squares = np.full(k, np.inf)
    # The free first piece, then through the origin, then level: a negative cost is no cost.
    for used in ([0, 1, 2], [1, 2], [0, 2]):
        trial, trial_squares = solve_relative(columns[:, :, used], seconds)
        better = (trial >= 0).all(axis=1) & (trial_squares < squares)
        coefficients[better] = 0.0
        coefficients[np.ix_(better, np.array(used))] = trial[better]
        squares[better] = trial_squares[better]
    return coefficients, squares


def _assemble(
    knees: Array, squares: Array, coefficients: Array, index: int, epoch_count: Array, seconds: Array
) -> BentLine:
    intercept, before, rise = (float(value) for value in coefficients)
    variance, freedom = noise_variance(float(squares[index]), len(epoch_count) - 4)
    quantile = t_quantile(freedom)
    limit = squares[index] + quantile**2 * variance
    allowed = np.flatnonzero(squares <= limit)
    after_deviation = _slope_deviation(float(knees[index]), rise, epoch_count, seconds) * variance**0.5
    after = before + rise
    begins = _first_allowed(knees, squares, limit, epoch_count)
    interval = (begins, float(knees[min(allowed[-1] + 1, len(knees) - 1)]))
    return BentLine(
        intercept_s=intercept,
        s_per_epoch_before=before,
        s_per_epoch_after=after,
        knee_epoch_count=float(knees[index]),
        knee_interval=interval,
        s_per_epoch_after_interval=(
            max(before, after - quantile * after_deviation),
            after + quantile * after_deviation,
        ),
        is_bracket=bool(np.sum(epoch_count > interval[1]) < 2),
    )


def _first_allowed(knees: Array, squares: Array, limit: float, epoch_count: Array) -> float:
    """Where the profile, a parabola near its least, comes down to the limit; an open gap begins at its reading."""
    first = int(np.argmax(squares <= limit))
    if first == 0 or knees[first] in epoch_count:
        return float(knees[first])
    outside, inside, edge = np.sqrt(np.array([squares[first - 1], squares[first], limit]) - squares.min())
    share = (edge - inside) / (outside - inside)
    return float(knees[first] - share * (knees[first] - knees[first - 1]))


def _slope_deviation(knee: float, rise: float, epoch_count: Array, seconds: Array) -> float:
    """Standard deviation of the second slope at unit relative noise, the knee's own uncertainty counted in."""
    beyond = epoch_count > knee
    jacobian = np.stack(
        [np.ones_like(epoch_count), epoch_count, np.maximum(0.0, epoch_count - knee), np.where(beyond, -rise, 0.0)],
        axis=1,
    )
    return _combination_deviation(jacobian / seconds[:, None], (0.0, 1.0, 1.0, 0.0))


def zero_deviation(epoch_count: Array, seconds: Array, zero: float) -> float:
    """Standard deviation, in seconds, of a straight line where it meets zero, at unit relative noise."""
    jacobian = np.stack([np.ones_like(epoch_count), epoch_count], axis=1)
    return _combination_deviation(jacobian / seconds[:, None], (1.0, zero))


def _combination_deviation(jacobian: Array, combination: Sequence[float]) -> float:
    scale = np.sqrt((jacobian**2).sum(axis=0))
    scale[scale == 0] = 1.0
    covariance = np.linalg.pinv((jacobian / scale).T @ (jacobian / scale), rcond=1e-11, hermitian=True)
    vector = np.asarray(combination) / scale
    return float(np.sqrt(max(vector @ covariance @ vector, 0.0)))
