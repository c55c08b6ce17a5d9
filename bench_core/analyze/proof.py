"""What the evidence of a case says: whether the device did the work, finished it, and how it was asked to."""

import statistics
from dataclasses import replace

from bench_core.model.case import Case, Precision
from bench_core.model.proof import Proof, ProofVerdict
from bench_core.model.result import CaseResult

# A drain that does not wait leaves what the queue holds: most of the wall time, and more than a quarter wherever the
# enqueueing is shorter than the work. On a loaded machine a fetch of one element comes up to 5 ms late by itself.
FINISH_LAG_S = 0.005
FINISH_LAG_FRACTION = 0.25
# A missing epoch changes a checksum of E epochs by 1/E; the same kernel on the same operands repeats to 1e-6.
MISSING_EPOCHS = 0.5
CHECKSUM_NOISE = 1e-5
# bf16 is right to 1e-2 of the terms' size; an element of another product differs by about the whole of it.
MAX_REL_ERROR = 0.1
# Fewer executed matmuls than this share of the expected: the loop was eliminated, not cut short.
ELIMINATED_FRACTION = 0.5
# Precisions at least as exact as the key: running in one of these is no cheat, only slower.
AS_EXACT = {
    Precision.FP32: {"fp32"},
    Precision.TF32: {"tf32", "fp32"},
    Precision.FP16: {"fp16"},
    Precision.BF16: {"bf16"},
}


def judge(result: CaseResult, *, ceiling_flop_per_s: float | None, uncertainty_fraction: float) -> CaseResult:
    """The result with the verdict of its proof; unchanged where nothing was measured or gathered."""
    if result.proof is None or not result.steady_samples:
        return result
    verdict = (
        _count_verdict(result.proof)
        or _finish_verdict(result)
        or _product_verdict(result.proof, result.case)
        or _rate_verdict(result, ceiling_flop_per_s, uncertainty_fraction)
        or _sufficiency_verdict(result.proof)
    )
    return replace(result, proof=replace(result.proof, verdict=verdict))


def _count_verdict(proof: Proof) -> ProofVerdict | None:
    if proof.executed_matmuls is None or proof.executed_matmuls >= proof.expected_matmuls:
        return None
    if proof.executed_matmuls < ELIMINATED_FRACTION * proof.expected_matmuls:
        return ProofVerdict.WORK_ELIMINATED
    return ProofVerdict.WORK_SKIPPED


def _finish_verdict(result: CaseResult) -> ProofVerdict | None:
    """Every epoch contributed to the checksum, and after the drain nothing was left to wait for."""
    proof, epoch_count = result.proof, result.epoch_count
    assert proof is not None
    tolerance = max(MISSING_EPOCHS / epoch_count, CHECKSUM_NOISE)
    if proof.checksum_rel_error is not None and proof.checksum_rel_error > tolerance:
        return ProofVerdict.WORK_SKIPPED
    allowed_lag_s = max(FINISH_LAG_S, FINISH_LAG_FRACTION * _median_wall_time_s(result))
    if proof.finish_lag_s is not None and proof.finish_lag_s > allowed_lag_s:
        return ProofVerdict.NOT_FINISHED
    return None


def _product_verdict(proof: Proof, case: Case) -> ProofVerdict | None:
    if proof.max_rel_error is not None and proof.max_rel_error > MAX_REL_ERROR:
        return ProofVerdict.WRONG_PRODUCT
    if proof.ran_as is not None and proof.ran_as not in AS_EXACT[_asked(case)]:
        return ProofVerdict.OTHER_PRECISION
    return None


def _rate_verdict(result: CaseResult, ceiling_flop_per_s: float | None, uncertainty: float) -> ProofVerdict | None:
    flop = result.case.flop_per_epoch * result.epoch_count
    rate = flop / _median_wall_time_s(result)
    if ceiling_flop_per_s and rate > ceiling_flop_per_s * (1 + uncertainty):
        return ProofVerdict.IMPLAUSIBLE_RATE
    return None


def _sufficiency_verdict(proof: Proof) -> ProofVerdict:
    """A count, or a value that only the last epoch can have made: without either nothing is proven."""
    has_value = proof.max_rel_error is not None and proof.finish_lag_s is not None
    is_counted = proof.executed_matmuls is not None
    return ProofVerdict.PROVEN if has_value or is_counted else ProofVerdict.UNPROVEN


def _asked(case: Case) -> Precision:
    """The precision asked for: fp32 with tf32 switched on asks for tf32."""
    return Precision.TF32 if case.mitigation.setting("tf32") == "on" else case.precision


def _median_wall_time_s(result: CaseResult) -> float:
    return statistics.median(sample.wall_time_ns for sample in result.steady_samples) / 1e9
