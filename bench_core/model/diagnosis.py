"""A finding, what it rests on, and what would settle the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Interval = tuple[float, float]


class Verdict(StrEnum):
    """The closed set of findings; docs/diagnoses.md has a section for each."""

    LINEAR = "linear"
    QUEUE_SATURATION = "queue_saturation"
    UNSYNCHRONIZED = "unsynchronized"
    WORK_ELIMINATED = "work_eliminated"
    IMPLAUSIBLE_RATE = "implausible_rate"
    WARMUP = "warmup"
    GROWING_COST = "growing_cost"
    RAMP_THEN_PLATEAU = "ramp_then_plateau"
    THROTTLED = "throttled"
    BIMODAL = "bimodal"
    PERIODIC_SPIKES = "periodic_spikes"
    HOST_BOUND = "host_bound"
    SIZE_SCALING = "size_scaling"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class NextStep:
    """The one measurement that would settle what is left open.

    Attributes:
        kind: names a sentence in bench_core.report.messages, in every language.
        values: numbers and words that sentence needs.
    """

    kind: str
    values: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A verdict with its evidence; numbers are None where the data cannot tell.

    Attributes:
        also: other verdicts that hold at the same time, strongest first.
        confidence: weight of the verdict among the models compared, 0 to 1.
        knee_interval: 95 % interval of the knee, or the bracket of epoch counts it lies in.
        queue_capacity: epochs accepted and not finished when the queue is full.
        enqueue_s_per_epoch: host cost of one epoch before the knee.
        steady_s_per_epoch: device cost of one epoch.
        intercept_s: cost at zero epochs.
        flop_per_s: rate that the steady cost means.
        peak_fraction: that rate divided by the peak of `ran_as`.
        ran_as: precision the rate is compatible with, where it differs from or narrows what was asked.
        evidence: named numbers (unit as suffix) the verdict rests on.
        method_version: changes whenever the same data could give another answer.
    """

    verdict: Verdict
    confidence: float
    also: tuple[Verdict, ...] = ()
    knee_epoch_count: float | None = None
    knee_interval: Interval | None = None
    queue_capacity: float | None = None
    queue_capacity_interval: Interval | None = None
    enqueue_s_per_epoch: float | None = None
    steady_s_per_epoch: float | None = None
    intercept_s: float | None = None
    flop_per_s: float | None = None
    peak_fraction: float | None = None
    ran_as: str | None = None
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    next_step: NextStep | None = None
    method_version: str = "1"
