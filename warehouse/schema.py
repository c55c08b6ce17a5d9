"""The tables of the warehouse: columns, field ids that never change, and the order in which compaction sorts rows.

A column may be added with a new id; an id is never given to another column, and no column changes its type. The
schema version counts such additions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from warehouse.statistics import summary_columns

SCHEMA_VERSION = 2

# By month of commit: old months are never rewritten, and one month fits in memory.
PARTITION = "ingest_month"

TEXTS = pa.list_(pa.string())
NUMBERS = pa.list_(pa.float64())
RATES = pa.map_(pa.string(), pa.float64())
TEXT_BY_NAME = pa.map_(pa.string(), pa.string())


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table.

    Attributes:
        schema: what the Parquet files hold; every field carries its id.
        sort_by: columns compaction sorts by, so that a question about one device or run skips most row groups.
        delta_packed: integer columns stored as differences; their dictionary would be as long as the column.
        row_group_rows: rows a row group. DuckDB's own vector of row groups scans fastest; a table that is asked for a
            thousandth of its rows is better off with fewer to look at (docs/decisions/0051-files.md).
    """

    name: str
    schema: pa.Schema
    sort_by: tuple[str, ...]
    delta_packed: tuple[str, ...] = ()
    row_group_rows: int = 122_880

    @property
    def log_schema(self) -> pa.Schema:
        """The schema with the partition column, which is in the paths and not in the files."""
        return self.schema.append(_field(9999, PARTITION, pa.string()))


def _field(field_id: int, name: str, type_: pa.DataType, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, type_, nullable=nullable, metadata={"PARQUET:field_id": str(field_id)})


def _required(*columns: tuple[int, str, pa.DataType]) -> list[pa.Field]:
    return [_field(*column) for column in columns]


def _optional(*columns: tuple[int, str, pa.DataType]) -> list[pa.Field]:
    return [_field(*column, nullable=True) for column in columns]


def _summary_fields(first_id: int) -> list[pa.Field]:
    return _optional(*((first_id + i, name, pa.int64()) for i, name in enumerate(summary_columns())))


# What says which device and which case a row is about: repeated in samples and cases, so that no question needs a
# join to filter or group; sorted and dictionary-encoded it costs next to nothing.
_POINT = _required(
    (1, "run_id", pa.string()),
    (2, "case_id", pa.string()),
    (3, "device", pa.string()),
    (4, "device_kind", pa.string()),
    (5, "device_uuid", pa.string()),
    (6, "precision", pa.string()),
    (7, "mitigation", pa.string()),
    (8, "shape", pa.string()),
    (9, "epoch_count", pa.int64()),
)

_CURVE_ORDER = ("device_uuid", "device", "precision", "mitigation", "shape", "epoch_count", "case_id")

SAMPLES = TableSchema(
    "samples",
    pa.schema(
        [
            *_POINT,
            *_required(
                (10, "sample_index", pa.int32()),
                (11, "is_warmup", pa.bool_()),
                (12, "is_ok", pa.bool_()),
                (13, "started_at_ns", pa.int64()),
                (14, "enqueue_time_ns", pa.int64()),
            ),
            *_optional(
                # Null where nobody waited: only in imported tables.
                (15, "drain_time_ns", pa.int64()),
                (16, "finish_lag_ns", pa.int64()),
                (17, "checksum_rel_error", pa.float64()),
                (18, "disturbed_by", pa.string()),
                (19, "resident_bytes", pa.int64()),
                (20, "allocator_bytes", pa.int64()),
                (21, "allocator_peak_bytes", pa.int64()),
                (22, "graph_trace_count", pa.int64()),
                (23, "graph_node_count", pa.int64()),
                # Null in files of schema version 1.
                (24, "series_id", pa.string()),
            ),
        ]
    ),
    sort_by=(*_CURVE_ORDER, "started_at_ns"),
    delta_packed=("started_at_ns", "enqueue_time_ns", "drain_time_ns", "finish_lag_ns", "resident_bytes"),
)

LAUNCHES = TableSchema(
    "launches",
    pa.schema(
        _required(
            (1, "run_id", pa.string()),
            (2, "case_id", pa.string()),
            (3, "sample_index", pa.int32()),
            (4, "epoch_index", pa.int64()),
            (5, "call_end_ns", pa.int64()),
        )
    ),
    # A trace is read a run at a time.
    sort_by=("run_id", "case_id", "sample_index", "epoch_index"),
    delta_packed=("epoch_index", "call_end_ns"),
    row_group_rows=1 << 20,
)

TELEMETRY = TableSchema(
    "telemetry",
    pa.schema(
        [
            *_required((1, "run_id", pa.string()), (2, "case_id", pa.string()), (3, "read_at_ns", pa.int64())),
            *_optional(
                (4, "device_memory_bytes", pa.int64()),
                (5, "sm_clock_mhz", pa.float64()),
                (6, "memory_clock_mhz", pa.float64()),
                (7, "temperature_celsius", pa.float64()),
                (8, "power_w", pa.float64()),
                (9, "throttle_reasons", pa.string()),
                (10, "resident_bytes", pa.int64()),
                (11, "process_cpu_fraction", pa.float64()),
                (12, "other_cpu_fraction", pa.float64()),
                (13, "load_average", pa.float64()),
                (14, "other_process_count", pa.int64()),
            ),
        ]
    ),
    sort_by=("run_id", "read_at_ns"),
    delta_packed=("read_at_ns",),
)

