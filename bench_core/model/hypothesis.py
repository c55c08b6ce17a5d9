"""What an explanation or a remedy from the origin question turned out to be, as rows to store and report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bench_core.model.diagnosis import Interval


class HypothesisVerdict(StrEnum):
    """What the measured evidence says of a hypothesis."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """One hypothesis against one run.

    Attributes:
        hypothesis: H0 to H4.
        sentence: the finding in plain words, in English.
        evidence: named numbers (unit as suffix) the verdict rests on.
        method_version: changes whenever the same data could give another answer.
    """

    hypothesis: str
    verdict: HypothesisVerdict
    sentence: str
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    method_version: str = "1"


@dataclass(frozen=True, slots=True)
class MitigationEffect:
    """One mitigation against its control at equal FLOP.

    Attributes:
        verdict: one word for `sentence`, such as `faster` or `does_no_work`.
        steady_cost_ratio: true cost of one epoch divided by the control's; None without proof of both.
        enqueue_cost_ratio: what the unsynchronised stopwatch shows, divided by the control's.
    """

    precision: str
    mitigation: str
    shape: str
    verdict: str
    sentence: str
    steady_cost_ratio: float | None = None
    steady_cost_ratio_interval: Interval | None = None
    enqueue_cost_ratio: float | None = None
    evidence: Mapping[str, float | str] = field(default_factory=dict)
    method_version: str = "1"
