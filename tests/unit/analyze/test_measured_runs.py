"""Curves recorded from TensorFlow on a loaded 2-core machine, in tests/unit/analyze/traces.

cpu_async_Q: a Python loop of matmuls into TensorFlow's asynchronous executor with a limit of Q epochs, three samples
each at 100, 400, 1,000 and 2,000 epochs, all drained. The analysis sees the times and never the limit.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from timings import measured

from bench_core.analyze.bends import find_bend
from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.readings import tabulate
from bench_core.model.curve import CurveKey, CurveSample, ScalingCurve, Work
from bench_core.model.diagnosis import Verdict

TRACES = Path(__file__).parent / "traces"
FLOP = 2 * 256 * 784 * 512
# The best synchronised rate found on that machine was about 95 GFLOP/s.
WORK = Work(flop_per_epoch=FLOP, precision="fp32", ceiling_flop_per_s=95e9, ceiling_uncertainty_fraction=0.05)


def recorded(name: str) -> ScalingCurve:
    return measured(TRACES / f"{name}.npz", work=WORK)


# The cost while enqueuing was estimated on four of the curves; those with 300 and 800 were recorded afterwards.
@pytest.mark.parametrize("capacity", [120, 256, 600, 1024, 300, 800])
def test_the_capacity_is_found_within_a_tenth_and_within_its_interval(capacity: int) -> None:
    curve = measured(TRACES / f"cpu_async_{capacity}.npz")

    diagnosis = diagnose(curve)

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.queue_capacity == pytest.approx(capacity, rel=0.1)
    assert diagnosis.queue_capacity_interval is not None
    low, high = diagnosis.queue_capacity_interval
    assert low <= capacity <= high
    assert diagnosis.evidence["capacity_readings_agree"] == 1.0


def test_both_readings_of_the_capacity_are_given() -> None:
    evidence = diagnose(recorded("cpu_async_600")).evidence

    assert evidence["queue_capacity_at_bend"] == pytest.approx(600, rel=0.1)
    assert evidence["queue_capacity_at_end"] == pytest.approx(600, rel=0.1)


def test_the_device_costs_the_same_before_and_after_the_knee() -> None:
    curve = recorded("cpu_async_600")

    diagnosis = diagnose(curve)

    # Every drained sample took about 2.2 ms an epoch, whatever the stopwatch showed.
    walls = [sample.wall_time_s / sample.epoch_count for sample in curve.samples if sample.wall_time_s]
    assert diagnosis.steady_s_per_epoch == pytest.approx(float(np.median(walls)), rel=0.1)


def test_a_synchronous_device_is_linear() -> None:
    diagnosis = diagnose(recorded("cpu"))

    assert diagnosis.verdict is Verdict.LINEAR
    assert diagnosis.knee_epoch_count is None
    assert diagnosis.also == ()


@pytest.mark.parametrize("mitigation", ["graph_loop", "none", "anything"])
def test_an_eliminated_loop_is_found_by_its_times_under_any_name(mitigation: str) -> None:
    curve = recorded("cpu_async_graph_loop")
    named = replace(curve, key=CurveKey("a-run", "cpu-async", "fp32", mitigation, mitigation, (), "256x784x512"))

    diagnosis = diagnose(named)

    assert diagnosis.verdict is Verdict.WORK_ELIMINATED
    assert Verdict.IMPLAUSIBLE_RATE in diagnosis.also


def test_an_eliminated_loop_is_found_without_a_ceiling_because_its_time_does_not_grow() -> None:
    diagnosis = diagnose(replace(recorded("cpu_async_graph_loop"), work=Work()))

    assert diagnosis.verdict is Verdict.WORK_ELIMINATED


def test_a_loop_that_does_its_work_is_linear() -> None:
    diagnosis = diagnose(recorded("cpu_async_graph_loop_kept"))

    assert diagnosis.verdict is Verdict.LINEAR
    # One call a sample: the stopwatch alone would have missed it all.
    assert diagnosis.also == (Verdict.UNSYNCHRONIZED,)


def test_a_pipelined_rate_a_little_above_the_synchronised_ceiling_is_no_missing_work() -> None:
    curve = recorded("cpu_async_graph_loop_kept")
    rate = diagnose(curve).flop_per_s
    assert rate is not None

    diagnosis = diagnose(replace(curve, work=replace(WORK, ceiling_flop_per_s=rate / 1.2)))

    assert diagnosis.verdict is Verdict.LINEAR


def test_a_stall_before_the_knee_does_not_move_it() -> None:
    sample = next(each for each in recorded("cpu_async_600").samples if each.epoch_count == 2000)
    assert sample.call_end_s is not None
    stalled = sample.call_end_s.copy()
    # Another process takes the host's core for 50 ms at call 100; the device meanwhile does 22 epochs of its queue.
    stalled[100:] += 0.05

    quiet, late = find_bend(sample), find_bend(replace(sample, call_end_s=stalled))

    assert quiet is not None
    assert late is not None
    assert late.knee_epoch_count == pytest.approx(quiet.knee_epoch_count, rel=0.02)


def test_a_knee_without_a_drain_is_no_full_queue() -> None:
    sample = next(each for each in recorded("cpu_async_600").samples if each.epoch_count == 2000)

    assert find_bend(sample) is not None
    assert find_bend(replace(sample, drain_time_s=0.0)) is None


def test_cases_minutes_apart_on_a_busy_machine_stay_linear() -> None:
    # Cases differ by 8 %, samples of one case by 5 %; a fixed ceiling of 110 GFLOP/s, 100 GFLOP/s of work.
    rng = np.random.default_rng(8)
    work = Work(flop_per_epoch=2e8, ceiling_flop_per_s=1.1e11, ceiling_uncertainty_fraction=0.05)
    key = CurveKey("a-run", "cpu", "fp32", "none", "none", (), "256x784x512")
    for _ in range(40):
        samples = []
        for count in (100, 400, 1000, 2000):
            case_s = 2e-3 * np.exp(rng.normal(0, 0.08))
            for _ in range(3):
                trace = np.cumsum(case_s * np.exp(rng.normal(0, 0.05)) * rng.gamma(4, 0.25, count))
                samples.append(CurveSample(count, float(trace[-1]), 1e-5, trace))

        assert diagnose(ScalingCurve(tuple(samples), work, key)).verdict is Verdict.LINEAR


def test_the_table_keeps_measured_and_fitted_apart() -> None:
    points = {point.epoch_count: point for point in tabulate(recorded("cpu_async_600"))}

    assert set(points) == {100, 200, 400, 500, 1000, 1100, 1200, 1500, 2000}
    assert points[1000].wall_time_s is not None
    assert points[1000].fitted_wall_time_s is None
    assert points[1200].wall_time_s is None
    # 2.2 ms an epoch
    assert points[1200].fitted_wall_time_s == pytest.approx(1200 * 2.2e-3, rel=0.1)
    # A trace says what the stopwatch showed after 200 calls: below the knee, a tenth of the wall time.
    assert points[200].enqueue_time_s == pytest.approx(0.06, rel=0.5)