CASES = TableSchema(
    "cases",
    pa.schema(
        [
            *_POINT,
            *_required(
                (10, "strategy", pa.string()),
                (11, "settings", TEXTS),
                (13, "operand_source", pa.string()),
                (14, "hold", pa.string()),
                (15, "operand_seed", pa.int64()),
                (16, "outcome", pa.string()),
            ),
            *_optional(
                (12, "flop_per_epoch", pa.int64()),
                (17, "reason", pa.string()),
                (18, "stopped_by", pa.string()),
                (19, "ran_on", pa.string()),
                (20, "tuned", pa.map_(pa.string(), pa.int64())),
                (21, "executed_matmuls", pa.int64()),
                (22, "expected_matmuls", pa.int64()),
                (23, "count_method", pa.string()),
                (24, "finish_lag_s", pa.float64()),
                (25, "max_rel_error", pa.float64()),
                (26, "rms_rel_error", pa.float64()),
                (27, "tiny_rel_error", pa.float64()),
                (28, "checksum_rel_error", pa.float64()),
                (29, "ran_as", pa.string()),
                (30, "proof_verdict", pa.string()),
                (31, "peak_memory_bytes", pa.int64()),
                (32, "first_result_time_ns", pa.int64()),
                (33, "ceiling_flop_per_s", pa.float64()),
            ),
            *_required(
                (34, "ceiling_uncertainty_fraction", pa.float64()),
                (35, "sample_count", pa.int64()),
                (36, "ok_count", pa.int64()),
                (37, "warmup_count", pa.int64()),
                (38, "disturbed_count", pa.int64()),
                (39, "host", pa.string()),
                (40, "started_at_ns", pa.int64()),
                (41, "cliffwatch_version", pa.string()),
                (42, "schema_version", pa.int32()),
            ),
            *_summary_fields(100),
            # Null in files of schema version 1.
            *_optional((200, "series_id", pa.string())),
        ]
    ),
    sort_by=(*_CURVE_ORDER, "started_at_ns"),
    delta_packed=("started_at_ns", *summary_columns()),
)

FINDINGS = TableSchema(
    "findings",
    pa.schema(
        [
            *_required(
                (1, "run_id", pa.string()),
                (2, "kind", pa.string()),
                (3, "verdict", pa.string()),
                (4, "evidence", pa.string()),
                (5, "method_version", pa.string()),
                (6, "found_at_ns", pa.int64()),
            ),
            *_optional(
                (7, "precision", pa.string()),
                (8, "mitigation", pa.string()),
                (9, "shape", pa.string()),
                (10, "hypothesis", pa.string()),
                (11, "also", TEXTS),
                (12, "confidence", pa.float64()),
                (13, "knee_epoch_count", pa.float64()),
                (14, "knee_interval", NUMBERS),
                (15, "queue_capacity", pa.float64()),
                (16, "queue_capacity_interval", NUMBERS),
                (17, "enqueue_s_per_epoch", pa.float64()),
                (18, "steady_s_per_epoch", pa.float64()),
                (19, "intercept_s", pa.float64()),
                (20, "flop_per_s", pa.float64()),
                (21, "peak_fraction", pa.float64()),
                (22, "ran_as", pa.string()),
                (23, "next_step", pa.string()),
                (24, "sentence", pa.string()),
                (25, "steady_cost_ratio", pa.float64()),
                (26, "steady_cost_ratio_interval", NUMBERS),
                (27, "enqueue_cost_ratio", pa.float64()),
            ),
        ]
    ),
    sort_by=("run_id", "kind", "found_at_ns"),
)

RUNS = TableSchema(
    "runs",
    pa.schema(
        [
            *_required(
                (1, "run_id", pa.string()),
                (2, "status", pa.string()),
                (3, "attempt", pa.int64()),
                (4, "started_at_ns", pa.int64()),
                (5, "committed_at_ns", pa.int64()),
                (6, "spec_name", pa.string()),
                (7, "spec_json", pa.string()),
                (8, "seed", pa.int64()),
                (9, "device", pa.string()),
                (10, "device_kind", pa.string()),
                (11, "device_uuid", pa.string()),
                (12, "device_name", pa.string()),
                (13, "device_memory_bytes", pa.int64()),
                (14, "host", pa.string()),
                (15, "os", pa.string()),
                (16, "cpu_model", pa.string()),
                (17, "logical_cpu_count", pa.int64()),
                (18, "memory_bytes", pa.int64()),
                (19, "python_version", pa.string()),
                (20, "variables", TEXT_BY_NAME),
                (21, "ceiling_flop_per_s", RATES),
                (22, "ceiling_uncertainty_fraction", pa.float64()),
                (23, "cliffwatch_version", pa.string()),
                (24, "schema_version", pa.int32()),
                (25, "case_count", pa.int64()),
                (26, "sample_count", pa.int64()),
                (27, "launch_count", pa.int64()),
                (28, "file_sha256", TEXT_BY_NAME),
            ),
            *_optional(
                (29, "numpy_version", pa.string()),
                (30, "tensorflow_version", pa.string()),
                (31, "driver_version", pa.string()),
                (32, "cuda_version", pa.string()),
            ),
        ]
    ),
    sort_by=("started_at_ns", "run_id"),
)

# In the order of a commit: the row of the run is what makes the rest visible, so it comes last.
RUN_TABLES: Sequence[TableSchema] = (SAMPLES, LAUNCHES, TELEMETRY, CASES, RUNS)
TABLES: Sequence[TableSchema] = (*RUN_TABLES, FINDINGS)
TABLE_BY_NAME = {table.name: table for table in TABLES}
