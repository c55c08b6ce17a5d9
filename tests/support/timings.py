"""Tables of timings, built the way a test reads best."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench_core.model.curve import CallSeries, CurveKey, CurveSample, ScalingCurve, SizeSweep, Work

Array = npt.NDArray[np.float64]


def totals(
    epoch_counts: Sequence[float],
    seconds: Sequence[float] | Array,
    synchronized_s: Sequence[float] | Array | None = None,
    *,
    work: Work | None = None,
) -> ScalingCurve:
    """Separate loops, as a person pastes them."""
    drains = (
        [None] * len(seconds)
        if synchronized_s is None
        else [w - s for s, w in zip(seconds, synchronized_s, strict=True)]
    )
    samples = tuple(
        CurveSample(int(count), float(shown), None if drain is None else float(drain))
        for count, shown, drain in zip(epoch_counts, seconds, drains, strict=True)
    )
    return ScalingCurve(samples, work or Work())


def calls(
    seconds: Sequence[float] | Array,
    index: Sequence[float] | Array | None = None,
    synchronized_s: Sequence[float] | Array | None = None,
    *,
    work: Work | None = None,
) -> CallSeries:
    """One call after the other, from call 1 unless told otherwise."""
    places = np.arange(1.0, len(seconds) + 1) if index is None else np.asarray(index, float)
    waited = None if synchronized_s is None else np.asarray(synchronized_s, float)
    return CallSeries(places, np.asarray(seconds, float), waited, work or Work())


def sizes(
    size: Sequence[float] | Array,
    seconds: Sequence[float] | Array,
    synchronized_s: Sequence[float] | Array | None = None,
    *,
    work: Work | None = None,
    is_second_synchronized: bool = True,
) -> SizeSweep:
    """Seconds per call at each size."""
    waited = None if synchronized_s is None else np.asarray(synchronized_s, float)
    return SizeSweep(
        np.asarray(size, float), np.asarray(seconds, float), waited, work or Work(), is_second_synchronized
    )


def measured(path: Path, *, work: Work | None = None) -> ScalingCurve:
    """A curve recorded on a 2-core machine: epoch_count, enqueue_time_s, drain_time_s, and the calls' microseconds."""
    with np.load(path) as recorded:
        arrays = dict(recorded)
    counts = arrays["epoch_count"]
    traces: list[Array | None] = [None] * len(counts)
    if "call_us" in arrays:
        pieces = np.split(arrays["call_us"].astype(np.int64), np.cumsum(counts)[:-1])
        traces = [np.cumsum(piece) / 1e6 for piece in pieces]
    samples = tuple(
        CurveSample(int(count), float(enqueue), float(drain), trace)
        for count, enqueue, drain, trace in zip(
            counts, arrays["enqueue_time_s"], arrays["drain_time_s"], traces, strict=True
        )
    )
    key = CurveKey("a-run", "cpu-async", "fp32", "none", "none", (), "256x784x512")
    return ScalingCurve(samples, work or Work(), key)
