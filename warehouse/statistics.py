"""What a case's samples come to, in nanoseconds: the roll-up that answers most questions without reading a sample."""

from collections.abc import Mapping, Sequence

import numpy as np

from bench_core.model.result import Sample

QUANTILES: Mapping[str, float] = {"p05": 0.05, "p25": 0.25, "p75": 0.75, "p95": 0.95}
TIMERS = ("enqueue", "drain", "wall")


def summarize(samples: Sequence[Sample]) -> dict[str, int | None]:
    """Median, MAD, minimum and quantiles of each timer, by column name; every value None without samples.

    Each is rounded to whole nanoseconds, the clock's own unit.
    """
    return {
        name: value
        for timer in TIMERS
        for name, value in _summarize_timer(timer, [getattr(sample, f"{timer}_time_ns") for sample in samples]).items()
    }


def summary_columns() -> tuple[str, ...]:
    """Names of the columns summarize fills, in order."""
    return tuple(f"{timer}_time_{part}_ns" for timer in TIMERS for part in ("median", "mad", "min", *QUANTILES))


def _summarize_timer(timer: str, times_ns: Sequence[int]) -> dict[str, int | None]:
    names = [name for name in summary_columns() if name.startswith(timer)]
    if not times_ns:
        return dict.fromkeys(names)
    values = np.asarray(times_ns, dtype=np.float64)
    median = np.median(values)
    statistics = [median, np.median(np.abs(values - median)), values.min()]
    statistics += list(np.quantile(values, list(QUANTILES.values())))
    return {name: round(float(value)) for name, value in zip(names, statistics, strict=True)}
