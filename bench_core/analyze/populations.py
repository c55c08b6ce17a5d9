"""Two populations of calls: a fast and a slow one, in no order or in a period."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

# Closer than a factor 1.5 two populations are one with noise; 2 against 3 clock ticks are that far apart, in any unit.
_LEAST_LOG_RATIO = math.log(1.5) - 1e-9

# Three fifths of the way between their medians are empty (but for 3 % of each population). Of 150 series of 12 calls at
# 30 % noise 4 are then taken for two populations, without this 12.
_LEAST_EMPTY_SHARE = 0.6
_STRAY_SHARE = 0.03

# Fewer calls than one in twenty are late readings, not a population.
_LEAST_SHARE = 0.05
_LEAST_CALLS = 3

# A spike sticks out of the calls around it by ten of their scaled median deviations.
_SPIKE_MADS = 10 * 1.4826


@dataclass(frozen=True, slots=True)
class Populations:
    """Which calls are slow, and what saying so costs.

    Attributes:
        is_slow: shape (n,).
        label_nats: code length of the labels.
        period_calls: calls from one slow stretch to the next where that is regular, else None.
    """

    is_slow: Flags
    fast_s: float
    slow_s: float
    label_nats: float
    period_calls: float | None = None

    @property
    def slow_share(self) -> float:
        """Share of slow calls."""
        return float(np.mean(self.is_slow))

    @property
    def predicted_s(self) -> Array:
        """Each call at its population's median, shape (n,)."""
        return np.where(self.is_slow, self.slow_s, self.fast_s)


def mixed(seconds: Array) -> Populations | None:
    """The best division into two levels, each call labelled; None where it is one level or one change of level."""
    if len(seconds) < 6:
        return None
    is_slow = _two_means(np.log(seconds))
    switches = int(np.sum(is_slow[1:] != is_slow[:-1]))
    if switches < 2 or min(is_slow.sum(), (~is_slow).sum()) < max(_LEAST_CALLS, _LEAST_SHARE * len(seconds)):
        return None
    return _populations(is_slow, seconds, _label_nats(is_slow, switches))


def periodic(index: Array, seconds: Array) -> Populations | None:
    """The best regular alternation of a fast and a slow stretch, seen at least three times."""
    if len(seconds) < 6:
        return None
    logs = np.log(seconds)
    best: Populations | None = None
    for is_slow in (_two_means(logs), _spikes(logs)):
        found = _regular(index, seconds, is_slow)
        if found is not None and (best is None or _misfit(found, seconds) < _misfit(best, seconds)):
            best = found
    return best


def _regular(index: Array, seconds: Array, is_slow: Flags) -> Populations | None:
    """The regular alternation that fits these labels best, by any of the distances seen between slow stretches."""
    starts = index[1:][is_slow[1:] & ~is_slow[:-1]]
    if is_slow[0]:
        starts = np.concatenate([index[:1], starts])
    if len(starts) < 3:
        return None
    distances = np.diff(starts)
    # The median, and, where stretches of the series were left out between readings, the shorter distances.
    tried = {float(value) for value in np.quantile(distances, (0.0, 0.25, 0.5), method="nearest")}
    width = max(1.0, round(float(is_slow.sum()) / len(starts)))
    found = [_alternation(index, seconds, starts, period, width) for period in tried if period >= 2 and period > width]
    return min(filter(None, found), key=lambda each: _misfit(each, seconds), default=None)


def _alternation(index: Array, seconds: Array, starts: Array, period: float, width: float) -> Populations | None:
    phase = float(np.median((starts - starts[0] + period / 2) % period)) - period / 2 + starts[0]
    regular = (index - phase) % period < width
    if not regular.any() or regular.all():
        return None
    # The period, its phase and the width of the slow stretch were searched.
    return _populations(regular, seconds, math.log(len(seconds)) + 2 * math.log(period), period)


def _populations(is_slow: Flags, seconds: Array, nats: float, period: float | None = None) -> Populations | None:
    if not _are_apart(is_slow, seconds):
        return None
    fast, slow = float(np.median(seconds[~is_slow])), float(np.median(seconds[is_slow]))
    return Populations(is_slow, fast, slow, nats, period)


def _are_apart(is_slow: Flags, seconds: Array) -> bool:
    logs = np.log(seconds)
    fast, slow = logs[~is_slow], logs[is_slow]
    empty = float(np.quantile(slow, _STRAY_SHARE) - np.quantile(fast, 1 - _STRAY_SHARE))
    between = float(np.median(slow) - np.median(fast))
    return between >= _LEAST_LOG_RATIO and empty >= _LEAST_EMPTY_SHARE * between


def _two_means(logs: Array) -> Flags:
    """Slow calls by the division of the sorted logarithms that leaves the least squares, shape (n,)."""
    ordered = np.sort(logs)
    n = len(ordered)
    sizes = np.arange(1, n)
    sums = np.cumsum(ordered)[:-1]
    explained = sums**2 / sizes + (ordered.sum() - sums) ** 2 / (n - sizes)
    is_slow: Flags = logs > ordered[int(np.argmax(explained))]
    return is_slow


def _spikes(logs: Array) -> Flags:
    middle = np.median(logs)
    deviation = np.median(np.abs(logs - middle))
    is_slow: Flags = logs > middle + max(_SPIKE_MADS * deviation, _LEAST_LOG_RATIO)
    return is_slow


def _label_nats(is_slow: Flags, switches: int) -> float:
    """The cheaper of naming each call's population and naming the calls where it switches."""
    n, share = len(is_slow), float(np.mean(is_slow))
    by_call = -n * (share * math.log(share) + (1 - share) * math.log(1 - share))
    by_switch = math.lgamma(n) - math.lgamma(switches + 1) - math.lgamma(n - switches)
    return min(by_call, by_switch)


def _misfit(populations: Populations, seconds: Array) -> float:
    return float(np.abs(np.log(seconds / populations.predicted_s)).sum())
