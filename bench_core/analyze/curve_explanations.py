"""What may explain seconds against epochs: each explanation fits its own line and says what follows from it."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bench_core.analyze.candidate import SMALLEST_EFFECT, Candidate
from bench_core.analyze.curve_limits import LEAST_SATURATION_RATIO, most_throttle_ratio
from bench_core.analyze.lines import fit_line, solve_relative
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.readings import Readings
from bench_core.model.diagnosis import Verdict

# Twice the epochs in the same time, three times over, is no noise: it says that their work is not done.
_LEAST_RANGE = 2.0

# Totals that follow a power of the epochs under this make an epoch at least a fifth cheaper with every tenfold: no
# start-up and no noise of the public cases does that over a whole table.
_MOST_SUBLINEAR_EXPONENT = 0.9

# A cost that grows without bound soon doubles; totals that bend by less look like a clock that fell.
_LEAST_GROWTH_RATIO = 1.5


class CurveExplanation(Protocol):
    """One way seconds can depend on epochs."""

    def explain(self, readings: Readings) -> Candidate | None:
        """Its best fit, or None where it cannot hold."""
        ...


@dataclass(frozen=True, slots=True)
class Straight:
    """Every epoch costs the same: `linear`, or `warmup` where the cost at zero epochs outweighs them."""

    def explain(self, readings: Readings) -> Candidate | None:
        """The straight line; nothing below two readings, where no line can fail."""
        if len(readings) < 2:
            return None
        line = fit_line(readings.epoch_count, readings.seconds)
        if line.s_per_epoch <= 0:
            return None
        parameters = 1 + (line.intercept_s > 0)
        if parameters >= len(readings):
            return None
        fit = readings.score(line.at(readings.epoch_count), parameters)
        findings = {"steady_s_per_epoch": line.s_per_epoch, "intercept_s": line.intercept_s}
        evidence = {"amortizes_over_epoch_count": line.intercept_s / line.s_per_epoch}
        middle = math.sqrt(readings.epoch_count[0] * readings.epoch_count[-1])
        if line.at(readings.epoch_count)[-1] < SMALLEST_EFFECT * line.at(readings.epoch_count)[0]:
            return None
        # Dominant: more than half of the reading in the (geometric) middle of the table is not epochs.
        if line.intercept_s > line.s_per_epoch * middle:
            step = next_step("measure_more", reading_count=3.0, up_to=10 * line.intercept_s / line.s_per_epoch)
            return Candidate(Verdict.WARMUP, fit, findings=findings, evidence=evidence, next_step=step)
        notable = line.intercept_s > (SMALLEST_EFFECT - 1) * line.s_per_epoch * middle
        also = (Verdict.WARMUP,) if notable and _intercept_is_needed(readings, fit.nats) else ()
        return Candidate(Verdict.LINEAR, fit, also=also, findings=findings, evidence=evidence)


def _intercept_is_needed(readings: Readings, nats: float) -> bool:
    slope = solve_relative(readings.epoch_count[None, :, None], readings.seconds)[0][0, 0]
    return nats + 3.0 < readings.score(slope * readings.epoch_count, 1).nats


@dataclass(frozen=True, slots=True)
class Level:
    """Time does not grow with the epochs: whatever was timed, it was not their work."""

    is_synchronized: bool | None

    def explain(self, readings: Readings) -> Candidate | None:
        """One level for all counts, where they range widely enough to tell."""
        if len(readings) < 3 or readings.epoch_count[-1] < _LEAST_RANGE * readings.epoch_count[0]:
            return None
        level = float(np.exp(np.mean(np.log(readings.seconds))))
        fit = readings.score(np.full(len(readings), level), 1)
        count = float(readings.epoch_count[-1])
        return Candidate(
            Verdict.WORK_ELIMINATED,
            fit,
            # Work that nobody waited for may have been done later.
            also=() if self.is_synchronized else (Verdict.UNSYNCHRONIZED,),
            findings={"intercept_s": level},
            evidence={"epoch_count_ratio": count / float(readings.epoch_count[0])},
            next_step=next_step("keep_result", epoch_count=count, doubled_epoch_count=2 * count),
        )


@dataclass(frozen=True, slots=True)
class Sublinear:
    """Each epoch costs less than the one before, over the whole table: no cause here makes that, so none is named.

    A straight line through such totals leaves residuals in a row of one sign; a code length that sees only their size
    would call it noise.
    """

    def explain(self, readings: Readings) -> Candidate | None:
        """A power of the epochs, from three readings on."""
        if len(readings) < 3:
            return None
        logs = np.log(readings.epoch_count)
        exponent, level = (float(value) for value in np.polyfit(logs, np.log(readings.seconds), 1))
        predicted = np.exp(level + exponent * logs)
        if exponent > _MOST_SUBLINEAR_EXPONENT or predicted[-1] < SMALLEST_EFFECT * predicted[0]:
            return None
        first, last = (predicted[end] / readings.epoch_count[end] for end in (0, -1))
        return Candidate(
            Verdict.INCONCLUSIVE,
            readings.score(predicted, 2),
            evidence={
                "epoch_exponent": exponent,
                "first_s_per_epoch": float(first),
                "last_s_per_epoch": float(last),
            },
            next_step=next_step("synchronize"),
        )


@dataclass(frozen=True, slots=True)
class Growing:
    """Each epoch costs more than the one before, without bound: time grows with the square of the epochs."""

    def explain(self, readings: Readings) -> Candidate | None:
        """A parabola whose square term matters."""
        coefficients = _parabola(readings) if len(readings) >= 3 else None
        if coefficients is None or len(readings) <= 1 + (coefficients[0] > 0) + (coefficients[1] > 0):
            return None
        intercept, slope, growth = coefficients
        last = float(readings.epoch_count[-1])
        predicted = intercept + slope * readings.epoch_count + growth * readings.epoch_count**2
        first_cost, last_cost = slope + 2 * growth * float(readings.epoch_count[0]), slope + 2 * growth * last
        if last_cost < _LEAST_GROWTH_RATIO * first_cost or predicted[-1] < 2 * intercept:
            return None
        fit = readings.score(predicted, 1 + (intercept > 0) + (slope > 0))
        return Candidate(
            Verdict.GROWING_COST,
            fit,
            also=(Verdict.WARMUP,) if intercept > slope * readings.epoch_count[0] else (),
            findings={"intercept_s": intercept},
            evidence={
                "first_s_per_epoch": first_cost,
                "growth_s_per_epoch": 2 * growth,
                "last_s_per_epoch": last_cost,
                "projected_total_s": intercept + 2 * slope * last + 4 * growth * last**2,
                "projected_epoch_count": 2 * last,
            },
            next_step=next_step("log_growth", up_to=2 * last),
        )


def _parabola(readings: Readings) -> tuple[float, float, float] | None:
    """Non-negative intercept, slope and growth of least relative residuals; None where the square term is nothing."""
    columns = np.stack([np.ones(len(readings)), readings.epoch_count, readings.epoch_count**2], axis=1)
    best, best_squares = None, math.inf
    for used in ([0, 1, 2], [1, 2], [0, 2], [2]):
        (trial,), (squares,) = solve_relative(columns[None][:, :, used], readings.seconds)
        if (trial >= 0).all() and squares < best_squares:
            best_squares = float(squares)
            best = np.zeros(3)
            best[used] = trial
    return None if best is None or best[2] <= 0 else (float(best[0]), float(best[1]), float(best[2]))


@dataclass(frozen=True, slots=True)
class Slowed:
    """The device runs at full clock for a while and then, for good, at a lower one."""

    is_synchronized: bool | None

    def explain(self, readings: Readings) -> Candidate | None:
        """A line that bends up by no more than a clock can fall."""
        bent = readings.bent
        # Loops nobody may have waited for bend at a full queue first.
        most = most_throttle_ratio(True) if self.is_synchronized else LEAST_SATURATION_RATIO
        if bent is None or not SMALLEST_EFFECT <= bent.slope_ratio <= most:
            return None
        return Candidate(
            Verdict.THROTTLED,
            readings.score(bent.at(readings.epoch_count), bent.parameter_count, readings.search_nats),
            findings={"intercept_s": bent.intercept_s, "steady_s_per_epoch": bent.s_per_epoch_after},
            evidence={
                "s_per_epoch_before": bent.s_per_epoch_before,
                "slowdown_ratio": bent.slope_ratio,
                "slows_at_epoch_count": bent.knee_epoch_count,
            },
            next_step=next_step("log_clocks", call_index=bent.knee_epoch_count),
        )
