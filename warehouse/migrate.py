"""Carry a warehouse of format 1 (one file a case, no log) over to this format, by writing every run again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench_core.model.case import Case, DeviceRequest, Hold, Operands, OperandSource, Precision
from bench_core.model.errors import WarehouseError
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.run import RunStatus
from bench_core.model.shape import Shape
from warehouse.commit import commit_staged
from warehouse.create import found_format, make_tables, mark_format
from warehouse.durable import refused
from warehouse.findings import CURVE, keep_rows
from warehouse.layout import FORMAT, Layout
from warehouse.run_record import run_from_json
from warehouse.staging import stage

_OLD_FOLDERS = ("runs", "findings", "staging")


def migrate(layout: Layout) -> tuple[str, ...]:
    """Write every run of a format 1 warehouse in this format; the old files stay in the folder `format_1`.

    Interrupted, it goes on where it was when it is called again.

    Returns:
        Ids of the runs carried over; none where the warehouse has this format already.

    Raises:
        WarehouseError: no warehouse, a format of the future, or a file system that refuses.
    """
    found = found_format(layout)
    if found == FORMAT:
        return ()
    if found != 1:
        raise WarehouseError(f"{layout.root} is no warehouse that this cliffwatch could carry over (format {found})")
    old = layout.root / "format_1"
    try:
        _set_aside(layout, old)
        make_tables(layout)
    except OSError as error:
        raise refused(layout.root, error) from error
    run_ids = tuple(_carry_over(layout, folder) for folder in _run_folders(old))
    for path in sorted((old / "findings").glob("*.parquet")):
        _carry_findings(layout, path)
    mark_format(layout)
    return run_ids


def _set_aside(layout: Layout, old: Path) -> None:
    old.mkdir(exist_ok=True)
    for name in _OLD_FOLDERS:
        if (layout.root / name).exists() and not (old / name).exists():
            (layout.root / name).rename(old / name)


def _run_folders(old: Path) -> Iterator[Path]:
    """Folders of committed runs, then of runs that had been killed."""
    for name in ("runs", "staging"):
        yield from sorted(path.parent for path in (old / name).glob("*/run.json"))


def _carry_over(layout: Layout, folder: Path) -> str:
    run = run_from_json((folder / "run.json").read_text())
    staged = stage(layout, run, attempt=1)
    for path in sorted(folder.glob("*.parquet")):
        if path.name != "run.parquet":
            staged.add(_result(pq.read_table(path).to_pylist()[0]))
    commit_staged(layout, staged, _status(folder))
    return run.run_id


def _status(folder: Path) -> RunStatus:
    row = folder / "run.parquet"
    return RunStatus(pq.read_table(row)["status"][0].as_py()) if row.exists() else RunStatus.ADOPTED


def _result(row: dict[str, Any]) -> CaseResult:
    case = Case(
        device=DeviceRequest.parse(row["device"]),
        shape=Shape.parse(row["shape"]),
        precision=Precision(row["precision"]),
        mitigation=Mitigation.parse(row["mitigation"]),
        epoch_count=row["epoch_count"],
        operands=Operands(OperandSource(row["operand_source"]), Hold(row["hold"]), row["operand_seed"]),
    )
    return CaseResult(
        case=case,
        outcome=Outcome(row["outcome"]),
        samples=tuple(_sample(sample) for sample in row["samples"]),
        reason=row["reason"],
        stopped_by=row["stopped_by"] and StoppedBy(row["stopped_by"]),
        ran_on=row["ran_on"],
    )


def _sample(values: dict[str, Any]) -> Sample:
    trace = values.pop("call_end_ns")
    return Sample(**values, call_end_ns=None if trace is None else tuple(trace))


def _carry_findings(layout: Layout, path: Path) -> None:
    """Findings of one diagnosis of one run; the file's name keeps them from being carried over twice."""
    rows = [row | {"kind": CURVE} for row in pq.read_table(path).to_pylist()]
    keep_rows(layout, rows[0]["run_id"], rows, key=path.name)
