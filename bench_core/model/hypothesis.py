"""What an explanation or a remedy from the origin question turned out to be, as rows to store and report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bench_core.model.curve import ScalingCurve
from bench_core.model.diagnosis import Diagnosis, Interval

# What was said, or could be said, to be the cause of the question's curve.
HYPOTHESES: dict[str, str] = {
    "H0": "a bounded launch queue fills, and from then on the host waits for the device",
    "H1": "the graph grows with every call",
    "H2": "memory fragments",
    "H3": "the scheduler is overloaded",
    "H4": "resources such as streams and events run out",
}


class HypothesisVerdict(StrEnum):
    """What the measured evidence says of a hypothesis."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class SampleState:
    """What one steady sample of the control left behind.

    Attributes:
        epochs_so_far: epochs its case had issued by then, warm-up included.
        wall_s_per_epoch: wall time of the sample divided by its epochs.
        memory_bytes: in use by TensorFlow's allocator, or resident where there is no such count.
    """

    case_id: str
    epochs_so_far: int
    wall_s_per_epoch: float
    memory_bytes: int | None = None
    graph_trace_count: int | None = None
    graph_node_count: int | None = None


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """What the cases of a run's control left behind beside their times.

    Attributes:
        states: of steady samples, warm-up epochs counted.
        executed_matmuls: the fewest counted for any case, of expected_matmuls; None without a counter.
        lost_case_count: cases that ended in a crash or out of memory.
    """

    states: tuple[SampleState, ...] = ()
    executed_matmuls: int | None = None
    expected_matmuls: int | None = None
    lost_case_count: int = 0


@dataclass(frozen=True, slots=True)
class ResizedQueue:
    """The control with another queue capacity: `factor` times that of the control."""

    factor: float
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class ControlEvidence:
    """All that a run's control says about why its curve bends."""

    curve: ScalingCurve
    diagnosis: Diagnosis
    record: ControlRecord = ControlRecord()
    resized: tuple[ResizedQueue, ...] = ()


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
