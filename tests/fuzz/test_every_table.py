"""What holds for every table: an answer, finite numbers, and no dependence on units or order."""

import math
from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from timings import calls, sizes, totals

from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.next_steps import VALUES
from bench_core.analyze.readings import tabulate
from bench_core.model.curve import CurveKey, CurveSample, Observations, ScalingCurve, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

# Times are often equal, and one and the same number of clock ticks.
SECONDS = st.sampled_from([1e-9, 1e-3, 1.0, 2.0, 3.0]) | st.floats(1e-9, 1e6)
COUNTS = st.integers(1, 6) | st.integers(1, 10**7)
WORKS = st.builds(
    Work,
    flop_per_epoch=st.none() | st.floats(1, 1e18),
    bytes_per_epoch=st.none() | st.floats(1, 1e12),
    precision=st.sampled_from([None, "fp32", "tf32", "fp16", "bf16"]),
    gpu=st.sampled_from([None, "RTX A4000", "no such card"]),
    peak_flop_per_s=st.none() | st.floats(1e9, 1e16),
    is_synchronized=st.sampled_from([None, True, False]),
)


@st.composite
def tables(draw: st.DrawFn) -> Observations:
    counts = sorted(draw(st.sets(COUNTS, min_size=1, max_size=20)))
    seconds = draw(st.lists(SECONDS, min_size=len(counts), max_size=len(counts)))
    second = draw(st.none() | st.lists(SECONDS, min_size=len(counts), max_size=len(counts)))
    work = draw(WORKS)
    kind = draw(st.sampled_from(["epochs", "index", "size"]))
    if kind == "epochs":
        return totals(counts, seconds, second, work=work)
    if kind == "index":
        return calls(np.array(seconds), np.array(counts), second, work=work)
    return sizes(np.array(counts), np.array(seconds), second, work=work)


@st.composite
def curves(draw: st.DrawFn) -> ScalingCurve:
    """Samples as a run has them: several of a count, some drained, some traced, by clocks of any resolution."""
    samples = []
    for count in draw(st.lists(st.integers(1, 6) | st.integers(1, 400), min_size=1, max_size=8)):
        seconds, drain_s = draw(SECONDS), draw(st.none() | st.just(0.0) | SECONDS)
        unseen, held_up, times = draw(st.integers(0, count)), draw(st.integers(0, count)), draw(st.floats(0, 1000))
        calls_s = np.where(np.arange(count) < unseen, 0.0, np.where(np.arange(count) < held_up, 1.0, 1.0 + times))
        ends = np.cumsum(calls_s) * seconds / max(calls_s.sum(), 1.0)
        samples.append(CurveSample(count, seconds, drain_s, ends if draw(st.booleans()) else None))
    key = CurveKey("a-run", "cpu-async", "fp32", "none", "none", (), "8x8x8")
    return ScalingCurve(tuple(samples), draw(WORKS), draw(st.none() | st.just(key)))


def numbers(diagnosis: Diagnosis) -> list[float]:
    values = [getattr(diagnosis, each.name) for each in fields(diagnosis)]
    flat = [*diagnosis.evidence.values(), *(diagnosis.next_step.values.values() if diagnosis.next_step else ())]
    for value in values:
        flat += list(value) if isinstance(value, tuple) else [value]
    return [value for value in flat if isinstance(value, float)]


@given(tables() | curves())
def test_every_table_gets_an_answer_of_finite_numbers(table: Observations) -> None:
    diagnosis = diagnose(table)

    assert all(math.isfinite(number) for number in numbers(diagnosis))
    assert 0 <= diagnosis.confidence <= 1
    assert diagnosis.verdict not in diagnosis.also
    assert len(set(diagnosis.also)) == len(diagnosis.also)
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.kind in VALUES
    for low, high in filter(None, (diagnosis.knee_interval, diagnosis.queue_capacity_interval)):
        assert low <= high


@given(st.lists(SECONDS, min_size=4, max_size=15), st.sampled_from([1e-3, 60.0, 1e3]))
def test_the_unit_of_the_times_changes_no_verdict(seconds: list[float], factor: float) -> None:
    table, other = calls(np.array(seconds)), calls(factor * np.array(seconds))

    one, same = diagnose(table), diagnose(other)

    # A weight at the very limit may fall on either side by rounding.
    assert one.verdict is same.verdict or abs(one.confidence - same.confidence) < 1e-6


@given(st.floats(3, 1000), st.integers(60, 1800), st.floats(1e-6, 1e-2))
def test_an_exact_knee_anywhere_in_the_table_is_found(ratio: float, knee: int, enqueue_s: float) -> None:
    counts = (20, 40, 100, 200, 500, 1000, 1100, 1200, 1500, 2000, 3000)
    n = np.array(counts, float)

    diagnosis = diagnose(totals(counts, enqueue_s * (n + (ratio - 1) * np.maximum(0, n - knee))))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_interval is not None
    assert diagnosis.knee_interval[0] <= knee <= diagnosis.knee_interval[1]
    # Q = K (1 - d/s)
    assert diagnosis.queue_capacity_interval is not None
    assert diagnosis.queue_capacity_interval[0] <= knee * (1 - 1 / ratio) <= diagnosis.queue_capacity_interval[1]


@given(st.sets(COUNTS, min_size=2, max_size=8), st.sets(COUNTS, max_size=8))
def test_a_table_row_is_measured_or_fitted_never_both(sampled: set[int], wanted: set[int]) -> None:
    counts = sorted(sampled)
    curve = totals(counts, 1e-3 * np.array(counts), 2e-3 * np.array(counts))

    for point in tabulate(curve, sorted(sampled | wanted)):
        assert (point.wall_time_s is None) != (point.fitted_wall_time_s is None)
        assert (point.wall_time_s is not None) == (point.epoch_count in sampled)
