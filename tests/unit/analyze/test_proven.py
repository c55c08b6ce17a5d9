import numpy as np
import pytest

from bench_core.analyze.diagnose import diagnose
from bench_core.model.curve import CurveKey, CurveSample, ScalingCurve
from bench_core.model.diagnosis import Verdict
from bench_core.model.proof import Proof, ProofVerdict

KEY = CurveKey("run", "cpu", "fp32", "any", "any", (), "512x784x512")


def curve(proof: ProofVerdict | None, walls_s: dict[int, float], ran_as: str | None = "fp32") -> ScalingCurve:
    """Three samples of each count, 1 % apart, with hardly anything to drain."""
    samples = tuple(
        CurveSample(count, wall * factor, 1e-5) for count, wall in walls_s.items() for factor in (0.99, 1.0, 1.01)
    )
    gathered = None if proof is None else Proof(expected_matmuls=20, ran_as=ran_as, verdict=proof)
    return ScalingCurve(samples, key=KEY, proof=gathered)


LINE = {100: 0.2, 400: 0.8, 1000: 2.0}
LEVEL = {100: 0.2, 400: 0.2, 1000: 0.2}


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        (ProofVerdict.WORK_ELIMINATED, Verdict.WORK_ELIMINATED),
        (ProofVerdict.WORK_SKIPPED, Verdict.WORK_ELIMINATED),
        (ProofVerdict.NOT_FINISHED, Verdict.UNSYNCHRONIZED),
        (ProofVerdict.IMPLAUSIBLE_RATE, Verdict.IMPLAUSIBLE_RATE),
        (ProofVerdict.WRONG_PRODUCT, Verdict.INCONCLUSIVE),
        (ProofVerdict.PROVEN, Verdict.LINEAR),
        (ProofVerdict.UNPROVEN, Verdict.LINEAR),
        (None, Verdict.LINEAR),
    ],
)
def test_a_disproof_outweighs_a_perfectly_straight_line(proof: ProofVerdict | None, expected: Verdict) -> None:
    assert diagnose(curve(proof, LINE)).verdict is expected


def test_a_level_line_is_eliminated_work_unless_the_work_is_proven() -> None:
    assert diagnose(curve(None, LEVEL)).verdict is Verdict.WORK_ELIMINATED
    assert diagnose(curve(ProofVerdict.PROVEN, LEVEL)).verdict is not Verdict.WORK_ELIMINATED


def test_two_noisy_counts_of_proven_work_are_not_eliminated_work() -> None:
    noisy = {20: 0.0363, 50: 0.0548}
    rng = np.random.default_rng(0)
    for _ in range(20):
        walls = {count: wall * float(np.exp(rng.normal(0, 0.2))) for count, wall in noisy.items()}
        assert diagnose(curve(ProofVerdict.PROVEN, walls)).verdict is not Verdict.WORK_ELIMINATED


def test_the_precision_that_ran_is_the_one_the_proof_saw() -> None:
    assert diagnose(curve(ProofVerdict.OTHER_PRECISION, LINE, ran_as="bf16")).ran_as == "bf16"
