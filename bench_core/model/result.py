"""What measuring a case yields: samples, or the reason there are none."""

from dataclasses import dataclass
from enum import StrEnum

from bench_core.model.case import Case
from bench_core.model.proof import Proof
from bench_core.model.telemetry import TelemetryReading


class Outcome(StrEnum):
    """How a case ended. Everything but `measured` carries a reason; none of them stops the sweep."""

    MEASURED = "measured"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    UNSUPPORTED = "unsupported"
    REFUSED = "refused"
    CANCELLED = "cancelled"

    @property
    def may_differ_next_time(self) -> bool:
        """Whether a retry makes sense: never for what the machine or the request decides."""
        return self in (Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.CANCELLED)


class StoppedBy(StrEnum):
    """What ended the sampling of a case."""

    INTERVAL = "interval"
    MAX_SAMPLES = "max_samples"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Sample:
    """Epochs issued back to back and drained, timed as one.

    Attributes:
        sample_index: position within the case, warm-up samples first, from 0.
        epoch_count: epochs of this sample; a warm-up sample may be shorter than its case.
        is_warmup: taken before the steady state: kept, never part of an estimate.
        started_at_ns: Unix time in nanoseconds, for lining up with telemetry; durations never come from it.
        enqueue_time_ns: from before the first call until the last call returned, stalls included.
        drain_time_ns: from then until the device was idle.
        call_end_ns: the clock after every call, counted from the start of the sample; None where the host does not
            make one call an epoch.
        finish_lag_ns: how long a value that exists only after the last epoch was still awaited after the drain; None
            where the strategy returns none.
        checksum_rel_error: of the sum to which every epoch contributed; None where the strategy keeps none.
        disturbed_by: what else had the device during the sample, or why it was throttled; None when nothing was seen.
        resident_bytes: memory of the measuring process after the sample.
        allocator_bytes: what TensorFlow's allocator had in use then; None on the CPU, which keeps no such count.
        allocator_peak_bytes: the most it had in use so far.
        graph_trace_count: how often the strategy's function had been traced by then.
        graph_node_count: nodes of the graph its latest trace made.
    """

    sample_index: int
    epoch_count: int
    is_warmup: bool
    started_at_ns: int
    enqueue_time_ns: int
    drain_time_ns: int
    call_end_ns: tuple[int, ...] | None = None
    finish_lag_ns: int | None = None
    checksum_rel_error: float | None = None
    disturbed_by: str | None = None
    resident_bytes: int | None = None
    allocator_bytes: int | None = None
    allocator_peak_bytes: int | None = None
    graph_trace_count: int | None = None
    graph_node_count: int | None = None

    @property
    def wall_time_ns(self) -> int:
        """Enqueue and drain together."""
        return self.enqueue_time_ns + self.drain_time_ns


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with what came of it.

    Attributes:
        reason: one sentence why there is no measurement, or what was changed to get one; None when all went as asked.
        ran_on: the device as TensorFlow reported it, read back from the operand.
        tuned: what the strategy chose for itself, for example ("window", 64).
        proof: evidence that the work was done; None when nothing was measured.
        telemetry: readings of the device from the end of the case before until the end of this one.
    """

    case: Case
    outcome: Outcome
    samples: tuple[Sample, ...] = ()
    reason: str | None = None
    stopped_by: StoppedBy | None = None
    ran_on: str | None = None
    tuned: tuple[tuple[str, int], ...] = ()
    proof: Proof | None = None
    telemetry: tuple[TelemetryReading, ...] = ()

    @property
    def steady_samples(self) -> tuple[Sample, ...]:
        """Samples taken in the steady state."""
        return tuple(sample for sample in self.samples if not sample.is_warmup)

    @property
    def epoch_count(self) -> int:
        """Epochs of a steady sample: the case's, or fewer where it was shrunk to its budget."""
        return self.steady_samples[0].epoch_count if self.steady_samples else self.case.epoch_count

    @property
    def measured_time_ns(self) -> int:
        """Summed wall time of the recorded steady samples."""
        return sum(sample.wall_time_ns for sample in self.steady_samples)
