"""Other people's results as a run of their own, so that they can be queried and diagnosed like ours."""

import hashlib
import json
import platform
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bench_core.model.run import DeviceIdentity, Environment, Run, RunStatus, new_run_id
from bench_core.model.shape import Shape
from warehouse.commit import commit_rows
from warehouse.layout import Layout
from warehouse.parts import file_sha256
from warehouse.publish import publish
from warehouse.results_table import ImportedSample, read_results
from warehouse.run_row import unix_ns
from warehouse.schema import CASES, LAUNCHES, SAMPLES, SCHEMA_VERSION, TELEMETRY
from warehouse.series import series_id
from warehouse.statistics import summarize_times

IMPORTED = "imported"
UNKNOWN = "unknown"

Point = tuple[str, str, str | None, int]


def import_results(layout: Layout, path: Path, *, device_name: str = UNKNOWN, host: str = UNKNOWN) -> str:
    """Commit a results table as a complete run; a time without a known wait has no drain and so no wall time.

    Returns:
        The id of the new run.

    Raises:
        WarehouseError: the table cannot be read, or the warehouse cannot be written.
    """
    samples = read_results(path)
    run = _run(path, device_name, host)
    by_point: dict[Point, list[ImportedSample]] = defaultdict(list)
    for sample in samples:
        by_point[sample.precision, sample.mitigation, sample.shape, sample.epoch_count].append(sample)
    cases = [_case_row(run, point, group) for point, group in by_point.items()]
    rows = [
        _sample_row(case, index, sample)
        for case, group in zip(cases, by_point.values(), strict=True)
        for index, sample in enumerate(group)
    ]
    tables = {
        "samples": pa.Table.from_pylist(rows, schema=SAMPLES.schema),
        "launches": LAUNCHES.schema.empty_table(),
        "telemetry": TELEMETRY.schema.empty_table(),
        "cases": pa.Table.from_pylist(cases, schema=CASES.schema),
    }
    commit_rows(layout, run, 1, RunStatus.COMPLETE, tables)
    publish(layout)
    return run.run_id


def _run(path: Path, device_name: str, host: str) -> Run:
    now = datetime.now(UTC)
    device_uuid = hashlib.sha256(f"{host}\0{device_name}".encode()).hexdigest()[:32]
    return Run(
        run_id=new_run_id(now),
        started_at=now,
        spec_name=IMPORTED,
        spec_json=json.dumps({"file": path.name, "sha256": file_sha256(path)}),
        seed=0,
        device=DeviceIdentity(IMPORTED, device_uuid, device_name, 0),
        environment=Environment(host, UNKNOWN, UNKNOWN, 0, 0, platform.python_version(), None, None),
    )


def _case_row(run: Run, point: Point, group: list[ImportedSample]) -> dict[str, Any]:
    precision, mitigation, shape, epoch_count = point
    strategy, *settings = mitigation.split("+")
    key = json.dumps([IMPORTED, precision, mitigation, shape, epoch_count])
    row = {
        "run_id": run.run_id,
        "case_id": hashlib.sha256(key.encode()).hexdigest()[:16],
        "device": IMPORTED,
        "device_kind": IMPORTED,
        "device_uuid": run.device.device_uuid,
        "precision": precision,
        "mitigation": mitigation,
        "shape": shape or UNKNOWN,
        "epoch_count": epoch_count,
        "strategy": strategy,
        "settings": settings,
        "flop_per_epoch": Shape.parse(shape).flop_per_epoch if shape else None,
        "operand_source": UNKNOWN,
        "hold": UNKNOWN,
        "operand_seed": 0,
        "outcome": "measured",
        "ceiling_uncertainty_fraction": 0.0,
        "sample_count": len(group),
        "ok_count": len(group),
        "warmup_count": 0,
        "disturbed_count": 0,
        "host": run.environment.host,
        "started_at_ns": unix_ns(run),
        "cliffwatch_version": run.cliffwatch_version,
        "schema_version": SCHEMA_VERSION,
        **_summary(group),
    }
    return row | {"series_id": series_id(row)}


def _summary(group: list[ImportedSample]) -> dict[str, int | None]:
    enqueue = [sample.enqueue_time_ns for sample in group]
    drain = [sample.drain_time_ns for sample in group if sample.drain_time_ns is not None]
    is_drained = len(drain) == len(group)
    wall = list(np.add(enqueue, drain)) if is_drained else []
    return summarize_times({"enqueue": enqueue, "drain": drain if is_drained else [], "wall": wall})


def _sample_row(case: dict[str, Any], index: int, sample: ImportedSample) -> dict[str, Any]:
    return case | {
        "sample_index": index,
        "is_warmup": False,
        "is_ok": True,
        "enqueue_time_ns": sample.enqueue_time_ns,
        "drain_time_ns": sample.drain_time_ns,
    }
