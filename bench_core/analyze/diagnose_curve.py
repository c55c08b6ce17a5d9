"""The diagnosis of seconds against epochs: the stopwatch's readings, and the wall times where somebody waited."""

from dataclasses import replace

from bench_core.analyze.candidate import MOST_TOTAL_NOISE_FRACTION, choose, with_also
from bench_core.analyze.capacity import read_capacity
from bench_core.analyze.curve_explanations import (
    CurveExplanation,
    Growing,
    Level,
    Saturated,
    Slowed,
    Straight,
    saturation_findings,
)
from bench_core.analyze.lines import fit_bent_line
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.plausibility import hold_to_rate
from bench_core.analyze.readings import Readings, stopwatch_readings, wall_readings
from bench_core.model.curve import ScalingCurve, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

_ALWAYS: tuple[CurveExplanation, ...] = (Straight(), Level(), Growing())

# What a stopwatch must miss before it misleads: half. The enqueue cost of a host that does nothing else is at most a
# tenth of the work in every public case, and noise is far from a factor 2.
_MISSED_FRACTION = 0.5


def diagnose_curve(curve: ScalingCurve) -> Diagnosis:
    """What seconds against epochs mean."""
    stopwatch, wall = stopwatch_readings(curve), wall_readings(curve)
    if not len(wall):
        return _held_to_rate(_diagnose_table(stopwatch, curve.work), stopwatch, curve.work)
    work = replace(curve.work, is_synchronized=True)
    finished = _held_to_rate(_diagnose_table(wall, work), wall, work)
    if finished.verdict in (Verdict.WORK_ELIMINATED, Verdict.IMPLAUSIBLE_RATE):
        return finished
    return _with_stopwatch(finished, curve, stopwatch, wall)


def _diagnose_table(readings: Readings, work: Work) -> Diagnosis:
    explanations = list(_ALWAYS)
    if work.is_synchronized is not True:
        explanations.append(Saturated())
    if work.is_synchronized is not False:
        explanations.append(Slowed())
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
    shown = choose(
        (each.explain(stopwatch) for each in (*_ALWAYS, Saturated())),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=next_step("synchronize"),
    )
    if shown.verdict is Verdict.QUEUE_SATURATION:
        return _saturated(finished, shown, curve, stopwatch)
    if not _misses_work(stopwatch, wall):
        return replace(finished, enqueue_s_per_epoch=shown.steady_s_per_epoch)
    missed = replace(finished, enqueue_s_per_epoch=shown.steady_s_per_epoch, next_step=next_step("synchronize"))
    if curve.key is not None:
        # A sample of a run was drained: the time it reports is the wall time, and that is in order.
        return with_also(missed, Verdict.UNSYNCHRONIZED)
    also = () if finished.verdict in (Verdict.LINEAR, Verdict.INCONCLUSIVE) else (finished.verdict,)
    return with_also(replace(missed, verdict=Verdict.UNSYNCHRONIZED), *also)


def _misses_work(stopwatch: Readings, wall: Readings) -> bool:
    last = wall.epoch_count[-1]
    shown = stopwatch.seconds[stopwatch.epoch_count == last]
    return bool(len(shown)) and float(shown[0]) < _MISSED_FRACTION * float(wall.seconds[-1])


def _saturated(finished: Diagnosis, shown: Diagnosis, curve: ScalingCurve, stopwatch: Readings) -> Diagnosis:
    """A full queue beside the wall times: the capacity read at the bend and at the end."""
    bent = fit_bent_line(stopwatch.epoch_count, stopwatch.seconds)
    assert bent is not None  # queue_saturation is the verdict of a bent line
    capacity = read_capacity(curve, bent)
    evidence = {**shown.evidence, **finished.evidence, "capacity_at_bend": capacity.at_bend.value}
    if capacity.at_end is not None:
        evidence |= {"capacity_at_end": capacity.at_end.value, "readings_agree": float(capacity.readings_agree)}
    merged = replace(
        shown,
        flop_per_s=finished.flop_per_s,
        peak_fraction=finished.peak_fraction,
        ran_as=finished.ran_as,
        evidence=evidence,
        **saturation_findings(bent, capacity.combined),
    )
    settled = replace(merged, steady_s_per_epoch=finished.steady_s_per_epoch or merged.steady_s_per_epoch)
    also = () if finished.verdict in (Verdict.LINEAR, Verdict.INCONCLUSIVE) else (finished.verdict,)
    return with_also(settled, Verdict.UNSYNCHRONIZED, *also)
