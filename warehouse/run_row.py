"""A run as one row: the wide environment every question about history starts from."""

from typing import Any

import pyarrow as pa

from bench_core.model.case import DeviceRequest
from bench_core.model.run import Run, RunStatus

TEXT_MAP = pa.map_(pa.string(), pa.string())

RUN_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("started_at_ns", pa.int64(), nullable=False),
        pa.field("spec_name", pa.string(), nullable=False),
        pa.field("spec_json", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("device", pa.string(), nullable=False),
        pa.field("device_kind", pa.string(), nullable=False),
        pa.field("device_uuid", pa.string(), nullable=False),
        pa.field("device_name", pa.string(), nullable=False),
        pa.field("device_memory_bytes", pa.int64(), nullable=False),
        pa.field("host", pa.string(), nullable=False),
        pa.field("os", pa.string(), nullable=False),
        pa.field("cpu_model", pa.string(), nullable=False),
        pa.field("logical_cpu_count", pa.int64(), nullable=False),
        pa.field("memory_bytes", pa.int64(), nullable=False),
        pa.field("python_version", pa.string(), nullable=False),
        pa.field("numpy_version", pa.string()),
        pa.field("tensorflow_version", pa.string()),
        pa.field("driver_version", pa.string()),
        pa.field("cuda_version", pa.string()),
        pa.field("variables", TEXT_MAP, nullable=False),
        pa.field("ceiling_flop_per_s", pa.map_(pa.string(), pa.float64()), nullable=False),
        pa.field("ceiling_uncertainty_fraction", pa.float64(), nullable=False),
        pa.field("cliffwatch_version", pa.string(), nullable=False),
    ]
)

_ENVIRONMENT = (
    "host",
    "os",
    "cpu_model",
    "logical_cpu_count",
    "memory_bytes",
    "python_version",
    "numpy_version",
    "tensorflow_version",
    "driver_version",
    "cuda_version",
)


def run_table(run: Run, status: RunStatus) -> pa.Table:
    """The run as a table of one row."""
    started_at_ns = int(run.started_at.timestamp() * 1e6) * 1000
    row: dict[str, Any] = {name: getattr(run.environment, name) for name in _ENVIRONMENT} | {
        "run_id": run.run_id,
        "status": status.value,
        "started_at_ns": started_at_ns,
        "spec_name": run.spec_name,
        "spec_json": run.spec_json,
        "seed": run.seed,
        "device": run.device.device,
        "device_kind": DeviceRequest.parse(run.device.device).kind.value,
        "device_uuid": run.device.device_uuid,
        "device_name": run.device.device_name,
        "device_memory_bytes": run.device.memory_bytes,
        "variables": list(run.environment.variables),
        "ceiling_flop_per_s": list(run.ceiling_flop_per_s.items()),
        "ceiling_uncertainty_fraction": run.ceiling_uncertainty_fraction,
        "cliffwatch_version": run.cliffwatch_version,
    }
    return pa.Table.from_pylist([row], schema=RUN_SCHEMA)
