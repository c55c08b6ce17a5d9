"""The diagnosis of seconds against epochs: the stopwatch's readings, and the wall times where somebody waited."""

from dataclasses import replace

import numpy as np

from bench_core.analyze.bends import TraceBend, saturated_bends
from bench_core.analyze.candidate import MOST_TOTAL_NOISE_FRACTION, choose, with_also
from bench_core.analyze.capacity import (
    Capacity,
    capacity_at_bend,
    capacity_at_bends,
    capacity_at_end,
    combine,
    knee_of_bends,
)
from bench_core.analyze.curve_explanations import (
    AlreadySaturated,
    CurveExplanation,
    Growing,
    Level,
    Saturated,
    Slowed,
    Straight,
    saturation_findings,
)
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.plausibility import hold_to_rate
from bench_core.analyze.proven import hold_to_proof, is_proven
from bench_core.analyze.readings import Readings, bounded, stopwatch_readings, wall_readings
from bench_core.model.curve import ScalingCurve, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

_ALWAYS: tuple[CurveExplanation, ...] = (Straight(), Level(), Growing())

# What a stopwatch must miss before it misleads: half. The enqueue cost of a host that does nothing else is at most a
# tenth of the work in every public case, and noise is far from a factor 2.
_MISSED_FRACTION = 0.5


def diagnose_curve(curve: ScalingCurve) -> Diagnosis:
    """What seconds against epochs mean, and what the proof of the work says of them."""
    return hold_to_proof(_diagnose_times(bounded(curve)), curve)


def _diagnose_times(curve: ScalingCurve) -> Diagnosis:
    stopwatch, wall = stopwatch_readings(curve), wall_readings(curve)
    if not len(wall):
        return _held_to_rate(_diagnose_table(stopwatch, curve.work), stopwatch, curve.work)
    work = replace(curve.work, is_synchronized=True)
    finished = _held_to_rate(_diagnose_table(wall, work, is_proven=is_proven(curve)), wall, work)
    if finished.verdict in (Verdict.WORK_ELIMINATED, Verdict.IMPLAUSIBLE_RATE):
        return finished
    return _with_stopwatch(finished, curve, stopwatch, wall)


def _diagnose_table(readings: Readings, work: Work, *, is_proven: bool = False) -> Diagnosis:
    # Work that is proven to have been done cannot explain a level line, however few and noisy the readings are.
    explanations = [each for each in _ALWAYS if not (is_proven and isinstance(each, Level))]
    if work.is_synchronized is not True:
        explanations += [Saturated(), AlreadySaturated()]
    if work.is_synchronized is not False:
        explanations.append(Slowed(work.is_synchronized))
    missing = next_step("measure_more", reading_count=_wanted(readings), up_to=float(4 * readings.epoch_count[-1]))
    return choose(
        (each.explain(readings) for each in explanations),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=missing,
    )


def _wanted(readings: Readings) -> float:
    """Eight readings place a knee (simulated: docs/method.md, "Knee")."""
    return float(max(8 - len(readings), 3))


def _held_to_rate(diagnosis: Diagnosis, readings: Readings, work: Work) -> Diagnosis:
    fastest = float((readings.seconds / readings.epoch_count).min())
    return hold_to_rate(diagnosis, work, fastest_s_per_epoch=fastest, epoch_count=float(readings.epoch_count[-1]))


def _with_stopwatch(finished: Diagnosis, curve: ScalingCurve, stopwatch: Readings, wall: Readings) -> Diagnosis:
    """What the stopwatch shows beside wall times that are in order."""
    bends = saturated_bends(curve)
    if bends:
        return _saturated_traces(finished, curve, bends)
    explanations = _ALWAYS if _has_traces(curve) else (*_ALWAYS, Saturated())
    shown = choose(
        (each.explain(stopwatch) for each in explanations),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=next_step("synchronize"),
    )
    if shown.verdict is Verdict.QUEUE_SATURATION:
        return _saturated_table(finished, shown, curve, stopwatch)
    seen = replace(finished, enqueue_s_per_epoch=shown.steady_s_per_epoch)
    return _missed(seen, curve) if _misses_work(stopwatch, wall) else seen


