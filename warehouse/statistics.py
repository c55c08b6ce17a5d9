"""What a case's samples come to, in nanoseconds: the roll-up that answers most questions without reading a sample."""

from collections.abc import Mapping, Sequence

import numpy as np

from bench_core.model.result import Sample

QUANTILES: Mapping[str, float] = {"p05": 0.05, "p25": 0.25, "p75": 0.75, "p95": 0.95}
TIMERS = ("enqueue", "drain", "wall")


def estimate_samples(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """The samples that estimates are made from: steady and undisturbed ones.

    Where every steady sample was disturbed, all steady ones: `disturbed_count` then equals `sample_count`, and a
    marked estimate is worth more than none.
    """
    steady = tuple(sample for sample in samples if not sample.is_warmup)
    return tuple(sample for sample in steady if sample.disturbed_by is None) or steady


def summarize(samples: Sequence[Sample]) -> dict[str, int | None]:
    """Median, MAD, minimum and quantiles of each timer, by column name; every value None without samples.

    Each is rounded to whole nanoseconds, the clock's own unit.
    """
    return summarize_times({timer: [getattr(sample, f"{timer}_time_ns") for sample in samples] for timer in TIMERS})


def summarize_times(times_ns: Mapping[str, Sequence[int]]) -> dict[str, int | None]:
    """The same from the times of each timer, in nanoseconds, by its name."""
    return {name: value for timer in TIMERS for name, value in _summarize_timer(timer, times_ns[timer]).items()}


def summary_columns() -> tuple[str, ...]:
    """Names of the columns summarize fills, in order."""
    return tuple(name for timer in TIMERS for name in _columns(timer))


def _columns(timer: str) -> tuple[str, ...]:
    return tuple(f"{timer}_time_{part}_ns" for part in ("median", "mad", "min", *QUANTILES))


def _summarize_timer(timer: str, times_ns: Sequence[int]) -> dict[str, int | None]:
    if not times_ns:
        return dict.fromkeys(_columns(timer))
    values = np.asarray(times_ns, dtype=np.float64)
    median = np.median(values)
    statistics = [median, np.median(np.abs(values - median)), values.min()]
    statistics += list(np.quantile(values, list(QUANTILES.values())))
    return {name: round(float(value)) for name, value in zip(_columns(timer), statistics, strict=True)}
