"""What may explain one call after the other: each explanation fits its own shape and says what follows from it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bench_core.analyze.candidate import SMALLEST_EFFECT
from bench_core.analyze.curve_limits import LEAST_SATURATION_RATIO, most_throttle_ratio
from bench_core.analyze.lines import fit_line
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.populations import Populations, mixed, periodic
from bench_core.analyze.transitions import Transition, ramp, settling, step
from bench_core.model.diagnosis import NextStep, Verdict

Array = npt.NDArray[np.float64]

# Spikes are the exception: up to one call in three. More is a population of its own.
_MOST_SPIKE_SHARE = 0.34


@dataclass(frozen=True, slots=True)
class Body:
    """The shape of a series after its warm-up.

    Attributes:
        predicted_s: shape (n,).
        steady_s: what a call costs in the end; None where it never settles.
    """

    verdict: Verdict
    predicted_s: Array
    parameter_count: int
    steady_s: float | None
    choice_nats: float = 0.0
    also: tuple[Verdict, ...] = ()
    findings: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    next_step: NextStep | None = None


class SeriesExplanation(Protocol):
    """One way the cost of a call can depend on its place."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """Its best fits; empty where it cannot hold."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """Every call costs the same."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """One level, even for a single call left after the warm-up."""
        level = float(np.median(seconds))
        return [Body(Verdict.LINEAR, np.full(len(seconds), level), 1, level)]


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Times since the start, read as times of single calls: what is constant is the time from one to the next."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """Equal increments, counted from the beginning of the index or from the call before the first."""
        if len(seconds) < 4 or not np.all(np.diff(seconds) > 0):
            return []
        strides = np.diff(index)
        stride = float(strides[0]) if np.ptp(strides) == 0 else 0.0
        origins = {0.0, float(index[0]) - stride}
        bodies = [self._body(index, seconds, origin, stride) for origin in origins if origin < index[0]]
        # The first reading must be a stretch like the others, or the count did not begin where it would have to.
        return [each for each in bodies if abs(math.log(seconds[0] / each.predicted_s[0])) < math.log(1.5)]

    @staticmethod
    def _body(index: Array, seconds: Array, origin: float, stride: float) -> Body:
        """Times since `origin`; `stride` is the calls between two readings, 0 where they are not evenly spaced."""
        increments, calls = np.diff(seconds, prepend=0.0), np.diff(index, prepend=origin)
        each = float(np.median(increments[1:] / calls[1:]))
        # The first line of a log that is written every so many calls may hold a start-up of half such a stretch.
        startup = float(seconds[0] - each * calls[0])
        free = stride > 1 and 0 < startup <= 0.5 * each * stride
        expected = each * calls + (startup * (np.arange(len(index)) == 0) if free else 0.0)
        # The code length of an increment is that of its logarithm; given as a time since the start it is longer or
        # shorter by the log of their ratio.
        nats = math.log(2) + float(np.sum(np.log(increments / seconds)))
        evidence: dict[str, float | str] = {"elapsed_s": float(seconds[-1]), "s_per_call": each}
        if free:
            evidence["startup_s"] = startup
        return Body(Verdict.LINEAR, seconds * expected / increments, 1 + free, each, nats, evidence=evidence)


@dataclass(frozen=True, slots=True)
class Warming:
    """Calls get cheaper until they are steady, in one step of several calls or gradually."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A step down and an exponential decay, at least half of the calls steady."""
        found = [step(index, seconds, least_calls=2), settling(index, seconds)]
        return [self._body(each, index) for each in found if each is not None and self._holds(each, index)]

    @staticmethod
    def _holds(change: Transition, index: Array) -> bool:
        return change.ratio < 1 / SMALLEST_EFFECT and bool(np.mean(index >= change.ends_at) >= 0.4)

    @staticmethod
    def _body(change: Transition, index: Array) -> Body:
        calls = float(np.sum(index < change.ends_at))
        excess = float(np.sum(change.predicted_s - change.after_s))
        return Body(
            Verdict.WARMUP,
            change.predicted_s,
            2,
            change.after_s,
            change.choice_nats,
            findings={"intercept_s": excess},
            evidence=warmup_evidence(calls, excess, change.after_s, stages=1.0),
            next_step=next_step("skip_warmup", call_count=calls),
        )


def warmup_evidence(calls: float, excess_s: float, steady_s: float, *, stages: float) -> dict[str, float | str]:
    """What a warm-up costs: its calls, its seconds beyond the steady cost, and how many calls they amortise over."""
    return {
        "warmup_call_count": calls,
        "warmup_s": excess_s,
        "warmup_stage_count": stages,
        "amortizes_over_call_count": excess_s / steady_s,
    }


