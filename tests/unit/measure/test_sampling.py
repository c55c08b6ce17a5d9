import pytest

from bench_core.measure.worker.sampling import (
    affordable_epoch_count,
    median_interval,
    stop_reason,
    warmup_epoch_count,
    warmup_is_over,
)
from bench_core.model.case import SamplingPlan
from bench_core.model.result import StoppedBy


def test_warm_up_goes_on_while_the_cost_still_falls() -> None:
    assert not warmup_is_over([9.0, 5.0, 3.0])


def test_warm_up_ends_once_three_samples_show_no_fall() -> None:
    # 2.98 is within 5 % of the 3.0 two samples earlier.
    assert warmup_is_over([9.0, 3.0, 2.9, 2.98])


def test_warm_up_needs_three_samples_and_ends_at_twenty() -> None:
    assert not warmup_is_over([1.0, 1.0])
    assert warmup_is_over([1 / 2**step for step in range(20)])


def test_a_warm_up_sample_is_short() -> None:
    # 0.04 s / 0.004 s an epoch is 10 epochs; never more than the case has, never none.
    assert warmup_epoch_count(0.004, 100) == 10
    assert warmup_epoch_count(0.004, 7) == 7
    assert warmup_epoch_count(30.0, 100) == 1


@pytest.mark.parametrize("count", [1, 3, 5])
def test_fewer_than_six_samples_have_no_interval(count: int) -> None:
    # The widest interval, minimum to maximum, covers the median with 1 - 2 / 2**n: 93.75 % for five.
    assert median_interval([float(value) for value in range(count)]) is None


def test_the_interval_is_made_of_order_statistics() -> None:
    # Six: 1 - 2/64 = 96.9 %. Nine: leaving out one at each end covers 1 - 2 (1 + 9) / 512 = 96.1 %, two would 82 %.
    assert median_interval([5, 1, 4, 2, 6, 3]) == (1, 6)
    assert median_interval([float(value) for value in range(1, 10)]) == (2, 8)


PLAN = SamplingPlan(min_samples=3, max_samples=8, interval_fraction=0.05, budget_s=10.0)


def test_sampling_never_stops_before_its_minimum() -> None:
    assert stop_reason([100.0, 100.0], PLAN) is None


def test_sampling_stops_when_the_samples_agree() -> None:
    # The interval of six is their range, 0.02 of a median near 1.
    assert stop_reason([1.0, 1.01, 1.0, 1.02, 1.0, 1.01], PLAN) is StoppedBy.INTERVAL


def test_sampling_stops_at_its_maximum_when_they_do_not() -> None:
    assert stop_reason([0.1, 0.9] * 4, PLAN) is StoppedBy.MAX_SAMPLES


def test_a_sample_that_would_end_past_the_budget_is_not_begun() -> None:
    assert stop_reason([3.0, 3.0, 3.0], PLAN) is StoppedBy.BUDGET  # 9 s spent, the next would end at 12
    assert stop_reason([2.0, 2.0, 2.0], PLAN) is None  # 6 s spent, the next ends at 8


def test_a_case_shrinks_only_when_one_sample_would_overrun_its_budget() -> None:
    # 100 epochs of 0.1 s are just the 10 s; at 0.11 s they overrun, and 3 samples of 30 epochs fit (9.9 s).
    assert affordable_epoch_count(100, 0.1, PLAN) == 100
    assert affordable_epoch_count(100, 0.11, PLAN) == 30
    assert affordable_epoch_count(100, 60.0, PLAN) == 1
