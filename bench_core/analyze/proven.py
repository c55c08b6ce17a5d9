"""A diagnosis held against the proof of the work: a disproof outweighs every fit, and a proof forbids to doubt it."""

from dataclasses import replace

from bench_core.analyze.candidate import with_also
from bench_core.analyze.next_steps import next_step
from bench_core.model.curve import ScalingCurve
from bench_core.model.diagnosis import Diagnosis, NextStep, Verdict
from bench_core.model.proof import ProofVerdict

_DISPROVEN = {
    ProofVerdict.WORK_ELIMINATED: Verdict.WORK_ELIMINATED,
    ProofVerdict.WORK_SKIPPED: Verdict.WORK_ELIMINATED,
    ProofVerdict.NOT_FINISHED: Verdict.UNSYNCHRONIZED,
    ProofVerdict.IMPLAUSIBLE_RATE: Verdict.IMPLAUSIBLE_RATE,
    # What was multiplied is not what was asked for, so no verdict about its cost is one about the question.
    ProofVerdict.WRONG_PRODUCT: Verdict.INCONCLUSIVE,
}


def is_proven(curve: ScalingCurve) -> bool:
    """Whether the work behind every time of the curve is known to have been done."""
    return curve.proof_verdict is ProofVerdict.PROVEN


def hold_to_proof(diagnosis: Diagnosis, curve: ScalingCurve) -> Diagnosis:
    """The diagnosis with what the proof says: its verdict where the work is disproven, and the precision that ran."""
    if curve.proof is None:
        return diagnosis
    evidence = {**diagnosis.evidence, "proof_verdict": curve.proof.verdict.value}
    held = replace(diagnosis, evidence=evidence, ran_as=curve.proof.ran_as or diagnosis.ran_as)
    verdict = _DISPROVEN.get(curve.proof.verdict)
    if verdict is None or verdict is held.verdict:
        return held
    forced = replace(held, verdict=verdict, also=(), confidence=1.0, next_step=_step(verdict, curve))
    return with_also(forced, *(each for each in (diagnosis.verdict, *diagnosis.also) if each is not Verdict.LINEAR))


def _step(verdict: Verdict, curve: ScalingCurve) -> NextStep:
    if verdict is Verdict.UNSYNCHRONIZED:
        return next_step("synchronize")
    count = float(max(sample.epoch_count for sample in curve.samples))
    return next_step("keep_result", epoch_count=count, doubled_epoch_count=2 * count)
