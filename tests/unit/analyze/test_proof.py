from dataclasses import replace

import pytest

from bench_core.analyze.proof import judge
from bench_core.model.case import Case, DeviceRequest, Precision
from bench_core.model.mitigation import Mitigation
from bench_core.model.proof import CountMethod, Proof, ProofVerdict
from bench_core.model.result import CaseResult, Outcome, Sample
from bench_core.model.shape import Shape

# 2 * 100 * 50 * 100 = 1e6 FLOP an epoch; 10 epochs in 1 ms are 1e10 FLOP/s.
CASE = Case(DeviceRequest.parse("cpu"), Shape(100, 50, 100), Precision.FP32, Mitigation(), 10)
SAMPLE = Sample(0, 10, False, 0, enqueue_time_ns=400_000, drain_time_ns=600_000)
GOOD = Proof(
    expected_matmuls=20,
    executed_matmuls=20,
    count_method=CountMethod.PROFILER,
    finish_lag_s=0.0006,
    max_rel_error=7e-7,
    rms_rel_error=3e-7,
    checksum_rel_error=1e-9,
    ran_as="fp32",
)


def verdict(proof: Proof, case: Case = CASE, ceiling: float | None = 1.1e10, uncertainty: float = 0.05) -> ProofVerdict:
    result = CaseResult(case, Outcome.MEASURED, (SAMPLE,), proof=proof)
    judged = judge(result, ceiling_flop_per_s=ceiling, uncertainty_fraction=uncertainty).proof
    assert judged is not None
    return judged.verdict


def test_all_evidence_in_order_is_proven() -> None:
    assert verdict(GOOD) is ProofVerdict.PROVEN


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"executed_matmuls": 0}, ProofVerdict.WORK_ELIMINATED),
        ({"executed_matmuls": 1}, ProofVerdict.WORK_ELIMINATED),  # hoisted out of the loop: one of twenty ran
        ({"executed_matmuls": 18}, ProofVerdict.WORK_SKIPPED),
        ({"executed_matmuls": 40}, ProofVerdict.PROVEN),  # a split matmul may be two kernels
        ({"checksum_rel_error": 0.1}, ProofVerdict.WORK_SKIPPED),  # one of ten epochs is missing
        ({"checksum_rel_error": 0.04}, ProofVerdict.PROVEN),  # less than half an epoch
        ({"finish_lag_s": 0.006}, ProofVerdict.NOT_FINISHED),  # above 5 ms and a quarter of 1 ms
        ({"finish_lag_s": 0.004}, ProofVerdict.PROVEN),
        ({"max_rel_error": 1.4}, ProofVerdict.WRONG_PRODUCT),
        ({"ran_as": "bf16"}, ProofVerdict.OTHER_PRECISION),
        ({"ran_as": "tf32"}, ProofVerdict.OTHER_PRECISION),
    ],
)
def test_each_piece_of_evidence_decides_alone(changed: dict[str, object], expected: ProofVerdict) -> None:
    assert verdict(replace(GOOD, **changed)) is expected  # type: ignore[arg-type]


def test_a_rate_above_the_ceiling_and_its_uncertainty_is_no_measurement() -> None:
    # The rate is 1e10 FLOP/s: above 9e9 x 1.05 = 9.45e9, below 9.6e9 x 1.05 = 1.008e10.
    assert verdict(GOOD, ceiling=9e9) is ProofVerdict.IMPLAUSIBLE_RATE
    assert verdict(GOOD, ceiling=9.6e9) is ProofVerdict.PROVEN


def test_without_a_counter_checksum_and_rate_carry_the_proof() -> None:
    uncounted = replace(GOOD, executed_matmuls=None, count_method=CountMethod.NO_COUNTER)

    assert verdict(uncounted) is ProofVerdict.PROVEN
    assert verdict(replace(uncounted, checksum_rel_error=0.1)) is ProofVerdict.WORK_SKIPPED


def test_neither_counted_nor_seen_is_unproven() -> None:
    assert verdict(Proof(expected_matmuls=20)) is ProofVerdict.UNPROVEN


def test_tf32_switched_on_is_what_was_asked() -> None:
    asked = replace(CASE, mitigation=Mitigation.parse("none+tf32:on"))

    assert verdict(replace(GOOD, ran_as="tf32"), asked) is ProofVerdict.PROVEN


def test_a_case_that_was_not_measured_stays_as_it_is() -> None:
    failed = CaseResult(CASE, Outcome.CRASHED, reason="killed")

    assert judge(failed, ceiling_flop_per_s=1.0, uncertainty_fraction=0.0) is failed
