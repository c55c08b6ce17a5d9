from dataclasses import replace

import numpy as np
import pytest

from bench_core.analyze.effects import EffectVerdict, mitigation_effects
from bench_core.model.curve import CurveKey, CurveSample, ScalingCurve
from bench_core.model.hypothesis import MitigationEffect
from bench_core.model.proof import Proof, ProofVerdict

COUNTS = (100, 400)


def curve(
    mitigation: str,
    s_per_epoch: float,
    *,
    shown: float = 0.1,
    proof: ProofVerdict | None = ProofVerdict.PROVEN,
    noise: float = 0.005,
    counts: tuple[int, ...] = COUNTS,
) -> ScalingCurve:
    """Five samples of every count; `shown` is the share of the wall time that is enqueueing."""
    rng = np.random.default_rng(len(mitigation))
    samples = []
    for count in counts:
        for factor in np.exp(rng.normal(0.0, noise, 5)):
            wall = count * s_per_epoch * factor
            samples.append(CurveSample(count, wall * shown, wall * (1 - shown)))
    key = CurveKey("run", "cpu-async", "fp32", mitigation, mitigation, (), "512x784x512")
    gathered = None if proof is None else Proof(expected_matmuls=20, verdict=proof)
    return ScalingCurve(tuple(samples), key=key, proof=gathered)


CONTROL = curve("none", 2e-3)


def effect(mitigated: ScalingCurve, control: ScalingCurve = CONTROL) -> MitigationEffect:
    (found,) = mitigation_effects([control, mitigated])
    return found


@pytest.mark.parametrize(
    ("s_per_epoch", "expected"),
    [(1e-3, EffectVerdict.FASTER), (3e-3, EffectVerdict.SLOWER), (2e-3, EffectVerdict.NO_EFFECT)],
)
def test_the_true_cost_of_an_epoch_decides(s_per_epoch: float, expected: EffectVerdict) -> None:
    found = effect(curve("graph_loop_kept", s_per_epoch))

    assert found.verdict is expected
    assert found.steady_cost_ratio == pytest.approx(s_per_epoch / 2e-3, rel=0.01)
    assert found.steady_cost_ratio_interval is not None
    low, high = found.steady_cost_ratio_interval
    assert low <= found.steady_cost_ratio <= high


def test_noise_on_both_sides_of_no_effect_cannot_be_told() -> None:
    assert effect(curve("merged", 2.05e-3, noise=0.2)).verdict is EffectVerdict.CANNOT_TELL


def test_a_stopwatch_that_shows_everything_removes_the_illusion() -> None:
    found = effect(curve("sync_each", 2.4e-3, shown=0.99))

    assert found.verdict is EffectVerdict.REMOVES_ILLUSION
    assert "Slower" in found.sentence  # and what that costs is said too
    # 0.99 x 2.4 over 0.1 x 2.0: the stopwatch shows 11.9 times as much.
    assert found.enqueue_cost_ratio == pytest.approx(11.88, rel=0.02)


@pytest.mark.parametrize("proof", [ProofVerdict.WORK_ELIMINATED, ProofVerdict.WORK_SKIPPED])
def test_a_loop_that_does_no_work_is_ranked_nowhere(proof: ProofVerdict) -> None:
    found = effect(curve("graph_loop", 1e-5, proof=proof))

    assert found.verdict is EffectVerdict.DOES_NO_WORK
    assert found.steady_cost_ratio is None


@pytest.mark.parametrize("proof", [None, ProofVerdict.UNPROVEN, ProofVerdict.OTHER_PRECISION])
def test_without_proof_nothing_is_compared(proof: ProofVerdict | None) -> None:
    for found in (
        effect(curve("xla", 1e-3, proof=proof)),
        effect(curve("xla", 1e-3), curve("none", 2e-3, proof=proof)),
    ):
        assert found.verdict is EffectVerdict.CANNOT_TELL
        assert found.steady_cost_ratio is None


def test_only_equal_epoch_counts_are_compared() -> None:
    assert effect(curve("merged", 2e-3, counts=(50,))).verdict is EffectVerdict.CANNOT_TELL


def test_samples_that_were_not_waited_for_are_left_out() -> None:
    fair = curve("merged", 2e-3)
    hasty = replace(fair, samples=(*fair.samples, CurveSample(COUNTS[0], 1e-9)))

    assert effect(hasty).steady_cost_ratio == effect(fair).steady_cost_ratio


def test_a_curve_without_its_control_has_no_effect_to_state() -> None:
    assert mitigation_effects([curve("merged", 2e-3)]) == ()
