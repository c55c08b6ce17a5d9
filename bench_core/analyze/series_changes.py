"""Explanations of a series whose cost changes for good: warm-up, full queue, lower clock, ramp and growth."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.candidate import SMALLEST_EFFECT
from bench_core.analyze.curve_limits import LEAST_SATURATION_RATIO, most_throttle_ratio
from bench_core.analyze.lines import fit_line
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.series_levels import Body
from bench_core.analyze.transitions import Transition, decay, ramp, settling, step
from bench_core.model.diagnosis import NextStep, Verdict

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Warming:
    """Calls get cheaper until they are steady, in one step of several calls or gradually."""

    def shapes(self, index: Array, seconds: Array) -> list[Body]:
        """A step down and an exponential decay, of the seconds or their logarithm, with two calls in five steady."""
        found = [step(index, seconds, least_calls=2), settling(index, seconds), decay(index, seconds)]
        return [self._body(each, index) for each in found if each is not None and self._holds(each, index)]

    @staticmethod
    def _holds(change: Transition, index: Array) -> bool:
        return change.ratio < 1 / SMALLEST_EFFECT and bool(np.mean(index >= change.ends_at) >= 0.4)

    @staticmethod
    def _body(change: Transition, index: Array) -> Body:
        calls = float(np.sum(index < change.ends_at))
        return Body(
            Verdict.WARMUP,
            change.predicted_s,
            2,
            change.after_s,
            change.choice_nats,
            evidence={"warmup_call_count": calls},
        )


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
        return [self._body(each, index) for each in found if each is not None and SMALLEST_EFFECT <= each.ratio <= most]

    @staticmethod
    def _body(change: Transition, index: Array) -> Body:
        first_slow = change.first_changed(index)
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
                "slows_at_call": first_slow,
            },
            next_step=next_step("log_clocks", call_index=first_slow),
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
                "plateau_from_call": change.first_settled(index),
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
        growth = float(predicted_s[-1] - predicted_s[0]) / float(index[-1] - index[0])
        # The first call and the last are both calls.
        twice = 2 * (float(index[-1] - index[0]) + 1)
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
                # At this growth, for twice the calls: their mean cost is that of the middle.
                "projected_total_s": twice * (float(predicted_s[0]) + growth * (twice - 1) / 2),
                "projected_call_count": twice,
            },
            next_step=next_step("log_growth", up_to=2 * float(index[-1])),
        )
