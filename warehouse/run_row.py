"""A run as one row: the wide environment every question about history starts from."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bench_core.model.case import DeviceRequest
from bench_core.model.run import DeviceIdentity, Environment, Run
from warehouse.schema import SCHEMA_VERSION

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


def run_row(run: Run) -> dict[str, Any]:
    """The run's own columns; the commit adds what it knows: status, attempt, counts and files."""
    return {name: getattr(run.environment, name) for name in _ENVIRONMENT} | {
        "run_id": run.run_id,
        "started_at_ns": unix_ns(run),
        "spec_name": run.spec_name,
        "spec_json": run.spec_json,
        "seed": run.seed,
        "device": run.device.device,
        "device_kind": _kind(run.device.device),
        "device_uuid": run.device.device_uuid,
        "device_name": run.device.device_name,
        "device_memory_bytes": run.device.memory_bytes,
        "variables": list(run.environment.variables),
        "ceiling_flop_per_s": list(run.ceiling_flop_per_s.items()),
        "ceiling_uncertainty_fraction": run.ceiling_uncertainty_fraction,
        "cliffwatch_version": run.cliffwatch_version,
        "schema_version": SCHEMA_VERSION,
    }


def _kind(device: str) -> str:
    """The kind of a device that can be measured; any other name, as imported runs have, is its own kind."""
    try:
        return DeviceRequest.parse(device).kind.value
    except ValueError:
        return device


def run_of_row(row: Mapping[str, Any]) -> Run:
    """The run behind a row of the table: what a resumed run starts from."""
    environment = {name: row[name] for name in _ENVIRONMENT}
    return Run(
        run_id=row["run_id"],
        started_at=datetime.fromtimestamp(row["started_at_ns"] // 1000 / 1e6, UTC),
        spec_name=row["spec_name"],
        spec_json=row["spec_json"],
        seed=row["seed"],
        device=DeviceIdentity(row["device"], row["device_uuid"], row["device_name"], row["device_memory_bytes"]),
        environment=Environment(**environment, variables=tuple(dict(row["variables"]).items())),
        ceiling_flop_per_s=dict(row["ceiling_flop_per_s"]),
        ceiling_uncertainty_fraction=row["ceiling_uncertainty_fraction"],
        cliffwatch_version=row["cliffwatch_version"],
    )


def unix_ns(run: Run) -> int:
    """When the run started, to the microsecond the clock gave."""
    return round(run.started_at.timestamp() * 1e6) * 1000
