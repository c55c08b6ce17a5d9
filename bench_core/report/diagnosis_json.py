"""A diagnosis as the JSON object of `cliffwatch diagnose --json`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bench_core.model.diagnosis import Diagnosis


def diagnosis_json(diagnosis: Diagnosis, message: str, assumed: Sequence[str] = ()) -> dict[str, Any]:
    """Plain values; what is not known, or is no finite number, is None.

    Args:
        diagnosis: what was found.
        message: its three sentences.
        assumed: what the reader of the table assumed, a sentence each.
    """
    step = diagnosis.next_step
    found = {
        "verdict": diagnosis.verdict.value,
        "also": [verdict.value for verdict in diagnosis.also],
        "confidence": diagnosis.confidence,
        "knee_epoch_count": diagnosis.knee_epoch_count,
        "knee_interval": diagnosis.knee_interval,
        "queue_capacity": diagnosis.queue_capacity,
        "queue_capacity_interval": diagnosis.queue_capacity_interval,
        "enqueue_s_per_epoch": diagnosis.enqueue_s_per_epoch,
        "steady_s_per_epoch": diagnosis.steady_s_per_epoch,
        "intercept_s": diagnosis.intercept_s,
        "flop_per_s": diagnosis.flop_per_s,
        "peak_fraction": diagnosis.peak_fraction,
        "ran_as": diagnosis.ran_as,
        "evidence": diagnosis.evidence,
        "next_step": None if step is None else {"kind": step.kind, "values": step.values},
        "message": message,
        "assumed": list(assumed),
        "method_version": diagnosis.method_version,
    }
    return {name: plain(value) for name, value in found.items()}


def plain(value: Any) -> Any:
    """The value as JSON can hold it: tuples as lists, NaN and infinities as None."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
