import itertools

from bench_core.measure.plan import estimate, plan, reason_to_refuse, required_bytes
from bench_core.model.case import Case, DeviceRequest, Precision
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import Outcome
from bench_core.model.run import DeviceIdentity
from bench_core.model.shape import Shape
from bench_core.model.spec import build_spec

CPU = DeviceRequest.parse("cpu-async")
SHAPE = Shape(64, 784, 128)
SPEC = build_spec(
    {
        "epochs": [10, 20],
        "control_epochs": [50],
        "precisions": ["fp32", "bf16"],
        "mitigations": ["none", "graph_loop"],
        "budget_s": 100,
        "seed": 3,
    }
)


def test_every_point_of_the_sweep_is_planned_once() -> None:
    points = sorted(
        (case.precision, str(case.mitigation), case.epoch_count) for case in plan(SPEC, device=CPU, shape=SHAPE)
    )

    # 2 precisions x (none at 10, 20 and its own 50; graph_loop at 10 and 20).
    assert points == sorted(
        (precision, mitigation, epochs)
        for precision in ("fp32", "bf16")
        for mitigation, counts in {"none": (10, 20, 50), "graph_loop": (10, 20)}.items()
        for epochs in counts
    )


def test_the_order_is_shuffled_by_the_seed_alone() -> None:
    first = plan(SPEC, device=CPU, shape=SHAPE)
    other = plan(SPEC.model_copy(update={"seed": 4}), device=CPU, shape=SHAPE)

    assert first == plan(SPEC, device=CPU, shape=SHAPE)
    assert [case.case_id for case in first] != [case.case_id for case in other]


def test_cases_of_a_curve_stay_together() -> None:
    curves = [(case.precision, case.mitigation) for case in plan(SPEC, device=CPU, shape=SHAPE)]

    assert len([1 for before, after in itertools.pairwise(curves) if before != after]) == 3  # 4 curves


def test_the_budget_is_shared_by_epochs() -> None:
    budgets = {case.epoch_count: case.sampling.budget_s for case in plan(SPEC, device=CPU, shape=SHAPE)}

    # 2 x (10 + 20 + 50) + 2 x (10 + 20) = 220 epochs share 100 s.
    assert budgets[50] == 100 * 50 / 220


def test_the_estimate_counts_the_samples_every_case_gets() -> None:
    cases = plan(SPEC, device=CPU, shape=SHAPE)

    # 220 epochs x 3 samples x 2*64*784*128 FLOP at 1e9 FLOP/s.
    assert estimate(cases, flop_per_s=1e9).duration_s == 220 * 3 * 2 * 64 * 784 * 128 / 1e9


def case(precision: str, shape: Shape = SHAPE) -> Case:
    return Case(CPU, shape, Precision(precision), Mitigation(), 10)


def test_a_case_needs_its_operands_and_one_product() -> None:
    # (64*784 + 784*128 + 64*128) elements of 2 bytes.
    assert required_bytes(case("bf16")) == 2 * (64 * 784 + 784 * 128 + 64 * 128)


def test_a_case_that_cannot_fit_is_refused_with_the_bytes_it_needs() -> None:
    question = Shape(60_000, 784, 51_200)

    refusal = reason_to_refuse(case("fp32", question), DeviceIdentity("gpu:0", "GPU-1", "RTX 3080", 10 * 2**30))

    # 4 * (60000*784 + 784*51200 + 60000*51200) bytes.
    assert refusal is not None
    assert refusal[0] is Outcome.REFUSED
    assert "12636723200 bytes" in refusal[1]


def test_the_question_fits_the_card_it_was_asked_about() -> None:
    card = DeviceIdentity("gpu:0", "GPU-1", "RTX A4000", 16 * 2**30)

    assert reason_to_refuse(case("fp32", Shape(60_000, 784, 51_200)), card) is None


def test_tf32_is_unsupported_off_the_gpu_not_silently_fp32() -> None:
    refusal = reason_to_refuse(case("tf32"), DeviceIdentity("cpu", "CPU-1", "EPYC", 2**40))

    assert refusal is not None
    assert refusal[0] is Outcome.UNSUPPORTED
