"""The table that began it, and what its numbers say."""

import pytest
from timings import totals

from bench_core.analyze.diagnose import diagnose
from bench_core.model.curve import Work
from bench_core.model.diagnosis import Diagnosis, Verdict

COUNTS = (100, 200, 500, 1000, 1100, 1200, 1500, 2000)
SECONDS = (1.50786, 1.76028, 1.86249, 2.42845, 16.16571, 36.60602, 99.18644, 202.15187)
WORK = Work(flop_per_epoch=2 * 60_000 * 784 * 51_200, gpu="RTX A4000")


@pytest.fixture(scope="module")
def question() -> Diagnosis:
    return diagnose(totals(COUNTS, SECONDS, work=WORK))


def test_the_queue_filled(question: Diagnosis) -> None:
    assert question.verdict is Verdict.QUEUE_SATURATION
    assert Verdict.UNSYNCHRONIZED in question.also


def test_the_knee_is_where_the_two_lines_cross(question: Diagnosis) -> None:
    # Up to 1,000: 1.47 s + 0.94 ms an epoch. From 1,100: -211.4 s + 206.8 ms an epoch. (1.47 + 211.4) / 0.20586 = 1034.
    assert question.knee_epoch_count == pytest.approx(1034, rel=0.01)


def test_the_capacity_is_the_launch_queue_of_1024_and_what_is_executing(question: Diagnosis) -> None:
    # 1034 x (1 - 0.94 / 206.8) = 1029.
    assert question.queue_capacity == pytest.approx(1029, rel=0.01)
    assert question.queue_capacity_interval is not None
    low, high = question.queue_capacity_interval
    assert low < 1024 < high
    # The interval is worth having: it tells 1,024 from a tenth more or less.
    assert high - low < 100


def test_the_device_kept_its_rate_and_ran_in_tf32(question: Diagnosis) -> None:
    assert question.steady_s_per_epoch == pytest.approx(0.2068, rel=0.002)
    # 4.817e12 FLOP / 0.2068 s; the card's fp32 peak is 19.2e12, its TF32 peak 38.3e12.
    assert question.flop_per_s == pytest.approx(23.3e12, rel=0.005)
    assert question.ran_as == "tf32"
    assert question.peak_fraction == pytest.approx(23.3 / 38.3, rel=0.01)


def test_the_reading_at_1000_would_be_1982_tera(question: Diagnosis) -> None:
    # 4.817e12 x 1000 / 2.42845 s
    assert question.evidence["apparent_flop_per_s"] == pytest.approx(1.983e15, rel=0.001)


def test_the_same_table_in_other_units_and_order_says_the_same(question: Diagnosis) -> None:
    rows = sorted(zip(COUNTS, SECONDS, strict=True), key=lambda row: -row[1])
    shuffled = diagnose(totals([count for count, _ in rows], [1000 * seconds for _, seconds in rows]))

    assert shuffled.verdict is question.verdict
    assert shuffled.queue_capacity == pytest.approx(question.queue_capacity, rel=1e-6)


def test_without_the_readings_between_1000_and_2000_the_knee_is_a_bracket() -> None:
    diagnosis = diagnose(totals(COUNTS[:4] + COUNTS[-1:], SECONDS[:4] + SECONDS[-1:]))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_epoch_count is None
    assert diagnosis.queue_capacity is None
    assert diagnosis.knee_interval is not None
    assert diagnosis.knee_interval[0] == pytest.approx(1000, abs=10)
    assert diagnosis.knee_interval[1] > 1900
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.kind == "measure_between"
    assert 1034 < diagnosis.next_step.values["epoch_count"] < 2000


def test_readings_from_beyond_the_knee_alone_still_give_the_capacity() -> None:
    # The line through them, 206.8 ms (N - Q), meets zero at Q = 1022.
    diagnosis = diagnose(totals(COUNTS[5:], SECONDS[5:]))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.queue_capacity == pytest.approx(1024, rel=0.01)
