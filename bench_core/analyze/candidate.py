"""Explanations of one table held against each other: the choice compares fits, it is no chain of thresholds."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bench_core.analyze.next_steps import next_step
from bench_core.analyze.scoring import PRIOR_NOISE, Score
from bench_core.model.diagnosis import Diagnosis, NextStep, Verdict

# What a verdict other than the simplest must gain over it, in nats. Of 5,000 simulated healthy tables at 3 % noise none
# is then accused and 2 stay open; at 3 nats 2 and 43, at none 128 and 770 (docs/method.md, "Cut-offs").
COMPLEXITY_NATS = 5.0

# Smallest relative effect that counts as a cause. The public cases report none under 12 %; clocks, temperature and
# other processes move healthy series by less.
SMALLEST_EFFECT = 1.1

# Noise no explanation may leave. Single calls are the noisiest: a public series with a certain cause keeps 32 %.
# Sizes have dips of up to 29 % where a kernel's tiles do not fit; totals of many epochs average their noise away.
MOST_CALL_NOISE_FRACTION = 0.45
MOST_SIZE_NOISE_FRACTION = 0.3
MOST_TOTAL_NOISE_FRACTION = 0.25

# Some verdicts ask for more. Healthy series of the public cases keep 7 % at most, their clock ticks included, and the
# trends 5 %: far above that "nothing is wrong", or a trend, is only the least bad of bad fits.
_MOST_NOISE_OF = {
    Verdict.LINEAR: 0.15,
    Verdict.HOST_BOUND: 0.15,
    Verdict.GROWING_COST: 0.25,
    Verdict.RAMP_THEN_PLATEAU: 0.25,
    Verdict.THROTTLED: 0.25,
}

# Weight the best verdict needs. Below it the readings are as well explained by something else.
LEAST_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True)
class Candidate:
    """One explanation fitted to a table.

    Attributes:
        score: its description length; the candidates of one table are scored on the same readings.
        also: verdicts that hold with it.
        findings: fields of the Diagnosis this explanation determines.
    """

    verdict: Verdict
    score: Score
    also: tuple[Verdict, ...] = ()
    findings: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    next_step: NextStep | None = None

    @property
    def nats(self) -> float:
        """Description length, with what each mechanism must gain: the verdict's own and a warm-up beside it."""
        mechanisms = 0 if self.verdict in _SIMPLEST else 1 + (Verdict.WARMUP in self.also)
        return self.score.nats + mechanisms * COMPLEXITY_NATS


# What needs no mechanism, for each kind of table. A level time over sizes is a law with a number less than latency and
# work have, which accuse the host of the same below their crossover.
_SIMPLEST = (Verdict.LINEAR, Verdict.SIZE_SCALING, Verdict.HOST_BOUND)


def choose(
    candidates: Iterable[Candidate | None],
    *,
    most_noise_fraction: float,
    missing: NextStep,
    prior_noise_fraction: float = PRIOR_NOISE,
) -> Diagnosis:
    """The diagnosis of the best explanation, or `inconclusive` where none is good, or none stands out.

    Args:
        candidates: explanations fitted to the same readings; None for one that cannot hold.
        most_noise_fraction: relative noise the best of them may leave.
        prior_noise_fraction: what is known of the noise: readings known to be noisy may be so, and be healthy.
        missing: what would help where nothing can be told.
    """
    ranked = sorted((each for each in candidates if each is not None), key=lambda each: each.nats)
    if not ranked or not math.isfinite(ranked[0].nats):
        return Diagnosis(Verdict.INCONCLUSIVE, 0.0, next_step=missing)
    weights = verdict_weights(ranked)
    best = _common(ranked, weights) or ranked[0]
    confidence = min(1.0, weights_held(ranked, weights)[best.verdict])
    relaxed = prior_noise_fraction / PRIOR_NOISE * _MOST_NOISE_OF.get(best.verdict, math.inf)
    most = min(most_noise_fraction, relaxed)
    if best.score.noise_fraction > most or confidence < LEAST_CONFIDENCE:
        return _undecided(best, weights, missing)
    return Diagnosis(
        verdict=best.verdict,
        confidence=confidence,
        also=best.also,
        evidence={**best.evidence, **_fit_evidence(best.score)},
        next_step=best.next_step or next_step("none"),
        **best.findings,
    )


def verdict_weights(candidates: Iterable[Candidate]) -> dict[Verdict, float]:
    """Share of each verdict: its best explanation's weight among the best of every verdict."""
    nats: dict[Verdict, float] = {}
    for each in candidates:
        nats[each.verdict] = min(each.nats, nats.get(each.verdict, math.inf))
    smallest = min(nats.values())
    odds = {verdict: math.exp(smallest - value) for verdict, value in nats.items()}
    total = sum(odds.values())
    return {verdict: value / total for verdict, value in odds.items()}


def weights_held(ranked: list[Candidate], weights: Mapping[Verdict, float]) -> dict[Verdict, float]:
    """Share of each verdict as the main one or beside another: a warm-up before a ramp is a warm-up too."""
    held = dict.fromkeys(weights, 0.0)
    for verdict, weight in weights.items():
        best = next(each for each in ranked if each.verdict is verdict)
        for name in (verdict, *best.also):
            held[name] = held.get(name, 0.0) + weight
    return held


def _common(ranked: list[Candidate], weights: Mapping[Verdict, float]) -> Candidate | None:
    """The explanation that holds beside whichever of the others is right, where none of them stands out itself."""
    if max(weights.values()) >= LEAST_CONFIDENCE:
        return None
    held = weights_held(ranked, weights)
    sure = [each for each in ranked if held[each.verdict] >= LEAST_CONFIDENCE]
    return sure[0] if sure else None


def _undecided(best: Candidate, weights: Mapping[Verdict, float], missing: NextStep) -> Diagnosis:
    others = sorted((each for each in weights if each is not best.verdict), key=lambda each: -weights[each])
    evidence = _fit_evidence(best.score)
    if best.verdict is not Verdict.INCONCLUSIVE:
        evidence["best_explanation"] = best.verdict.value
    if others:
        evidence |= {"other_explanation": others[0].value, "other_weight_fraction": weights[others[0]]}
    return Diagnosis(Verdict.INCONCLUSIVE, weights[best.verdict], evidence=evidence, next_step=missing)


def _fit_evidence(score: Score) -> dict[str, float | str]:
    return {"noise_fraction": score.noise_fraction, "outlier_count": float(score.outlier_count)}


def with_also(diagnosis: Diagnosis, *verdicts: Verdict) -> Diagnosis:
    """The diagnosis with more verdicts that hold at the same time, none twice."""
    seen = dict.fromkeys((*diagnosis.also, *verdicts))
    seen.pop(diagnosis.verdict, None)
    return replace(diagnosis, also=tuple(seen))
