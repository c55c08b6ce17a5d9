"""Where a trace bends: the call from which the host is held up, found by the cost of single calls.

A straight-line fit to the trace itself would weigh one early stall like a thousand calls after it; the logarithm of
what a few calls cost does not care how long a stall took.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.analyze.curve_limits import LEAST_SATURATION_RATIO, MOST_WAITED_RATIO
from bench_core.analyze.transitions import step
from bench_core.model.curve import CurveSample, ScalingCurve

Array = npt.NDArray[np.float64]

# Calls whose cost is averaged: a host woken by a full queue enqueues in bursts of two or three.
_CALLS_PER_BLOCK = 4

# A trace is long enough to show both costs if a sixth of it, and five blocks, lie after the knee.
_LEAST_SHARE_AFTER = 1 / 6
_LEAST_BLOCKS = 5

_LEAST_REACH = 1.2

# What the queue holds at the end must be waited for. Other phases' costs and noise leave more than half of it; a
# synchronous device leaves nothing.
_LEAST_DRAINED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class TraceBend:
    """The knee of one trace.

    Attributes:
        knee_epoch_count: calls that were not held up.
        knee_time_s: when the last of them returned, stalls included.
        s_per_epoch_after: what a call cost from then on.
        drain_time_s: the sample's drain; None where nobody waited.
    """

    knee_epoch_count: float
    knee_time_s: float
    s_per_epoch_after: float
    drain_time_s: float | None

    @property
    def s_per_epoch_before(self) -> float:
        """What a call cost up to the knee."""
        return self.knee_time_s / self.knee_epoch_count


def saturated_bends(curve: ScalingCurve) -> list[TraceBend]:
    """The bend of every trace that shows a full queue; empty unless half of the longest traces do."""
    traces = [each for each in curve.samples if each.call_end_s is not None]
    longest = max((each.epoch_count for each in traces), default=0)
    full_length = [find_bend(each) for each in traces if each.epoch_count == longest]
    found = [bend for bend in full_length if bend is not None]
    if not found or 2 * len(found) < len(full_length):
        return []
    # A shorter trace has a knee only if it reaches well beyond the others'; what else it shows are stalls.
    enough = _LEAST_REACH * median_knee(found)
    shorter = [find_bend(each) for each in traces if enough <= each.epoch_count < longest]
    return found + [bend for bend in shorter if bend is not None]


def find_bend(sample: CurveSample) -> TraceBend | None:
    """The bend of one sample's trace; None where its calls cost the same throughout, or too few come after."""
    if sample.call_end_s is None:
        return None
    ends = sample.call_end_s[_CALLS_PER_BLOCK - 1 :: _CALLS_PER_BLOCK]
    blocks = np.diff(ends, prepend=0.0)
    change = step(np.arange(1.0, len(blocks) + 1), np.maximum(blocks, 1e-9), least_calls=_LEAST_BLOCKS)
    if change is None or len(blocks) - change.begins_at < _LEAST_SHARE_AFTER * len(blocks):
        return None
    return _checked(sample, sample.call_end_s, int(change.begins_at) * _CALLS_PER_BLOCK)


def _checked(sample: CurveSample, call_end_s: Array, knee: int) -> TraceBend | None:
    after = float(call_end_s[-1] - call_end_s[knee - 1]) / (len(call_end_s) - knee)
    bend = TraceBend(float(knee), float(call_end_s[knee - 1]), after, sample.drain_time_s)
    if after <= LEAST_SATURATION_RATIO * bend.s_per_epoch_before:
        return None
    if sample.drain_time_s is None:
        return bend
    held_s = (knee - bend.knee_time_s / after) * after
    waited_s_per_epoch = (call_end_s[-1] + sample.drain_time_s) / len(call_end_s)
    is_of_the_queue = sample.drain_time_s >= _LEAST_DRAINED_SHARE * held_s
    return bend if is_of_the_queue and waited_s_per_epoch <= MOST_WAITED_RATIO * after else None


def median_knee(bends: Sequence[TraceBend]) -> float:
    """The middle knee of several traces."""
    return float(np.median([each.knee_epoch_count for each in bends]))
