"""The diagnosis of one call after the other."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bench_core.analyze.candidate import MOST_CALL_NOISE_FRACTION, SMALLEST_EFFECT, Candidate, choose, with_also
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.plausibility import hold_to_rate
from bench_core.analyze.scoring import score
from bench_core.analyze.series_changes import Filling, Growth, Ramping, Throttling, Warming
from bench_core.analyze.series_levels import Body, Constant, Elapsed, SeriesExplanation, TwoPopulations
from bench_core.analyze.thinning import MOST_CALLS, series_rows
from bench_core.model.curve import CallSeries, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

Array = npt.NDArray[np.float64]

# Single calls that may each have a warm-up cost of their own; more is a warm-up of one level (Warming).
_MOST_WARMUP_CALLS = 8

# A first call a quarter slower is a warm-up; less is within what 10 % noise does to one call in a hundred. The smallest
# warm-up of the public cases is a third.
_LEAST_WARMUP_RATIO = 1.25

# What the calls missed by the clock must come to before a series misleads (as for a curve).
_MISSED_FRACTION = 0.5

# Two calls can show a warm-up, if the second is far cheaper; that nothing is wrong takes three.
_LEAST_CALLS_FOR_LINEAR = 3


def diagnose_series(series: CallSeries) -> Diagnosis:
    """What the calls mean, one after the other."""
    rows = series_rows(len(series.index))
    index, seconds = series.index[rows], series.seconds[rows]
    if series.synchronized_s is None:
        return _located(_diagnose_calls(index, seconds, series.work), series)
    waited = replace(series.work, is_synchronized=True)
    finished = _diagnose_calls(index, series.synchronized_s[rows], waited)
    if float(series.seconds.sum()) >= _MISSED_FRACTION * float(series.synchronized_s.sum()):
        return finished
    shown = _diagnose_calls(index, seconds, replace(series.work, is_synchronized=False))
    if shown.verdict is Verdict.QUEUE_SATURATION:
        return _located(shown, series)
    missed = replace(
        finished,
        verdict=Verdict.UNSYNCHRONIZED,
        enqueue_s_per_epoch=float(np.median(seconds)),
        next_step=next_step("synchronize"),
    )
    beside = () if finished.verdict in (Verdict.LINEAR, Verdict.INCONCLUSIVE) else (finished.verdict,)
    return with_also(missed, *beside)


def _located(diagnosis: Diagnosis, series: CallSeries) -> Diagnosis:
    """The knee of a long series looked up among all of its calls."""
    if diagnosis.verdict is not Verdict.QUEUE_SATURATION or len(series.index) <= MOST_CALLS:
        return diagnosis
    shapes = Filling(series.work.is_synchronized).shapes(series.index, series.seconds)
    return replace(diagnosis, **shapes[0].findings, next_step=shapes[0].next_step) if shapes else diagnosis


def _diagnose_calls(index: Array, seconds: Array, work: Work) -> Diagnosis:
    candidates = [
        _candidate(index, seconds, calls, body)
        for calls in _possible_warmups(seconds)
        for explanation in _explanations(work)
        for body in explanation.shapes(index[calls:], seconds[calls:])
    ]
    missing = next_step("measure_more", reading_count=float(max(10 - len(index), 10)), up_to=4 * float(index[-1]) + 10)
    diagnosis = choose(candidates, most_noise_fraction=MOST_CALL_NOISE_FRACTION, missing=missing)
    return hold_to_rate(diagnosis, work, fastest_s_per_epoch=float(seconds.min()), epoch_count=1.0)


def _explanations(work: Work) -> tuple[SeriesExplanation, ...]:
    always = (Constant(), Elapsed(), Warming(), Ramping(), Growth(), TwoPopulations())
    queue = () if work.is_synchronized is True else (Filling(work.is_synchronized),)
    clock = () if work.is_synchronized is False else (Throttling(work.is_synchronized),)
    return (*always, *queue, *clock)


def _possible_warmups(seconds: Array) -> list[int]:
    """How many first calls may be a warm-up: none, or so many that each of them costs more than the calls to come."""
    counts = [0]
    for calls in range(1, min(_MOST_WARMUP_CALLS, len(seconds) - 1) + 1):
        later = np.median(seconds[calls : calls + 2 * _MOST_WARMUP_CALLS])
        if seconds[:calls].min() > _LEAST_WARMUP_RATIO * later:
            counts.append(calls)
    return counts


def _candidate(index: Array, seconds: Array, calls: int, body: Body) -> Candidate | None:
    """A body after a warm-up of so many calls, each with a cost of its own; `warmup` where the body is healthy."""
    if calls == 0 and body.verdict is Verdict.LINEAR and len(seconds) < _LEAST_CALLS_FOR_LINEAR:
        return None
    if calls and seconds[:calls].min() <= _LEAST_WARMUP_RATIO * body.predicted_s.max():
        return None
    predicted = np.concatenate([seconds[:calls], body.predicted_s])
    # Each more call of warm-up is half as likely as the one before.
    nats = body.choice_nats + calls * math.log(2)
    fit = score(seconds, predicted, body.parameter_count + calls, nats, never_late=1)
    plain = Candidate(
        body.verdict,
        fit,
        body.also,
        {"steady_s_per_epoch": body.steady_s, **body.findings},
        body.evidence,
        body.next_step,
    )
    if plain.verdict is Verdict.WARMUP or (calls and plain.verdict is Verdict.LINEAR):
        return _warmup(plain, seconds, calls, body)
    if not calls:
        return plain
    evidence = {**plain.evidence, **_warmup_evidence(seconds[:calls], float(body.predicted_s[0]), calls)}
    return replace(plain, also=(*plain.also, Verdict.WARMUP), evidence=evidence)


def _warmup(plain: Candidate, seconds: Array, calls: int, body: Body) -> Candidate:
    """A warm-up with all the calls above the steady level, whether or not each was given a cost of its own."""
    steady = float(body.predicted_s.min())
    fitted = calls + int(body.evidence.get("warmup_call_count", 0))
    warm = max(fitted, _calls_above(steady, seconds))
    evidence = {**plain.evidence, **_warmup_evidence(seconds[:warm], steady, calls)}
    return replace(
        plain,
        verdict=Verdict.WARMUP,
        evidence=evidence,
        findings={**plain.findings, "intercept_s": evidence["warmup_s"]},
        next_step=next_step("skip_warmup", call_count=float(warm)),
    )


def _calls_above(steady: float, seconds: Array) -> int:
    """First calls above the level by SMALLEST_EFFECT or more, by the middle of each and the two that follow it."""
    middles = np.median(np.lib.stride_tricks.sliding_window_view(seconds, min(3, len(seconds))), axis=1)
    return int(np.argmax(np.append(middles, 0.0) < SMALLEST_EFFECT * steady))


def _warmup_evidence(warmup_s: Array, steady: float, own_cost_calls: int) -> dict[str, float]:
    """What a warm-up costs: its calls, its seconds beyond the steady cost, and how many calls they amortise over.

    Its stages are told where every call of it has a cost of its own; what wears off has one.
    """
    excess = float(np.sum(warmup_s - steady))
    return {
        "warmup_call_count": float(len(warmup_s)),
        "warmup_s": excess,
        "warmup_stage_count": _stages(warmup_s) if len(warmup_s) == own_cost_calls else 1.0,
        "amortizes_over_call_count": excess / steady,
    }


def _stages(warmup_s: Array) -> float:
    """Levels a warm-up goes through: calls within SMALLEST_EFFECT of the one before belong to its level."""
    return 1.0 + float(np.sum(np.abs(np.diff(np.log(warmup_s))) > math.log(SMALLEST_EFFECT)))
