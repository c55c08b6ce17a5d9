"""Explanations of a series whose calls keep a level, or change between two: healthy, elapsed, bimodal, spiky."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bench_core.analyze.next_steps import next_step
from bench_core.analyze.populations import Populations, mixed, periodic
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
        evidence: dict[str, float | str] = {"total_s": float(seconds[-1]), "s_per_call": each}
        if free:
            evidence["startup_s"] = startup
        return Body(Verdict.LINEAR, seconds * expected / increments, 1 + free, each, nats, evidence=evidence)


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
