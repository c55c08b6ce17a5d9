"""What a mitigation changes, against its control at equal FLOP, and only where the work of both is proven."""

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bench_core.model.curve import CurveSample, ScalingCurve
from bench_core.model.diagnosis import Interval
from bench_core.model.hypothesis import MitigationEffect
from bench_core.model.proof import ProofVerdict

METHOD_VERSION = "1"

# A ratio whose interval lies within this of 1 is no effect anybody would pay for, and about what two runs of the same
# case on one machine differ by.
NO_EFFECT_FRACTION = 0.03
# A stopwatch that shows this much of the wall time misleads nobody; one that shows less than the second misleads.
SHOWS_ENOUGH_FRACTION = 0.8
HIDES_FRACTION = 0.5
RESAMPLE_COUNT = 2000

Array = npt.NDArray[np.float64]


class EffectVerdict(StrEnum):
    """One word for what a mitigation does."""

    REMOVES_ILLUSION = "removes_illusion"
    FASTER = "faster"
    SLOWER = "slower"
    NO_EFFECT = "no_effect"
    DOES_NO_WORK = "does_no_work"
    CANNOT_TELL = "cannot_tell"


_NO_WORK = (ProofVerdict.WORK_ELIMINATED, ProofVerdict.WORK_SKIPPED)


def mitigation_effects(curves: Sequence[ScalingCurve], *, control: str = "none") -> tuple[MitigationEffect, ...]:
    """Every mitigation of a run against the control of the same precision and shape."""
    keyed = {(curve.key.precision, curve.key.shape, curve.key.mitigation): curve for curve in curves if curve.key}
    return tuple(
        _effect(curve, keyed[precision, shape, control], precision, shape, mitigation)
        for (precision, shape, mitigation), curve in keyed.items()
        if mitigation != control and (precision, shape, control) in keyed
    )


def _effect(
    curve: ScalingCurve, control: ScalingCurve, precision: str, shape: str, mitigation: str
) -> MitigationEffect:
    common = sorted(_drained_counts(curve) & _drained_counts(control))
    shown = _ratio_of_medians(curve, control, common[-1:], lambda sample: sample.enqueue_time_s)
    if curve.proof_verdict is not ProofVerdict.PROVEN or control.proof_verdict is not ProofVerdict.PROVEN or not common:
        verdict, sentence = _unproven(curve, control)
        return MitigationEffect(
            precision, mitigation, shape, verdict, sentence, enqueue_cost_ratio=shown, method_version=METHOD_VERSION
        )
    ratio = _ratio_of_medians(curve, control, common, _wall_time_s)
    assert ratio is not None
    interval = _interval(curve, control, common)
    verdict, sentence = _proven(
        ratio, interval, _shown_fraction(curve, common[-1]), _shown_fraction(control, common[-1])
    )
    return MitigationEffect(
        precision,
        mitigation,
        shape,
        verdict,
        sentence,
        ratio,
        interval,
        shown,
        {"compared_epoch_counts": ",".join(str(count) for count in common)},
        METHOD_VERSION,
    )


def _unproven(curve: ScalingCurve, control: ScalingCurve) -> tuple[EffectVerdict, str]:
    if curve.proof_verdict in _NO_WORK:
        return EffectVerdict.DOES_NO_WORK, "It does no work: the matmuls were not executed, so its time means nothing."
    if curve.proof_verdict is not ProofVerdict.PROVEN:
        return EffectVerdict.CANNOT_TELL, f"Cannot tell: its own proof says {curve.proof_verdict or 'nothing'}."
    if control.proof_verdict is not ProofVerdict.PROVEN:
        return EffectVerdict.CANNOT_TELL, f"Cannot tell: the control's proof says {control.proof_verdict or 'nothing'}."
    return EffectVerdict.CANNOT_TELL, "Cannot tell: it and the control were not drained at any common epoch count."


def _proven(ratio: float, interval: Interval, shown: float, control_shown: float) -> tuple[EffectVerdict, str]:
    cost, sentence = _cost(ratio, interval)
    if shown >= SHOWS_ENOUGH_FRACTION and control_shown < HIDES_FRACTION:
        return (
            EffectVerdict.REMOVES_ILLUSION,
            f"Removes the illusion: the stopwatch shows {shown:.0%} of it. {sentence}",
        )
    return cost, sentence


def _cost(ratio: float, interval: Interval) -> tuple[EffectVerdict, str]:
    low, high = interval
    change = f"{ratio - 1:+.1%} ({low - 1:+.1%} to {high - 1:+.1%})"
    if high < 1 - NO_EFFECT_FRACTION:
        return EffectVerdict.FASTER, f"Faster: an epoch truly costs {change}."
    if low > 1 + NO_EFFECT_FRACTION:
        return EffectVerdict.SLOWER, f"Slower: an epoch truly costs {change}."
    if low >= 1 - NO_EFFECT_FRACTION and high <= 1 + NO_EFFECT_FRACTION:
        return EffectVerdict.NO_EFFECT, f"No effect: an epoch truly costs {change}."
    return EffectVerdict.CANNOT_TELL, f"Cannot tell: an epoch truly costs {change}, on both sides of no effect."


def _interval(curve: ScalingCurve, control: ScalingCurve, counts: Sequence[int]) -> Interval:
    """95 % interval of the pooled ratio; whole samples are resampled, never parts of one."""
    generator = np.random.default_rng(0)
    logs = np.zeros(RESAMPLE_COUNT)
    for count in counts:
        logs += _resampled_log_medians(curve, count, generator) - _resampled_log_medians(control, count, generator)
    low, high = np.exp(np.quantile(logs / len(counts), (0.025, 0.975)))
    return float(low), float(high)


def _resampled_log_medians(curve: ScalingCurve, count: int, generator: np.random.Generator) -> Array:
    values = _values(curve, count, _wall_time_s)
    logs: Array = np.log(np.median(generator.choice(values, (RESAMPLE_COUNT, len(values))), axis=1))
    return logs


def _ratio_of_medians(
    curve: ScalingCurve, control: ScalingCurve, counts: Sequence[int], value_of: Callable[[CurveSample], float | None]
) -> float | None:
    """Geometric mean over the epoch counts of the ratio of medians."""
    if not counts:
        return None
    logs = [
        np.log(np.median(_values(curve, count, value_of)) / np.median(_values(control, count, value_of)))
        for count in counts
    ]
    return float(np.exp(np.mean(logs)))


def _values(curve: ScalingCurve, count: int, value_of: Callable[[CurveSample], float | None]) -> Array:
    values = [value_of(sample) for sample in curve.samples if sample.epoch_count == count]
    return np.array([value for value in values if value is not None], np.float64)


def _wall_time_s(sample: CurveSample) -> float | None:
    return sample.wall_time_s


def _drained_counts(curve: ScalingCurve) -> set[int]:
    return {sample.epoch_count for sample in curve.samples if sample.drain_time_s is not None}


def _shown_fraction(curve: ScalingCurve, count: int) -> float:
    """The share of the wall time that an unsynchronised stopwatch shows."""
    shown = np.median(_values(curve, count, lambda sample: sample.enqueue_time_s))
    return float(shown / np.median(_values(curve, count, _wall_time_s)))