@dataclass(frozen=True, slots=True)
class Filling:
    """Calls cost what enqueuing costs until the queue is full, then what the device costs."""

    is_synchronized: bool | None

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A step up by more than a clock can fall, or, where surely nobody waited, by what a full queue costs."""
        change = step(index, seconds, least_calls=2)
        least = LEAST_SATURATION_RATIO if self.is_synchronized is False else most_throttle_ratio(None)
        if change is None or change.ratio < least:
            return []
        # Calls 0 to b are b + 1 epochs.
        first = 1.0 if index[0] == 0 else 0.0
        low, high = change.begins_at + first, change.ends_at + first
        share = 1.0 - change.before_s / change.after_s
        return [
            Body(
                Verdict.QUEUE_SATURATION,
                change.predicted_s,
                2,
                change.after_s,
                change.choice_nats,
                findings={
                    "knee_epoch_count": low if high - low <= max(1.0, 0.2 * low) else None,
                    "knee_interval": (low, high),
                    "queue_capacity": low * share if high - low <= max(1.0, 0.2 * low) else None,
                    "queue_capacity_interval": (low * share - 1.0, high),
                    "enqueue_s_per_epoch": change.before_s,
                },
                evidence={"slope_ratio": change.ratio},
                next_step=_settle(low, high, low * share),
            )
        ]


def _settle(low: float, high: float, capacity: float) -> NextStep:
    if high - low <= max(1.0, 0.2 * low):
        return next_step("resize_queue", queue_capacity=capacity, knee_epoch_count=low)
    return next_step("measure_between", low_epoch_count=low, high_epoch_count=high, epoch_count=(low + high) / 2)


@dataclass(frozen=True, slots=True)
class Throttling:
    """Full speed at first; then, at once or over some calls, a lower clock that stays."""

    is_synchronized: bool | None

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A step or a ramp between two levels whose ratio a clock can have."""
        found = [step(index, seconds, least_calls=2), ramp(index, seconds, from_start=False)]
        most = most_throttle_ratio(self.is_synchronized)
        return [self._body(each) for each in found if each is not None and SMALLEST_EFFECT <= each.ratio <= most]

    @staticmethod
    def _body(change: Transition) -> Body:
        return Body(
            Verdict.THROTTLED,
            change.predicted_s,
            2,
            change.after_s,
            change.choice_nats,
            evidence={
                "fast_s": change.before_s,
                "slow_s": change.after_s,
                "slowdown_ratio": change.ratio,
                "slows_at_call": change.begins_at,
            },
            next_step=next_step("log_clocks", call_index=change.begins_at),
        )


@dataclass(frozen=True, slots=True)
class Ramping:
    """The cost rises from the first call on and then stays: something fills or settles, nothing leaks."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A straight ramp or an exponential approach, up to a plateau that is seen."""
        found = [ramp(index, seconds, from_start=True), settling(index, seconds)]
        return [self._body(each, index) for each in found if each is not None and self._holds(each, index)]

    @staticmethod
    def _holds(change: Transition, index: Array) -> bool:
        # At least three calls on the way, else it is a slow first call's opposite: noise.
        return change.ratio >= SMALLEST_EFFECT and int(np.sum(index < change.ends_at)) >= 3

    @staticmethod
    def _body(change: Transition, index: Array) -> Body:
        return Body(
            Verdict.RAMP_THEN_PLATEAU,
            change.predicted_s,
            2,
            change.after_s,
            change.choice_nats,
            evidence={
                "first_s": change.before_s,
                "plateau_s": change.after_s,
                "rise_ratio": change.ratio,
                "plateau_from_call": change.ends_at,
            },
            next_step=next_step("log_growth", up_to=2 * float(index[-1])),
        )


@dataclass(frozen=True, slots=True)
class Growth:
    """Each call costs more than the one before, without bound."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """Cost rising by as much, or by the same factor, with every call."""
        if len(seconds) < 3:
            return []
        calls = index - index[0]
        slope, level = np.polyfit(calls, np.log(seconds), 1)
        shapes = (fit_line(calls, seconds).at(calls), np.exp(level + slope * calls))
        return [self._body(index, shape) for shape in shapes if 0 < SMALLEST_EFFECT * shape[0] <= shape[-1]]

    @staticmethod
    def _body(index: Array, predicted_s: Array) -> Body:
        calls = float(index[-1] - index[0])
        growth = float(predicted_s[-1] - predicted_s[0]) / calls
        return Body(
            Verdict.GROWING_COST,
            predicted_s,
            2,
            None,
            math.log(2),
            evidence={
                "first_s": float(predicted_s[0]),
                "last_s": float(predicted_s[-1]),
                "growth_s_per_call": growth,
                # At this growth, up to twice the calls: their mean cost is the last one's.
                "projected_total_s": 2 * calls * float(predicted_s[0] + growth * calls),
                "projected_call_count": 2 * calls,
            },
            next_step=next_step("log_growth", up_to=2 * float(index[-1])),
        )


@dataclass(frozen=True, slots=True)
class TwoPopulations:
    """Calls of two kinds: `periodic_spikes` where slow ones are rare and regular, else `bimodal`."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A labelled mixture and a regular alternation."""
        regular, irregular = periodic(index, seconds), mixed(seconds)
        if regular is None:
            return [] if irregular is None else [self._body(irregular)]
        # The same calls named one by one say less than the rule that names them.
        told = irregular is None or np.array_equal(regular.is_slow, irregular.is_slow)
        bodies = [self._body(regular), self._uneven(self._body(regular), regular, seconds)]
        return bodies if told or irregular is None else [*bodies, self._body(irregular)]

    @staticmethod
    def _uneven(body: Body, populations: Populations, seconds: Array) -> Body:
        """The same with a height of its own for every slow call."""
        predicted = np.where(populations.is_slow, seconds, body.predicted_s)
        return replace(body, predicted_s=predicted, parameter_count=1 + int(populations.is_slow.sum()))

    @staticmethod
    def _body(populations: Populations) -> Body:
        evidence: dict[str, float | str] = {
            "fast_s": populations.fast_s,
            "slow_s": populations.slow_s,
            "slow_share_fraction": populations.slow_share,
        }
        are_spikes = populations.period_calls is not None and populations.slow_share <= _MOST_SPIKE_SHARE
        step = next_step("label_calls", fast_s=populations.fast_s, slow_s=populations.slow_s)
        if populations.period_calls is not None:
            evidence["period_calls"] = populations.period_calls
            step = next_step("find_period", period_calls=populations.period_calls)
        return Body(
            Verdict.PERIODIC_SPIKES if are_spikes else Verdict.BIMODAL,
            populations.predicted_s,
            2,
            populations.fast_s if are_spikes else None,
            populations.label_nats,
            evidence=evidence,
            next_step=step,
        )
