"""Simulates the limits of the analysis: `python -m bench.cutoffs`. About two minutes on one core.

Prints what docs/method.md states under "Cut-offs" and "Knee": how often a straight line is accused at each price of a
mechanism, what the F statistic of a searched break does on straight lines, and how well a knee is placed.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from bench_core.analyze import candidate
from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.lines import fit_bent_line, fit_line
from bench_core.analyze.simulate import SimulatedQueue, simulate_curve
from bench_core.model.curve import CallSeries, CurveSample, Observations, ScalingCurve
from bench_core.model.diagnosis import Diagnosis, Verdict

Array = npt.NDArray[np.float64]

_DRAWS = 1000
_COUNTS = np.array([100, 200, 500, 1000, 1100, 1200, 1500, 2000], float)


def main() -> None:
    """Print every table."""
    rng = np.random.default_rng(11)
    for nats in (0.0, 2.0, 3.0, 5.0, 8.0):
        candidate.COMPLEXITY_NATS = nats
        print(f"price of a mechanism {nats:.0f} nats:", ", ".join(_accusations(rng)))
    candidate.COMPLEXITY_NATS = 5.0
    statistics = [_f_statistic(_noisy(1e-2 * _COUNTS, rng)) for _ in range(_DRAWS)]
    q95, q99 = np.quantile(statistics, (0.95, 0.99))
    print(f"F of a searched break on {_DRAWS} straight lines: q95 {q95:.1f}, q99 {q99:.1f} (usual cut-off 6.9 at 95 %)")
    print("knees:", ", ".join(_knees(rng)))


def _accusations(rng: np.random.Generator) -> Iterator[str]:
    """Of straight tables and level series at 3 % noise: how many are called something else, and how many are open."""
    for readings in (4, 5, 8, 20, 40):
        verdicts = [diagnose(table).verdict for table in _healthy(readings, rng)]
        open_count = sum(verdict is Verdict.INCONCLUSIVE for verdict in verdicts)
        accused = sum(verdict not in (Verdict.LINEAR, Verdict.INCONCLUSIVE) for verdict in verdicts)
        yield f"n={readings} accused {accused} open {open_count} of {len(verdicts)}"


def _healthy(readings: int, rng: np.random.Generator) -> Iterator[Observations]:
    index = np.arange(1.0, readings + 1)
    for _ in range(_DRAWS // 2):
        counts = np.round(100 * index)
        yield _totals(counts, _noisy(1e-2 * counts, rng))
        yield CallSeries(index, _noisy(np.full(readings, 1e-2), rng))


def _f_statistic(seconds: Array) -> float:
    """Of the best knee against the straight line: 2 more parameters, 4 degrees of freedom left of 8 readings."""
    bent, line = fit_bent_line(_COUNTS, seconds), fit_line(_COUNTS, seconds)
    assert bent is not None
    inner, outer = (float(np.sum((each.at(_COUNTS) / seconds - 1) ** 2)) for each in (bent, line))
    return ((outer - inner) / 2) / (inner / 4)


def _knees(rng: np.random.Generator) -> Iterator[str]:
    queue = SimulatedQueue(capacity=1024, enqueue_s=1e-3, device_s=5e-2)
    for readings in (5, 6, 8, 12, 20):
        found = [_knee(queue, readings, rng) for _ in range(100)]
        errors = [abs(each.knee_epoch_count / 1044.9 - 1) for each in found if each.knee_epoch_count is not None]
        yield f"{readings} readings: {len(errors)} of 100 placed, 95 % within {np.quantile(errors, 0.95):.1%}"


def _knee(queue: SimulatedQueue, readings: int, rng: np.random.Generator) -> Diagnosis:
    # Counts at random between a twentieth of the knee and twice the knee.
    counts = sorted({int(count) for count in rng.uniform(50, 2100, readings)})
    return diagnose(simulate_curve(queue, counts, rng))


def _totals(counts: Array, seconds: Array) -> ScalingCurve:
    return ScalingCurve(tuple(CurveSample(int(n), float(s)) for n, s in zip(counts, seconds, strict=True)))


def _noisy(seconds: Array, rng: np.random.Generator) -> Array:
    noisy: Array = seconds * np.exp(rng.normal(0.0, 0.03, len(seconds)))
    return noisy


if __name__ == "__main__":
    main()
