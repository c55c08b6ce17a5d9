"""Evidence that the device did the work a time is credited with, and finished it."""

from dataclasses import dataclass
from enum import StrEnum


class ProofVerdict(StrEnum):
    """What the evidence says; only `proven` times may be compared and ranked."""

    PROVEN = "proven"
    WORK_ELIMINATED = "work_eliminated"
    WORK_SKIPPED = "work_skipped"
    NOT_FINISHED = "not_finished"
    WRONG_PRODUCT = "wrong_product"
    OTHER_PRECISION = "other_precision"
    IMPLAUSIBLE_RATE = "implausible_rate"
    UNPROVEN = "unproven"


class CountMethod(StrEnum):
    """How executed matmuls were counted."""

    PROFILER = "profiler"
    NO_COUNTER = "no_counter"


@dataclass(frozen=True, slots=True)
class Proof:
    """Evidence for one strategy, precision and shape under one TensorFlow, from passes that are not timed.

    Attributes:
        executed_matmuls: counted in a profiler pass; None where no counter exists.
        expected_matmuls: how many the epochs of that pass need.
        finish_lag_s: how long a value that exists only after the last epoch was still awaited after the drain of
            the timed samples had returned (median); None where the strategy returns no such value.
        max_rel_error: largest error of sampled elements of a product of fresh random operands, against a float64
            reference from the operands as stored, relative to the root sum of squares of the terms; None where there
            is no product to look at.
        rms_rel_error: root mean square of the same errors: its size tells the precision.
        tiny_rel_error: the same for operands below fp16's range, which tells tf32 from fp16.
        checksum_rel_error: largest error, over the timed samples, of the sum to which every epoch contributed; None
            where there is none.
        ran_as: precision the probe's error and the storage type show; None where nothing could be probed.
        verdict: what all of this and the rate say together (bench_core.analyze.proof).
    """

    expected_matmuls: int
    executed_matmuls: int | None = None
    count_method: CountMethod = CountMethod.NO_COUNTER
    finish_lag_s: float | None = None
    max_rel_error: float | None = None
    rms_rel_error: float | None = None
    tiny_rel_error: float | None = None
    checksum_rel_error: float | None = None
    ran_as: str | None = None
    verdict: ProofVerdict = ProofVerdict.UNPROVEN
