"""The diagnosis of seconds against problem size."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bench_core.analyze.candidate import MOST_SIZE_NOISE_FRACTION, choose, with_also
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.plausibility import hold_to_rate
from bench_core.analyze.size_explanations import Abandoned, LatencyAndWork, LevelTime, SizeExplanation
from bench_core.analyze.thinning import even_rows
from bench_core.model.curve import SizeSweep, Work
from bench_core.model.diagnosis import Diagnosis, Verdict

Array = npt.NDArray[np.float64]

# Sizes a long sweep is judged by.
_MOST_SIZES = 256

# What the clock must miss at the largest size before a sweep misleads (as for a curve).
_MISSED_FRACTION = 0.5

# Times that do not even double while another clock sees the same work grow to ten times as much do not show it: devices
# differ in their latency and in their rate, not in what the work is.
_MOST_LEVEL_GROWTH = 2.0
_LEAST_GROWTH_BESIDE = 10.0


def diagnose_sizes(sweep: SizeSweep) -> Diagnosis:
    """What seconds against problem size mean; the work, where it is known, is that of the largest size."""
    kept = even_rows(len(sweep.size), _MOST_SIZES)
    size, seconds = sweep.size[kept], sweep.seconds[kept]
    if sweep.synchronized_s is None:
        return _diagnose(size, seconds, sweep.work)
    waited = sweep.synchronized_s[kept]
    if not sweep.is_second_synchronized:
        beside = _level_beside(size, seconds, waited, sweep.work) or _level_beside(size, waited, seconds, sweep.work)
        return beside or _diagnose(size, seconds, sweep.work)
    finished = _diagnose(size, waited, replace(sweep.work, is_synchronized=True))
    if seconds[-1] >= _MISSED_FRACTION * waited[-1]:
        return finished
    missed = replace(
        finished,
        verdict=Verdict.UNSYNCHRONIZED,
        confidence=1.0,
        enqueue_s_per_epoch=float(seconds[-1]),
        evidence={**finished.evidence, "missed_ratio": float(waited[-1] / seconds[-1])},
        next_step=next_step("synchronize"),
    )
    return with_also(missed, *(() if finished.verdict is Verdict.INCONCLUSIVE else (finished.verdict,)))


def _level_beside(size: Array, level_s: Array, growing_s: Array, work: Work) -> Diagnosis | None:
    """What level times mean where another clock shows that the work grows; None where they are not level, or it not."""
    level_growth, growth = float(level_s[-1] / level_s[0]), float(growing_s[-1] / growing_s[0])
    level = LevelTime(work.is_synchronized).explain(size, level_s)
    if level is None or level_growth >= _MOST_LEVEL_GROWTH or growth < _LEAST_GROWTH_BESIDE * level_growth:
        return None
    diagnosis = choose([level], most_noise_fraction=MOST_SIZE_NOISE_FRACTION, missing=next_step("synchronize"))
    told = replace(diagnosis, evidence={**diagnosis.evidence, "other_growth_ratio": growth})
    return hold_to_rate(told, work, fastest_s_per_epoch=float(level_s[-1]), epoch_count=1.0)


def _diagnose(size: Array, seconds: Array, work: Work) -> Diagnosis:
    explanations: list[SizeExplanation] = [LatencyAndWork(), LevelTime(work.is_synchronized)]
    if work.is_synchronized is not True:
        explanations.append(Abandoned())
    missing = next_step("measure_more", reading_count=float(max(5 - len(size), 2)), up_to=10 * float(size[-1]))
    diagnosis = choose(
        (each.explain(size, seconds) for each in explanations),
        most_noise_fraction=MOST_SIZE_NOISE_FRACTION,
        missing=missing,
    )
    return hold_to_rate(diagnosis, work, fastest_s_per_epoch=float(seconds[-1]), epoch_count=1.0)
