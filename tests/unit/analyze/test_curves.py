"""Totals against epochs: each verdict from tables of its kind, and no verdict from healthy ones."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from timings import totals

from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.readings import stopwatch_readings
from bench_core.analyze.simulate import SimulatedQueue, simulate_curve
from bench_core.model.curve import CurveSample, ScalingCurve, Work
from bench_core.model.diagnosis import Verdict
from bench_core.report.language import Language
from bench_core.report.messages import evidence_rows, tell

Array = npt.NDArray[np.float64]

COUNTS = (100, 200, 500, 1000, 1100, 1200, 1500, 2000)
A4000_TERA = Work(flop_per_epoch=1e12, gpu="RTX A4000")


def share(
    verdict: Verdict,
    law: Callable[[Array], Array],
    counts: tuple[int, ...] = COUNTS,
    work: Work | None = None,
    *,
    noise: float = 0.03,
    draws: int = 100,
) -> float:
    """Share of noisy tables of this law that get the verdict."""
    rng = np.random.default_rng(20260101)
    n = np.array(counts, float)
    seen = Counter(
        diagnose(totals(counts, law(n) * np.exp(rng.normal(0, noise, len(n))), work=work)).verdict for _ in range(draws)
    )
    return seen[verdict] / draws


@pytest.mark.parametrize(
    "counts",
    [COUNTS, (1, 2, 3, 4, 5), (10, 20, 30, 40), tuple(range(100, 2100, 100)), (10, 21, 45, 97, 206, 440, 938, 2000)],
)
@pytest.mark.parametrize("startup_epochs", [0.0, 0.3])
@pytest.mark.parametrize("draws", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_a_healthy_table_is_linear_99_times_in_100_at_3_percent_noise(
    counts: tuple[int, ...], startup_epochs: float, draws: int
) -> None:
    startup_s = 0.01 * startup_epochs * counts[0]

    assert share(Verdict.LINEAR, lambda n: startup_s + 0.01 * n, counts, draws=draws) >= 0.99


def test_a_synchronous_device_with_drift_and_a_start_up_is_linear() -> None:
    # 1 % dearer every 1,000 epochs, 20 ms at the start: both under a thirtieth of the table.
    queue = SimulatedQueue(10**6, 1e-2, 1e-5, startup_s=0.02, drift_fraction=0.01)
    rng = np.random.default_rng(3)

    seen = Counter(diagnose(simulate_curve(queue, COUNTS, rng)).verdict for _ in range(40))

    assert seen == {Verdict.LINEAR: 40}


@pytest.mark.parametrize("ratio", [2.5, 5.0, 50.0, 1000.0])
def test_a_bend_of_any_size_is_a_full_queue(ratio: float) -> None:
    assert share(Verdict.QUEUE_SATURATION, lambda n: 1e-3 * (n + (ratio - 1) * np.maximum(0, n - 1040))) >= 0.99


def test_a_bend_that_a_clock_can_make_is_throttling_where_every_reading_was_waited_for() -> None:
    counts = tuple(range(100, 2100, 100))
    waited = Work(is_synchronized=True)

    assert share(Verdict.THROTTLED, lambda n: 1e-2 * (n + np.maximum(0, n - 800)), counts, waited) >= 0.9


def test_nothing_waited_for_can_be_a_full_queue() -> None:
    law = lambda n: 1e-3 * (n + 200 * np.maximum(0, n - 1040))  # noqa: E731

    assert share(Verdict.QUEUE_SATURATION, law, work=Work(is_synchronized=True)) == 0


def test_readings_beyond_the_knee_alone_give_one_bracket_and_a_count_inside_it() -> None:
    # Q = 1,024, d = 0.1 ms, s = 5 ms: the knee is at 1024 / (1 - 0.1 / 5) = 1,045, and the readings are s (N - Q).
    counts = np.arange(2000, 8001, 1000)

    diagnosis = diagnose(totals(counts, 5e-3 * (counts - 1024)))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.queue_capacity == pytest.approx(1024)
    assert diagnosis.knee_interval is not None
    low, high = diagnosis.knee_interval
    assert low < 1045 < high
    assert diagnosis.next_step is not None
    values = diagnosis.next_step.values
    assert (values["low_epoch_count"], values["high_epoch_count"]) == (low, high)
    assert low < float(values["epoch_count"]) < high


def test_the_interval_of_less_than_one_epoch_holds_it() -> None:
    # 5 ms an epoch, and the first two thirds of one hidden: a line through zero at 0.67 epochs.
    diagnosis = diagnose(totals((1, 2, 3, 4, 5), 5e-3 * (np.arange(1, 6) - 2 / 3)))

    assert diagnosis.queue_capacity_interval is not None
    low, high = diagnosis.queue_capacity_interval
    assert low <= 2 / 3 <= high


def test_a_bend_like_a_full_queue_contradicts_that_somebody_waited() -> None:
    # 2.4 ms an epoch up to 1,000, then 205 ms: 85 times, eight times more than a clock can fall.
    told = totals((100, 200, 1000, 1200, 1600, 2000), (0.24, 0.48, 2.4, 40, 122, 202), work=Work(is_synchronized=True))

    diagnosis = diagnose(told)

    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.evidence["contradicting_explanation"] == "queue_saturation"
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.kind == "synchronize"
    assert "contradicts" in tell(diagnosis).what


def test_numbers_without_a_bend_contradict_nobody() -> None:
    diagnosis = diagnose(totals([1, 2, 3, 4], [0.02, 4.2, 2.9, 3.8], work=Work(is_synchronized=True)))

    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert "contradicting_explanation" not in diagnosis.evidence


def test_a_cost_that_is_zero_within_rounding_is_zero() -> None:
    # 2 ms at any count up to 1,000, to the last digit of a clock, then 5 ms an epoch: enqueuing costs nothing seen.
    counts = np.array([100, 200, 500, 1000, 1100, 1200, 1500, 2000])
    seconds = 2e-3 + 5e-3 * np.maximum(0, counts - 1000) + 1e-9 * np.arange(8)

    diagnosis = diagnose(totals(counts, seconds))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.enqueue_s_per_epoch == 0
    assert " ns" not in str(tell(diagnosis)) + str(evidence_rows(diagnosis, Language.EN))


def test_cost_that_grows_with_every_epoch_is_named_and_projected() -> None:
    law = lambda n: 1e-2 * n + 1e-5 * n**2  # noqa: E731

    assert share(Verdict.GROWING_COST, law) >= 0.99
    exact = diagnose(totals(COUNTS, law(np.array(COUNTS, float))))
    # Twice as far: 10 ms x 4,000 + 10 us x 4,000^2 = 40 s + 160 s.
    assert exact.evidence["projected_total_s"] == pytest.approx(200, rel=0.01)
    assert exact.evidence["growth_s_per_epoch"] == pytest.approx(2e-5, rel=0.01)


def test_epochs_that_get_cheaper_for_good_are_not_called_equal() -> None:
    # From 10 ms an epoch to 3.9 ms: 100^0.66 against 1600^0.66 is 1 to 6.3.
    diagnosis = diagnose(totals((100, 200, 400, 800, 1600), (1, 1.6, 2.5, 4.0, 6.3)))

    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.evidence["epoch_exponent"] == pytest.approx(0.66, abs=0.01)
    assert diagnosis.evidence["first_s_per_epoch"] == pytest.approx(0.01, rel=0.02)
    assert diagnosis.evidence["last_s_per_epoch"] == pytest.approx(0.0039, rel=0.02)


@pytest.mark.parametrize("exponent", [0.5, 0.65, 0.8])
def test_no_table_that_bends_down_is_healthy(exponent: float) -> None:
    assert share(Verdict.LINEAR, lambda n: n**exponent, (100, 200, 400, 800, 1600, 3200)) <= 0.05


def test_a_start_up_that_outweighs_the_epochs_is_a_warm_up() -> None:
    law = lambda n: 5 + 0.01 * n  # noqa: E731

    assert share(Verdict.WARMUP, law, (1, 10, 100, 1000)) >= 0.9
    exact = diagnose(totals((1, 10, 100, 1000), law(np.array([1.0, 10, 100, 1000]))))
    assert exact.intercept_s == pytest.approx(5, rel=0.01)
    # 5 s of start-up are 500 epochs of 10 ms.
    assert exact.evidence["amortizes_over_epoch_count"] == pytest.approx(500, rel=0.01)


def test_a_start_up_that_the_epochs_outweigh_is_only_mentioned() -> None:
    diagnosis = diagnose(totals(COUNTS, 0.5 + 0.01 * np.array(COUNTS)))

    assert diagnosis.verdict is Verdict.LINEAR
    assert diagnosis.also == (Verdict.WARMUP,)


def test_time_that_does_not_grow_with_the_epochs_did_not_do_their_work() -> None:
    assert share(Verdict.WORK_ELIMINATED, lambda n: 2 + 0 * n) >= 0.95


@pytest.mark.parametrize(("is_synchronized", "also"), [(None, (Verdict.UNSYNCHRONIZED,)), (True, ())])
def test_work_that_may_be_under_way_is_not_surely_left_out(
    is_synchronized: bool | None, also: tuple[Verdict, ...]
) -> None:
    diagnosis = diagnose(totals((100, 1000, 10_000, 100_000), [1.2e-3] * 4, work=Work(is_synchronized=is_synchronized)))

    assert diagnosis.verdict is Verdict.WORK_ELIMINATED
    assert diagnosis.also == also


def test_a_rate_no_device_reaches_is_implausible() -> None:
    # 1e12 FLOP in 1 ms: 1,000 TFLOP/s on a card of at most 76.7.
    diagnosis = diagnose(totals(COUNTS, 1e-3 * np.array(COUNTS), work=A4000_TERA))

    assert diagnosis.verdict is Verdict.IMPLAUSIBLE_RATE
    assert diagnosis.also == (Verdict.UNSYNCHRONIZED,)


@pytest.mark.parametrize(
    ("is_synchronized", "verdict"), [(True, Verdict.WORK_ELIMINATED), (False, Verdict.UNSYNCHRONIZED)]
)
def test_what_an_impossible_rate_means_depends_on_who_waited(is_synchronized: bool, verdict: Verdict) -> None:
    work = Work(flop_per_epoch=1e12, gpu="RTX A4000", is_synchronized=is_synchronized)

    diagnosis = diagnose(totals(COUNTS, 1e-3 * np.array(COUNTS), work=work))

    assert diagnosis.verdict is verdict
    assert Verdict.IMPLAUSIBLE_RATE in diagnosis.also


def test_one_reading_is_enough_for_an_impossible_rate_and_for_nothing_else() -> None:
    # 2 x 4503^3 FLOP in 118 us are 1,548 TFLOP/s; the peak was 1.345.
    work = Work(flop_per_epoch=2 * 4503**3, peak_flop_per_s=1.345e12)

    assert diagnose(totals([1], [0.000118], work=work)).verdict is Verdict.IMPLAUSIBLE_RATE
    slow = diagnose(totals([1], [0.6], work=work))
    assert slow.verdict is Verdict.INCONCLUSIVE
    assert slow.next_step is not None
    assert slow.next_step.kind == "measure_more"


def test_a_synchronised_column_shows_what_the_stopwatch_missed() -> None:
    n = np.array(COUNTS, float)

    diagnosis = diagnose(totals(COUNTS, 1e-4 * n, 1e-2 * n))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    assert diagnosis.enqueue_s_per_epoch == pytest.approx(1e-4)
    assert diagnosis.steady_s_per_epoch == pytest.approx(1e-2)


def test_a_synchronised_column_that_agrees_is_linear() -> None:
    n = np.array(COUNTS, float)

    assert diagnose(totals(COUNTS, 1e-2 * n, 1.01e-2 * n)).verdict is Verdict.LINEAR


def test_a_synchronised_column_reads_the_capacity_a_second_time() -> None:
    # K = 1000 / (1 - 1/50) = 1020.4; the queue of 1,000 takes 50 s to drain at 50 ms.
    queue = SimulatedQueue(capacity=1000, enqueue_s=1e-3, device_s=5e-2, noise_fraction=0.01)

    diagnosis = diagnose(simulate_curve(queue, COUNTS, np.random.default_rng(1), is_drained=True))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.queue_capacity == pytest.approx(1000, rel=0.03)
    assert diagnosis.evidence["queue_capacity_at_end"] == pytest.approx(1000, rel=0.05)


def test_a_host_that_pays_less_than_the_device_takes_is_not_held_up_by_its_queue() -> None:
    # The stopwatch bends at 100 from 0.2 to 0.6 ms an epoch; waited for, an epoch takes 2.2 ms. What is left
    # to wait for grows on behind the bend, as no bounded queue allows.
    counts = (10, 20, 40, 60, 100, 150, 200, 300, 400, 600, 800)
    n = np.array(counts, float)

    diagnosis = diagnose(totals(counts, 2e-4 * n + 4e-4 * np.maximum(0, n - 100), 2.2e-3 * n))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    assert diagnosis.queue_capacity is None
    assert diagnosis.steady_s_per_epoch == pytest.approx(2.2e-3)


def test_nor_is_one_whose_calls_merely_become_dearer() -> None:
    # 24 calls of 0.19 ms, then 26 of 0.5 ms, and 93 ms to wait for: seen beside other work, where the queue held 64.
    ends = np.cumsum([1.9e-4] * 24 + [5e-4] * 26)
    samples = tuple(CurveSample(50, float(ends[-1]), 0.093, ends) for _ in range(3))

    diagnosis = diagnose(ScalingCurve((CurveSample(20, 3.8e-3, 0.0406), *samples)))

    assert diagnosis.verdict is not Verdict.QUEUE_SATURATION
    # 0.1106 s for 50 epochs; never the 0.5 ms that a call cost the host.
    assert diagnosis.steady_s_per_epoch in (None, pytest.approx(0.1106 / 50, rel=0.02))


@pytest.mark.parametrize(
    "finished_s",
    [
        (1.0, 1.0, 2.0, 1.0),  # 1 s for 1 and 2 epochs; beyond the knee the synchronised reading is the smaller one
        (1.0, 1.0, 1.0, 3.0),  # 1 s for 1, 2 and 3 epochs: an epoch costs nothing below the knee
        (3.0, 2.0, 1.0, 3.0),  # less than nothing
        (1.0, 1.0, 1.0, 2.0),  # nothing was left to wait for
    ],
)
def test_finished_times_that_do_not_grow_below_the_knee_read_no_capacity(finished_s: tuple[float, ...]) -> None:
    diagnosis = diagnose(totals((1, 2, 3, 4), (1.0, 1.0, 1.0, 2.0), finished_s))

    assert "queue_capacity_at_end" not in diagnosis.evidence


def test_the_interval_of_a_knee_reaches_the_places_it_was_not_tried_at() -> None:
    # 7.8 ms an epoch up to 191, then 859 ms: the fit tries 190.6 and 191.03.
    n = np.array((20, 40, 100, 200, 500, 1000, 1100, 1200, 1500, 2000, 3000), float)

    diagnosis = diagnose(totals(n, 7.8125e-3 * (n + 109 * np.maximum(0, n - 191))))

    assert diagnosis.knee_interval is not None
    assert diagnosis.knee_interval[0] <= 191 <= diagnosis.knee_interval[1]


@pytest.mark.parametrize("unit_s", [1.0, 1e-3, 60.0, 1e3])
def test_a_knee_that_can_lie_anywhere_in_a_gap_lies_in_its_middle_in_any_unit(unit_s: float) -> None:
    # One reading alone before the knee: rounding must not choose among all the places that fit.
    curve = totals((14, 19, 23, 26, 27, 31), unit_s * np.array([3.0, 6.0, 9.0, 12.0, 15.0, 18.0]))

    bent = stopwatch_readings(curve).bent

    assert bent is not None
    assert bent.knee_epoch_count == pytest.approx(16.5, abs=0.2)
    assert diagnose(curve).verdict is Verdict.INCONCLUSIVE


def test_calls_too_short_for_the_clock_are_no_readings() -> None:
    # 40 calls at the clock's zero, then 1 s each: a queue whose filling costs nothing that could be seen.
    ends = np.maximum(0.0, np.arange(1, 101) - 40)

    diagnosis = diagnose(ScalingCurve((CurveSample(100, 60.0, 40.0, ends),)))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_epoch_count == 40
    assert diagnosis.enqueue_s_per_epoch == 0
    assert "slope_ratio" not in diagnosis.evidence


def test_a_knee_that_traces_disagree_on_starts_at_one_epoch_at_least() -> None:
    samples = []
    for knee in (40, 160):
        ends = np.arange(1, 401) * 1e-3 + np.maximum(0, np.arange(1, 401) - knee)
        samples.append(CurveSample(400, float(ends[-1]), float(knee), ends))

    diagnosis = diagnose(ScalingCurve(tuple(samples)))

    # Student's t of two traces: 100 epochs by more than 100.
    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_interval is not None
    assert diagnosis.knee_interval[0] == 1


def test_short_epochs_far_below_the_peak_wait_for_the_host() -> None:
    work = Work(flop_per_epoch=2 * 64**3, gpu="RTX A4000", is_synchronized=True)

    diagnosis = diagnose(totals(COUNTS, 2e-5 * np.array(COUNTS), work=work))

    assert diagnosis.verdict is Verdict.LINEAR
    assert diagnosis.also == (Verdict.HOST_BOUND,)


def test_readings_nobody_waited_for_are_never_called_healthy() -> None:
    diagnosis = diagnose(totals(COUNTS, 2e-5 * np.array(COUNTS), work=Work(is_synchronized=False)))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    assert diagnosis.steady_s_per_epoch is None


@pytest.mark.parametrize("seconds", [[0.02, 4.2, 2.9, 3.8], [1.0, 9.0, 2.0, 30.0]])
def test_numbers_no_law_explains_stay_open(seconds: list[float]) -> None:
    diagnosis = diagnose(totals([1, 2, 3, 4], seconds))

    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.kind == "measure_more"
