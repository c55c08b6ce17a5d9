"""A full queue beside wall times that are in order: its capacity is read at the bend and at the end."""

from dataclasses import replace

import numpy as np

from bench_core.analyze.bends import TraceBend
from bench_core.analyze.candidate import with_also
from bench_core.analyze.capacity import (
    Capacity,
    capacity_at_bend,
    capacity_at_bends,
    capacity_at_end,
    combine,
    knee_of_bends,
)
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.readings import Readings
from bench_core.analyze.saturation import saturation_findings
from bench_core.model.curve import ScalingCurve
from bench_core.model.diagnosis import Diagnosis, Verdict


def saturated_traces(finished: Diagnosis, curve: ScalingCurve, bends: list[TraceBend]) -> Diagnosis:
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
            **({"slope_ratio": after_s / enqueue_s} if enqueue_s > 0 else {}),
            "saturated_s_per_epoch": after_s,
            "saturated_trace_count": float(len(bends)),
            **_capacity_evidence(capacity),
        },
        next_step=next_step("resize_queue", queue_capacity=capacity.combined.value, knee_epoch_count=knee.value),
    )
    return with_also(changed, Verdict.UNSYNCHRONIZED, *beside(finished))


def saturated_table(finished: Diagnosis, shown: Diagnosis, curve: ScalingCurve, stopwatch: Readings) -> Diagnosis:
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
    return with_also(settled, Verdict.UNSYNCHRONIZED, *beside(finished))


def _capacity_evidence(capacity: Capacity) -> dict[str, float]:
    at_bend = {"queue_capacity_at_bend": capacity.at_bend.value}
    if capacity.at_end is None:
        return at_bend
    agree = float(capacity.at_bend.meets(capacity.at_end))
    return {**at_bend, "queue_capacity_at_end": capacity.at_end.value, "capacity_readings_agree": agree}


def beside(finished: Diagnosis) -> tuple[Verdict, ...]:
    """What the wall times say that still needs saying beside a stopwatch's fault."""
    return () if finished.verdict in (Verdict.LINEAR, Verdict.INCONCLUSIVE) else (finished.verdict,)
