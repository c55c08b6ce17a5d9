"""A measured case as one row of Parquet: one file a case, so that a case is there whole or not at all."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench_core.model.proof import Proof
from bench_core.model.result import CaseResult, Sample
from bench_core.model.run import Run
from bench_core.model.telemetry import TelemetryReading
from warehouse.run_row import unix_ns
from warehouse.schema import CASES, LAUNCHES, SAMPLES, SCHEMA_VERSION, TELEMETRY
from warehouse.series import series_id
from warehouse.statistics import estimate_samples, summarize

# What a sample or a reading has of its own; the rest of its row is the case's.
_OF_CASE = {
    "run_id",
    "case_id",
    "series_id",
    "device",
    "device_kind",
    "device_uuid",
    "precision",
    "mitigation",
    "shape",
}
_SAMPLE_FIELDS = [field for field in SAMPLES.schema if field.name not in _OF_CASE]
_TELEMETRY_FIELDS = [field for field in TELEMETRY.schema if field.name not in _OF_CASE]
_TRACE = pa.field("call_end_ns", pa.list_(pa.int64()))

RECORD_SCHEMA = pa.schema(
    [
        *CASES.schema,
        pa.field("samples", pa.list_(pa.struct([*_SAMPLE_FIELDS, _TRACE])), nullable=False),
        pa.field("telemetry", pa.list_(pa.struct(_TELEMETRY_FIELDS)), nullable=False),
    ]
)


def write_record(path: Path, run: Run, result: CaseResult) -> None:
    """Write the case, its samples and readings as one Parquet file; not durable yet."""
    row = _case_row(run, result)
    columns = [pa.array([row.get(field.name)], field.type) for field in CASES.schema]
    columns += [_samples(result.samples), _readings(result.telemetry)]
    table = pa.Table.from_arrays(columns, schema=RECORD_SCHEMA)
    # One row, read once and as a whole: dictionaries and statistics of a hundred columns would help nobody.
    pq.write_table(
        table, path, compression="zstd", use_dictionary=False, write_statistics=False, write_page_checksum=True
    )


def read_record(path: Path) -> pa.Table:
    """The record as a table of one row, with every page checked.

    Raises:
        OSError, pa.ArrowException: not readable as Parquet.
    """
    # A thread a column costs more than decoding a column of one row.
    return pq.ParquetFile(path, page_checksum_verification=True).read(use_threads=False)


def flatten_records(records: pa.Table) -> dict[str, pa.Table]:
    """Rows of the tables cases, samples, launches and telemetry, by table name."""
    records = records.combine_chunks()
    samples = _exploded(records, "samples", [*_OF_CASE])
    return {
        "cases": records.select(CASES.schema.names).cast(CASES.schema),
        "samples": samples.select(SAMPLES.schema.names).cast(SAMPLES.schema),
        "launches": _launches(samples),
        "telemetry": _exploded(records, "telemetry", ["run_id", "case_id"])
        .select(TELEMETRY.schema.names)
        .cast(TELEMETRY.schema),
    }


def _exploded(records: pa.Table, name: str, repeated: list[str]) -> pa.Table:
    """One row an element of the list column `name`, beside the repeated columns of its record."""
    nested = records[name].combine_chunks()
    elements = nested.flatten()
    table = records.select(repeated).take(nested.value_parent_indices())
    for i in range(elements.type.num_fields):
        table = table.append_column(elements.type.field(i), elements.field(i))
    return table


def _launches(samples: pa.Table) -> pa.Table:
    traces = samples["call_end_ns"].combine_chunks()
    parents = traces.value_parent_indices()
    lengths = np.diff(traces.offsets.to_numpy())
    indices = np.concatenate([np.arange(length) for length in lengths]) if len(lengths) else np.empty(0, np.int64)
    table = samples.select(["run_id", "case_id", "sample_index"]).take(parents)
    table = table.append_column("epoch_index", pa.array(indices, pa.int64()))
    return table.append_column("call_end_ns", traces.flatten()).cast(LAUNCHES.schema)


def _case_row(run: Run, result: CaseResult) -> dict[str, Any]:
    case = result.case
    used = estimate_samples(result.samples)
    row: dict[str, Any] = {
        "run_id": run.run_id,
        "case_id": case.case_id,
        "device": str(case.device),
        "device_kind": case.device.kind.value,
        "device_uuid": run.device.device_uuid,
        "precision": case.precision.value,
        "mitigation": str(case.mitigation),
        "shape": str(case.shape),
        "epoch_count": used[0].epoch_count if used else case.epoch_count,
        "strategy": case.mitigation.strategy,
        "settings": list(case.mitigation.settings),
        "flop_per_epoch": case.flop_per_epoch,
        "operand_source": case.operands.source.value,
        "hold": case.operands.hold.value,
        "operand_seed": case.operands.seed,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "stopped_by": result.stopped_by and result.stopped_by.value,
        "ran_on": result.ran_on,
        "tuned": list(result.tuned),
        "ceiling_flop_per_s": run.ceiling_flop_per_s.get(case.precision.value),
        "ceiling_uncertainty_fraction": run.ceiling_uncertainty_fraction,
        "host": run.environment.host,
        "started_at_ns": unix_ns(run),
        "cliffwatch_version": run.cliffwatch_version,
        "schema_version": SCHEMA_VERSION,
    }
    row["series_id"] = series_id(row)
    return row | _counts(result) | _surroundings(result) | _proof_row(result.proof) | summarize(used)


def _counts(result: CaseResult) -> dict[str, int]:
    steady = result.steady_samples
    return {
        "sample_count": len(steady),
        "ok_count": len(estimate_samples(result.samples)),
        "warmup_count": len(result.samples) - len(steady),
        "disturbed_count": sum(sample.disturbed_by is not None for sample in steady),
    }


def _surroundings(result: CaseResult) -> dict[str, int | None]:
    """Peak memory of the device, or of the process where that is the CPU; time until the first sample was done."""
    on_device = [sample.allocator_peak_bytes for sample in result.samples if sample.allocator_peak_bytes]
    on_device += [reading.device_memory_bytes for reading in result.telemetry if reading.device_memory_bytes]
    in_process = [sample.resident_bytes for sample in result.samples if sample.resident_bytes]
    in_process += [reading.resident_bytes for reading in result.telemetry if reading.resident_bytes]
    first = result.samples[0].wall_time_ns if result.samples else None
    return {"peak_memory_bytes": max(on_device or in_process, default=None), "first_result_time_ns": first}


def _proof_row(proof: Proof | None) -> dict[str, Any]:
    if proof is None:
        return {}
    names = {field.name for field in fields(Proof)} - {"verdict", "count_method"}
    row = {name: getattr(proof, name) for name in names}
    return row | {"count_method": proof.count_method.value, "proof_verdict": proof.verdict.value}


def _samples(samples: tuple[Sample, ...]) -> pa.Array:
    used = {id(sample) for sample in estimate_samples(samples)}
    columns = [
        pa.array([id(sample) in used for sample in samples], field.type)
        if field.name == "is_ok"
        else pa.array([getattr(sample, field.name) for sample in samples], field.type)
        for field in _SAMPLE_FIELDS
    ]
    columns.append(pa.array([sample.call_end_ns for sample in samples], _TRACE.type))
    return _one_list(pa.StructArray.from_arrays(columns, fields=[*_SAMPLE_FIELDS, _TRACE]))


def _readings(readings: tuple[TelemetryReading, ...]) -> pa.Array:
    columns = [
        pa.array([getattr(reading, field.name) for reading in readings], field.type) for field in _TELEMETRY_FIELDS
    ]
    return _one_list(pa.StructArray.from_arrays(columns, fields=_TELEMETRY_FIELDS))


def _one_list(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