def _missed(finished: Diagnosis, curve: ScalingCurve) -> Diagnosis:
    """A stopwatch that misses most of the work: the verdict on a table, a remark on a run, whose time is waited for."""
    if curve.key is not None:
        return with_also(finished, Verdict.UNSYNCHRONIZED)
    named = replace(finished, verdict=Verdict.UNSYNCHRONIZED, next_step=next_step("synchronize"))
    return with_also(named, *_beside(finished))


def _beside(finished: Diagnosis) -> tuple[Verdict, ...]:
    """What the wall times say that still needs saying beside a stopwatch's fault."""
    return () if finished.verdict in (Verdict.LINEAR, Verdict.INCONCLUSIVE) else (finished.verdict,)


def _has_traces(curve: ScalingCurve) -> bool:
    return any(sample.call_end_s is not None for sample in curve.samples)


def _misses_work(stopwatch: Readings, wall: Readings) -> bool:
    last = wall.epoch_count[-1]
    shown = stopwatch.seconds[stopwatch.epoch_count == last]
    return bool(len(shown)) and float(shown[0]) < _MISSED_FRACTION * float(wall.seconds[-1])


def _saturated_traces(finished: Diagnosis, curve: ScalingCurve, bends: list[TraceBend]) -> Diagnosis:
    """A full queue seen by whole traces."""
    knee = knee_of_bends(bends)
    enqueue_s = float(np.median([bend.s_per_epoch_before for bend in bends]))
    after_s = float(np.median([bend.s_per_epoch_after for bend in bends]))
    capacity = combine(capacity_at_bends(bends), capacity_at_end(curve.samples, knee.value, enqueue_s))
    changed = replace(
        finished,
        verdict=Verdict.QUEUE_SATURATION,
        confidence=1.0,
        knee_epoch_count=knee.value,
        knee_interval=knee.interval,
        queue_capacity=capacity.combined.value,
        queue_capacity_interval=capacity.combined.interval,
        enqueue_s_per_epoch=enqueue_s,
        steady_s_per_epoch=finished.steady_s_per_epoch or after_s,
        evidence={
            **finished.evidence,
            "slope_ratio": after_s / enqueue_s,
            "saturated_s_per_epoch": after_s,
            "saturated_trace_count": float(len(bends)),
            **_capacity_evidence(capacity),
        },
        next_step=next_step("resize_queue", queue_capacity=capacity.combined.value, knee_epoch_count=knee.value),
    )
    return with_also(changed, Verdict.UNSYNCHRONIZED, *_beside(finished))


def _saturated_table(finished: Diagnosis, shown: Diagnosis, curve: ScalingCurve, stopwatch: Readings) -> Diagnosis:
    """A full queue seen by separate loops, each with a synchronised time beside it."""
    bent = stopwatch.bent
    assert bent is not None  # queue_saturation is the verdict of a bent line
    at_end = capacity_at_end(curve.samples, bent.knee_epoch_count, bent.s_per_epoch_before)
    capacity = combine(capacity_at_bend(bent), None if bent.is_bracket else at_end)
    changed = replace(
        finished,
        verdict=Verdict.QUEUE_SATURATION,
        confidence=shown.confidence,
        next_step=shown.next_step,
        evidence={**finished.evidence, **shown.evidence, **_capacity_evidence(capacity)},
        **saturation_findings(bent, capacity.combined),
    )
    settled = replace(changed, steady_s_per_epoch=finished.steady_s_per_epoch or changed.steady_s_per_epoch)
    return with_also(settled, Verdict.UNSYNCHRONIZED, *_beside(finished))


def _capacity_evidence(capacity: Capacity) -> dict[str, float]:
    at_bend = {"queue_capacity_at_bend": capacity.at_bend.value}
    if capacity.at_end is None:
        return at_bend
    agree = float(capacity.at_bend.meets(capacity.at_end))
    return {**at_bend, "queue_capacity_at_end": capacity.at_end.value, "capacity_readings_agree": agree}
