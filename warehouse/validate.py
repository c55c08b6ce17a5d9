"""What must hold before a record may enter a table: a reader never has to wonder."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.case_record import RECORD_SCHEMA


def problems_of(record: pa.Table, run_id: str) -> tuple[str, ...]:
    """Everything that is wrong with a staged record; empty when it may enter."""
    shape = tuple(_schema_problems(record))
    return shape or tuple(_value_problems(record, run_id))


def _schema_problems(record: pa.Table) -> Iterator[str]:
    found = {field.name: field.type for field in record.schema}
    wanted = {field.name: field.type for field in RECORD_SCHEMA}
    for name in wanted.keys() - found.keys():
        yield f"column {name} is missing"
    for name in found.keys() - wanted.keys():
        yield f"column {name} is not known"
    for name in wanted.keys() & found.keys():
        if found[name] != wanted[name]:
            yield f"column {name} is {found[name]}, not {wanted[name]}"
    if record.num_rows != 1:
        yield f"{record.num_rows} rows, not one"


def _value_problems(record: pa.Table, run_id: str) -> Iterator[str]:
    try:
        record.validate(full=True)
    except pa.ArrowInvalid as error:
        yield f"inconsistent content: {error}"
        return
    yield from _case_problems(record, run_id)
    samples = record["samples"].combine_chunks().flatten()
    yield from _sample_problems(samples)
    steady = pc.sum(pc.invert(samples.field("is_warmup"))).as_py() or 0
    if steady != record["sample_count"][0].as_py():
        yield f"sample_count is {record['sample_count'][0].as_py()}, but {steady} samples are steady"


def _case_problems(record: pa.Table, run_id: str) -> Iterator[str]:
    if record["run_id"][0].as_py() != run_id:
        yield f"it belongs to run {record['run_id'][0].as_py()}"
    for field in record.schema:
        value = record[field.name][0]
        if not field.nullable and not value.is_valid:
            yield f"{field.name} is null"
        if pa.types.is_floating(field.type) and value.is_valid and not pc.is_finite(value).as_py():
            yield f"{field.name} is {value.as_py()}: unknown is null"


def _sample_problems(samples: pa.StructArray) -> Iterator[str]:
    for name in ("enqueue_time_ns", "drain_time_ns"):
        if samples.field(name).null_count or (pc.min(samples.field(name)).as_py() or 0) < 0:
            yield f"{name} is null or negative"
    errors = samples.field("checksum_rel_error").drop_null()
    if len(errors) and not pc.all(pc.is_finite(errors)).as_py():
        yield "checksum_rel_error is not finite: unknown is null"
    yield from _trace_problems(samples)


def _trace_problems(samples: pa.StructArray) -> Iterator[str]:
    """A call cannot return before the one ahead of it, nor after the enqueueing ended."""
    traces = samples.field("call_end_ns")
    ends, of_sample = traces.flatten().to_numpy(), traces.value_parent_indices().to_numpy()
    if np.any((np.diff(ends) < 0) & (np.diff(of_sample) == 0)) or np.any(ends < 0):
        yield "call_end_ns decreases within a sample"
    if np.any(ends > samples.field("enqueue_time_ns").to_numpy(zero_copy_only=False)[of_sample]):
        yield "call_end_ns lies after the end of enqueueing"
