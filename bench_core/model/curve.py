"""What a diagnosis is made from: timings against epochs, calls or sizes, and what is known of the work.

All times are seconds. The configured queue capacity is nowhere here: a diagnosis may only see what was measured.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bench_core.model.proof import Proof, ProofVerdict


class XKind(StrEnum):
    """What the first column counts."""

    EPOCHS = "epochs"
    INDEX = "index"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of the work behind the timings; None where nobody said.

    Attributes:
        bytes_per_epoch: bytes moved to and from memory by one epoch.
        peak_flop_per_s: the data sheet's dense peak for `precision`, or a person's --peak.
        gpu: the card's name, to look its peaks up.
        ceiling_flop_per_s: best synchronised rate found on the device in the same run.
        ceiling_uncertainty_fraction: relative uncertainty of the ceiling.
        is_synchronized: whether the clock was read only after the device was idle.
    """

    flop_per_epoch: float | None = None
    bytes_per_epoch: float | None = None
    precision: str | None = None
    gpu: str | None = None
    peak_flop_per_s: float | None = None
    ceiling_flop_per_s: float | None = None
    ceiling_uncertainty_fraction: float = 0.0
    is_synchronized: bool | None = None


@dataclass(frozen=True, slots=True)
class CurveKey:
    """Which curve of a run this is."""

    run_id: str
    device: str
    precision: str
    mitigation: str
    strategy: str
    settings: tuple[str, ...]
    shape: str


@dataclass(frozen=True, slots=True)
class CurveSample:
    """One whole sample of a scaling curve: the unit that is resampled for an interval.

    Attributes:
        enqueue_time_s: what a stopwatch without synchronization shows.
        drain_time_s: the wait until the device was idle; None where nobody waited.
        call_end_s: seconds after the start at which each call returned, shape (epoch_count,); None without a trace.
    """

    epoch_count: int
    enqueue_time_s: float
    drain_time_s: float | None = None
    call_end_s: npt.NDArray[np.float64] | None = None

    @property
    def wall_time_s(self) -> float | None:
        """Enqueue and drain together; None where nobody waited."""
        return None if self.drain_time_s is None else self.enqueue_time_s + self.drain_time_s


@dataclass(frozen=True, slots=True)
class ScalingCurve:
    """Separate loops of different epoch counts; samples in any order, at least one.

    Attributes:
        proof: the weakest among the proofs of its cases; None where none was gathered, as for a pasted table.
    """

    samples: tuple[CurveSample, ...]
    work: Work = Work()
    key: CurveKey | None = None
    proof: Proof | None = None

    @property
    def proof_verdict(self) -> ProofVerdict | None:
        """What that proof says."""
        return None if self.proof is None else self.proof.verdict


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One row of a scaling curve as a reader sees it.

    Attributes:
        enqueue_time_s: what a stopwatch without synchronization shows; from traces too, so for any smaller count.
        wall_time_s: median of the samples drained at this count; None where none was.
        fitted_wall_time_s: wall time by the fitted line, only where none was measured; None where no line fits.
    """

    epoch_count: int
    enqueue_time_s: float | None = None
    wall_time_s: float | None = None
    fitted_wall_time_s: float | None = None


@dataclass(frozen=True, slots=True)
class CallSeries:
    """Seconds of one call after the other.

    Attributes:
        index: call numbers, strictly increasing, not necessarily every one, shape (n,).
        seconds: duration of that call, shape (n,).
        synchronized_s: the same calls with synchronization, shape (n,), or None.
    """

    index: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    synchronized_s: npt.NDArray[np.float64] | None = None
    work: Work = Work()


@dataclass(frozen=True, slots=True)
class SizeSweep:
    """Seconds per call at each problem size.

    Attributes:
        size: strictly increasing, shape (n,).
        seconds: duration of one call, shape (n,).
        synchronized_s: the same calls with synchronization, or another device's, shape (n,), or None.
        is_second_synchronized: whether those are surely the same calls, waited for; else who waited is unknown.
    """

    size: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    synchronized_s: npt.NDArray[np.float64] | None = None
    work: Work = Work()
    is_second_synchronized: bool = True


Observations = ScalingCurve | CallSeries | SizeSweep
