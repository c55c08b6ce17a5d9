"""The diagnosis of seconds against epochs: the stopwatch's readings, and the wall times where somebody waited."""

from dataclasses import replace

from bench_core.analyze.bends import saturated_bends
from bench_core.analyze.candidate import MOST_TOTAL_NOISE_FRACTION, choose, with_also
from bench_core.analyze.curve_explanations import CurveExplanation, Growing, Level, Slowed, Straight, Sublinear
from bench_core.analyze.curve_limits import MOST_WAITED_RATIO
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.plausibility import hold_to_rate
from bench_core.analyze.proven import hold_to_proof, is_proven
from bench_core.analyze.readings import Readings, bounded, stopwatch_readings, wall_readings
from bench_core.analyze.saturated_run import beside, saturated_table, saturated_traces
from bench_core.analyze.saturation import AlreadySaturated, Saturated
from bench_core.model.curve import ScalingCurve, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

_ALWAYS: tuple[CurveExplanation, ...] = (Straight(), Growing(), Sublinear())

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
    explanations = [*_ALWAYS] if is_proven else [*_ALWAYS, Level(work.is_synchronized)]
    if work.is_synchronized is not True:
        explanations += [Saturated(), AlreadySaturated()]
    if work.is_synchronized is not False:
        explanations.append(Slowed(work.is_synchronized))
    missing = next_step("measure_more", reading_count=_wanted(readings), up_to=float(4 * readings.epoch_count[-1]))
    found = choose(
        (each.explain(readings) for each in explanations),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=missing,
        prior_noise_fraction=readings.prior.fraction,
    )
    is_open = found.verdict is Verdict.INCONCLUSIVE and work.is_synchronized is True
    return _contradicted(found, readings) if is_open else found


def _contradicted(found: Diagnosis, readings: Readings) -> Diagnosis:
    """What stays open only because somebody is said to have waited: that a full queue would explain it is said too."""
    filled = choose(
        (each.explain(readings) for each in (*_ALWAYS, Saturated(), AlreadySaturated())),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=next_step("synchronize"),
        prior_noise_fraction=readings.prior.fraction,
    )
    if filled.verdict is not Verdict.QUEUE_SATURATION:
        return found
    contradicting = {"contradicting_explanation": filled.verdict.value}
    return replace(found, evidence={**found.evidence, **contradicting}, next_step=next_step("synchronize"))


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
        return saturated_traces(finished, curve, bends)
    explanations = [*_ALWAYS, Level(is_synchronized=False)] + ([] if _has_traces(curve) else [Saturated()])
    shown = choose(
        (each.explain(stopwatch) for each in explanations),
        most_noise_fraction=MOST_TOTAL_NOISE_FRACTION,
        missing=next_step("synchronize"),
    )
    if shown.verdict is Verdict.QUEUE_SATURATION and _pays_the_device(finished, stopwatch):
        return saturated_table(finished, shown, curve, stopwatch)
    seen = replace(finished, enqueue_s_per_epoch=shown.steady_s_per_epoch)
    return _missed(seen, curve) if _misses_work(stopwatch, wall) else seen


def _missed(finished: Diagnosis, curve: ScalingCurve) -> Diagnosis:
    """A stopwatch that misses most of the work: the verdict on a table, a remark on a run, whose time is waited for."""
    if curve.key is not None:
        return with_also(finished, Verdict.UNSYNCHRONIZED)
    named = replace(finished, verdict=Verdict.UNSYNCHRONIZED, next_step=next_step("synchronize"))
    return with_also(named, *beside(finished))


def _pays_the_device(finished: Diagnosis, stopwatch: Readings) -> bool:
    """Whether the host, once held up, pays for an epoch what it takes where somebody waited."""
    waited = finished.steady_s_per_epoch
    return waited is None or stopwatch.bent is None or waited <= MOST_WAITED_RATIO * stopwatch.bent.s_per_epoch_after


def _has_traces(curve: ScalingCurve) -> bool:
    return any(sample.call_end_s is not None for sample in curve.samples)


def _misses_work(stopwatch: Readings, wall: Readings) -> bool:
    last = wall.epoch_count[-1]
    shown = stopwatch.seconds[stopwatch.epoch_count == last]
    return bool(len(shown)) and float(shown[0]) < _MISSED_FRACTION * float(wall.seconds[-1])
