from bench_core.model.case import Case, DeviceRequest, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import CaseResult, Outcome
from bench_core.model.shape import Shape
from flows.progress import Pace


def case(budget_s: float) -> Case:
    device = DeviceRequest.parse("cpu")
    sampling = SamplingPlan(budget_s=budget_s)
    return Case(device, Shape(1, 1, 1), Precision.FP32, Mitigation(), 1, sampling=sampling)


def test_before_the_first_case_ends_the_plan_is_the_estimate() -> None:
    pace = Pace(clock=lambda: 0.0)

    pace.start([case(10), case(30)])

    assert pace.left_s == 40


def test_the_rest_takes_as_long_for_its_share_of_the_plan_as_what_is_done() -> None:
    now = [0.0]
    pace = Pace(clock=lambda: now[0])
    pace.start([case(10), case(30)])

    now[0] = 5.0  # half of the 10 s that the plan gave the first case
    pace.end_case(CaseResult(case(10), Outcome.MEASURED))

    assert pace.left_s == 15  # half of 30 s
    assert (pace.done_count, pace.total_count, pace.failed_count) == (1, 2, 0)


def test_a_failed_case_counts_as_done_and_as_failed() -> None:
    pace = Pace(clock=lambda: 0.0)
    pace.start([case(10), case(30)])

    pace.end_case(CaseResult(case(10), Outcome.CRASHED, reason="died"))

    assert (pace.done_count, pace.failed_count) == (1, 1)
