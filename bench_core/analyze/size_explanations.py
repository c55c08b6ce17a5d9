"""What may explain seconds against problem size: each explanation fits its own line and says what follows from it."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bench_core.analyze.candidate import SMALLEST_EFFECT, Candidate
from bench_core.analyze.lines import solve_relative
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.scoring import score
from bench_core.model.diagnosis import NextStep, Verdict

Array = npt.NDArray[np.float64]

# Work grows at least with the root of a size and at most with its cube (a square matmul), with a margin for devices
# that get more efficient with size.
_EXPONENTS = np.arange(0.5, 3.51, 0.125)
_MOST_EXPONENT = 3.0

# Sizes must range over a factor 4 before a level time says that the work is not what takes the time: at least four
# times the work, far from any noise.
_LEAST_RANGE = 4.0

# A crossover further than this from the sizes that were timed is a guess about sizes that were not.
_NEAR_RATIO = 4.0


class SizeExplanation(Protocol):
    """One way seconds can depend on size."""

    def explain(self, size: Array, seconds: Array) -> Candidate | None:
        """Its best fit, or None where it cannot hold."""
        ...


@dataclass(frozen=True, slots=True)
class LatencyAndWork:
    """A fixed latency and work that grows with a power of the size."""

    def explain(self, size: Array, seconds: Array) -> Candidate | None:
        """The best exponent with its latency; three sizes at least, the work seen in the last."""
        if len(size) < 3:
            return None
        latency, per_unit, exponent = _latency_and_work(size, seconds)
        # Faster than any work grows with its size: something else depends on what x is.
        if per_unit <= 0 or exponent == _EXPONENTS[-1]:
            return None
        predicted = latency + per_unit * size**exponent
        if predicted[-1] < SMALLEST_EFFECT * predicted[0]:
            return None
        crossover = (latency / per_unit) ** (1 / exponent)
        is_near = size[0] / _NEAR_RATIO <= crossover <= _NEAR_RATIO * size[-1]
        host_bound = latency > 0 and size[0] < crossover
        return Candidate(
            Verdict.SIZE_SCALING,
            score(seconds, predicted, 1 + (latency > 0), math.log(len(_EXPONENTS))),
            also=(Verdict.HOST_BOUND,) if host_bound else (),
            findings={"intercept_s": latency},
            evidence={
                "latency_s": latency,
                "size_exponent": exponent,
                "s_per_size_unit": per_unit,
                **({"crossover_size": crossover} if is_near else {}),
            },
            next_step=_enlarge(size, crossover) if host_bound and size[-1] < crossover else None,
        )


def _enlarge(size: Array, crossover: float) -> NextStep:
    """A size beyond the crossover, or, where that is a guess, a step on the way there."""
    return next_step("enlarge_work", size=10 * min(crossover, _NEAR_RATIO * float(size[-1])))


def _latency_and_work(size: Array, seconds: Array) -> tuple[float, float, float]:
    """Latency, seconds per size to the power, and the power, of least relative residuals."""
    powers = size[None, :] ** _EXPONENTS[:, None]
    both = np.stack([np.ones_like(powers), powers], axis=2)
    coefficients, squares = solve_relative(both, seconds)
    squares[(coefficients < 0).any(axis=1)] = np.inf
    alone, alone_squares = solve_relative(powers[:, :, None], seconds)
    index, alone_index = int(np.argmin(squares)), int(np.argmin(alone_squares))
    if squares[index] < alone_squares[alone_index]:
        return float(coefficients[index, 0]), float(coefficients[index, 1]), float(_EXPONENTS[index])
    return 0.0, float(alone[alone_index, 0]), float(_EXPONENTS[alone_index])


@dataclass(frozen=True, slots=True)
class LevelTime:
    """Time does not depend on the size: the host takes it, not the work."""

    is_synchronized: bool | None

    def explain(self, size: Array, seconds: Array) -> Candidate | None:
        """One level over sizes that range widely enough to tell."""
        if len(size) < 3 or size[-1] < _LEAST_RANGE * max(size[0], 1e-12):
            return None
        level = float(np.exp(np.mean(np.log(seconds))))
        waited = self.is_synchronized is True
        return Candidate(
            Verdict.UNSYNCHRONIZED if self.is_synchronized is False else Verdict.HOST_BOUND,
            score(seconds, np.full(len(size), level), 1),
            also=() if waited else (Verdict.HOST_BOUND, Verdict.UNSYNCHRONIZED),
            findings={"enqueue_s_per_epoch": level},
            evidence={"level_s": level, "size_ratio": float(size[-1] / max(size[0], 1e-12))},
            next_step=next_step("enlarge_work", size=10 * float(size[-1])) if waited else next_step("synchronize"),
        )


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Time grows with the work and then stops growing: beyond some size nobody waited for it."""

    def explain(self, size: Array, seconds: Array) -> Candidate | None:
        """A power of the size up to a level that holds over a wide range of sizes."""
        best: Candidate | None = None
        for first_level in range(1, len(size) - 1):
            found = self._from(first_level, size, seconds)
            if found is not None and (best is None or found.nats < best.nats):
                best = found
        return best

    @staticmethod
    def _from(first: int, size: Array, seconds: Array) -> Candidate | None:
        if size[0] <= 0 or size[-1] < _LEAST_RANGE * size[first]:
            return None
        level = float(np.exp(np.mean(np.log(seconds[first:]))))
        exponent, rising = _rising_to(level, first, size, seconds)
        # Faster than the cube of the size is a change of path, slower than its root no growth.
        if not float(_EXPONENTS[0]) <= exponent <= _MOST_EXPONENT:
            return None
        predicted = np.concatenate([np.minimum(rising, level), np.full(len(size) - first, level)])
        return Candidate(
            Verdict.UNSYNCHRONIZED,
            score(seconds, predicted, 2 + (first > 1), math.log(len(size) - 2)),
            findings={"enqueue_s_per_epoch": level},
            evidence={
                "level_s": level,
                "level_from_size": float(size[first]),
                "size_exponent": exponent,
                "size_ratio": float(size[-1] / size[first]),
            },
            next_step=next_step("synchronize"),
        )


def _rising_to(level: float, first: int, size: Array, seconds: Array) -> tuple[float, Array]:
    """Exponent and predictions of the sizes before the level; of a single one, as it reaches the level just then."""
    if first == 1:
        return float(np.log(level / seconds[0]) / np.log(size[1] / size[0])), seconds[:1]
    exponent, offset = np.polyfit(np.log(size[:first]), np.log(seconds[:first]), 1)
    return float(exponent), np.exp(offset + exponent * np.log(size[:first]))
