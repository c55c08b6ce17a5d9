"""What a diagnosis found, as rows: inferred once, in Python, and stored with the version of the method."""

import json
import time
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from bench_core.model.curve import CurveKey
from bench_core.model.diagnosis import Diagnosis

FINDINGS_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("precision", pa.string(), nullable=False),
        pa.field("mitigation", pa.string(), nullable=False),
        pa.field("shape", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("also", pa.list_(pa.string()), nullable=False),
        pa.field("confidence", pa.float64(), nullable=False),
        pa.field("knee_epoch_count", pa.float64()),
        pa.field("knee_interval", pa.list_(pa.float64())),
        pa.field("queue_capacity", pa.float64()),
        pa.field("queue_capacity_interval", pa.list_(pa.float64())),
        pa.field("enqueue_s_per_epoch", pa.float64()),
        pa.field("steady_s_per_epoch", pa.float64()),
        pa.field("intercept_s", pa.float64()),
        pa.field("flop_per_s", pa.float64()),
        pa.field("peak_fraction", pa.float64()),
        pa.field("ran_as", pa.string()),
        pa.field("evidence", pa.string(), nullable=False),
        pa.field("next_step", pa.string()),
        pa.field("method_version", pa.string(), nullable=False),
        pa.field("found_at_ns", pa.int64(), nullable=False),
    ]
)

_NUMBERS = (
    "confidence",
    "knee_epoch_count",
    "queue_capacity",
    "enqueue_s_per_epoch",
    "steady_s_per_epoch",
    "intercept_s",
    "flop_per_s",
    "peak_fraction",
    "ran_as",
    "method_version",
)


def findings_table(run_id: str, findings: Iterable[tuple[CurveKey, Diagnosis]]) -> pa.Table:
    """One row a finding, in the order given."""
    found_at_ns = time.time_ns()
    rows = [_row(key, diagnosis) | {"run_id": run_id, "found_at_ns": found_at_ns} for key, diagnosis in findings]
    return pa.Table.from_pylist(rows, schema=FINDINGS_SCHEMA)


def _row(key: CurveKey, diagnosis: Diagnosis) -> dict[str, Any]:
    step = diagnosis.next_step
    return {name: getattr(diagnosis, name) for name in _NUMBERS} | {
        "precision": key.precision,
        "mitigation": key.mitigation,
        "shape": key.shape,
        "verdict": diagnosis.verdict.value,
        "also": [verdict.value for verdict in diagnosis.also],
        "knee_interval": diagnosis.knee_interval,
        "queue_capacity_interval": diagnosis.queue_capacity_interval,
        "evidence": json.dumps(dict(diagnosis.evidence), sort_keys=True),
        "next_step": step and json.dumps({"kind": step.kind, "values": dict(step.values)}, sort_keys=True),
    }
