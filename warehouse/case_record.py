"""A measured case as one row of Parquet: one file a case, so that a case is there whole or not at all."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench_core.model.result import CaseResult, Sample
from bench_core.model.run import Run
from warehouse.durable import write_durably
from warehouse.statistics import summarize, summary_columns

SAMPLE_TYPE = pa.struct(
    [
        pa.field("sample_index", pa.int32(), nullable=False),
        pa.field("epoch_count", pa.int64(), nullable=False),
        pa.field("is_warmup", pa.bool_(), nullable=False),
        pa.field("started_at_ns", pa.int64(), nullable=False),
        pa.field("enqueue_time_ns", pa.int64(), nullable=False),
        pa.field("drain_time_ns", pa.int64(), nullable=False),
        pa.field("call_end_ns", pa.list_(pa.int64())),
    ]
)

CASE_FIELDS = [
    pa.field("run_id", pa.string(), nullable=False),
    pa.field("case_id", pa.string(), nullable=False),
    pa.field("device", pa.string(), nullable=False),
    pa.field("precision", pa.string(), nullable=False),
    pa.field("mitigation", pa.string(), nullable=False),
    pa.field("strategy", pa.string(), nullable=False),
    pa.field("settings", pa.list_(pa.string()), nullable=False),
    pa.field("shape", pa.string(), nullable=False),
    pa.field("epoch_count", pa.int64(), nullable=False),
    pa.field("flop_per_epoch", pa.int64(), nullable=False),
    pa.field("operand_source", pa.string(), nullable=False),
    pa.field("hold", pa.string(), nullable=False),
    pa.field("operand_seed", pa.int64(), nullable=False),
    pa.field("outcome", pa.string(), nullable=False),
    pa.field("reason", pa.string()),
    pa.field("stopped_by", pa.string()),
    pa.field("ran_on", pa.string()),
    pa.field("executed_matmuls", pa.int64()),
    pa.field("expected_matmuls", pa.int64()),
    pa.field("count_method", pa.string()),
    pa.field("max_rel_error", pa.float64()),
    pa.field("ran_as", pa.string()),
    pa.field("proof_verdict", pa.string()),
    pa.field("sample_count", pa.int64(), nullable=False),
    pa.field("warmup_count", pa.int64(), nullable=False),
    *(pa.field(name, pa.int64()) for name in summary_columns()),
    pa.field("ceiling_flop_per_s", pa.float64()),
    pa.field("ceiling_uncertainty_fraction", pa.float64(), nullable=False),
]

RECORD_SCHEMA = pa.schema([*CASE_FIELDS, pa.field("samples", pa.list_(SAMPLE_TYPE), nullable=False)])


def write_record(path: Path, run: Run, result: CaseResult) -> None:
    """Write the case and its samples durably as one Parquet file.

    Raises:
        WarehouseError: the file system refuses.
    """
    row = _case_row(run, result) | {"samples": [_sample_row(sample) for sample in result.samples]}
    table = pa.Table.from_pylist([row], schema=RECORD_SCHEMA)
    write_durably(path, lambda temporary: pq.write_table(table, temporary, compression="zstd"))


def _case_row(run: Run, result: CaseResult) -> dict[str, Any]:
    case = result.case
    return {
        "run_id": run.run_id,
        "case_id": case.case_id,
        "device": str(case.device),
        "precision": case.precision.value,
        "mitigation": str(case.mitigation),
        "strategy": case.mitigation.strategy,
        "settings": list(case.mitigation.settings),
        "shape": str(case.shape),
        "epoch_count": case.epoch_count,
        "flop_per_epoch": case.flop_per_epoch,
        "operand_source": case.operands.source.value,
        "hold": case.operands.hold.value,
        "operand_seed": case.operands.seed,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "stopped_by": result.stopped_by and result.stopped_by.value,
        "ran_on": result.ran_on,
        "sample_count": len(result.steady_samples),
        "warmup_count": len(result.samples) - len(result.steady_samples),
        **summarize(result.steady_samples),
        "ceiling_flop_per_s": run.ceiling_flop_per_s.get(case.precision.value),
        "ceiling_uncertainty_fraction": run.ceiling_uncertainty_fraction,
    }


def _sample_row(sample: Sample) -> dict[str, Any]:
    return {
        "sample_index": sample.sample_index,
        "epoch_count": sample.epoch_count,
        "is_warmup": sample.is_warmup,
        "started_at_ns": sample.started_at_ns,
        "enqueue_time_ns": sample.enqueue_time_ns,
        "drain_time_ns": sample.drain_time_ns,
        "call_end_ns": sample.call_end_ns,
    }
