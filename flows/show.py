"""A finished run as the person who started it reads it: tables and findings, a picture, one JSON object."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench_core.analyze.readings import tabulate
from bench_core.model.curve import CurvePoint, XKind
from bench_core.model.units import format_duration, format_rate
from bench_core.report.diagnosis_json import diagnosis_json, plain
from bench_core.report.diagnosis_text import diagnosis_text
from bench_core.report.language import Language, language_of
from bench_core.report.messages import tell
from bench_core.report.panels import Panel, curve_panel
from flows.local_run import LocalRun
from tasks.diagnose import DiagnosedCurve
from warehouse.store import Warehouse

HEADINGS = ("epochs", "stopwatch shows", "it took", "per epoch", "rate")
FITTED = "~"


def show(done: LocalRun, warehouse: Warehouse, *, as_json: bool) -> None:
    """Print the run: one JSON object, or what was found in words; the picture lies beside the records."""
    picture = draw(done, warehouse)
    if as_json:
        print(json.dumps(run_json(done, warehouse), allow_nan=False))
    else:
        print(run_text(done, picture, language_of(os.environ)))


def draw(done: LocalRun, warehouse: Warehouse) -> Path | None:
    """Draw every curve of the run as SVG and PNG; the SVG's path, None where there is no curve."""
    if not done.finished.curves:
        return None
    from bench_core.report.picture import write_picture

    panels = panels_of(done.finished.curves)
    folder = warehouse.root / "reports"
    folder.mkdir(exist_ok=True)
    path = folder / f"{done.finished.run.run_id}.svg"
    for suffix in (".png", ".svg"):
        write_picture(panels, path.with_suffix(suffix))
    return path


def panels_of(curves: Sequence[DiagnosedCurve]) -> list[Panel]:
    """One panel a curve."""
    return [curve_panel(title(item), tabulate(item.curve), item.diagnosis) for item in curves]


def run_json(done: LocalRun, warehouse: Warehouse) -> dict[str, Any]:
    """The run as plain values, under the names the records use."""
    finished = done.finished
    return {
        "run_id": finished.run.run_id,
        "warehouse": str(warehouse.root),
        "curves": [_curve_json(item) for item in finished.curves],
        "failed_cases": [asdict(failed) for failed in finished.failed_cases],
        "timing": {
            "start_time_s": done.start_time_s,
            "wall_time_s": finished.wall_time_s,
            "measured_time_s": finished.measured_time_s,
        },
    }


def run_text(done: LocalRun, picture: Path | None, language: Language) -> str:
    """A table and the finding for every curve, then what failed and where everything is."""
    finished = done.finished
    blocks = [
        f"{title(item)}\n\n{curve_table(item)}\n\n{diagnosis_text(item.diagnosis, XKind.EPOCHS, language)}"
        for item in finished.curves
    ]
    blocks += [
        f"failed: {failed.mitigation} {failed.precision} x {failed.epoch_count}: {failed.outcome}, {failed.reason}"
        for failed in finished.failed_cases
    ]
    blocks.append(finished.summary + (f"; picture: {picture}" if picture else ""))
    return "\n\n\n".join(blocks)


def title(item: DiagnosedCurve) -> str:
    """What tells this curve from the others of its run."""
    key = item.curve.key
    return f"{key.mitigation}, {key.precision}, {key.shape} on {key.device}" if key else ""


def curve_table(item: DiagnosedCurve) -> str:
    """What a stopwatch shows against what it took; fitted values are marked with ~."""
    rows = [HEADINGS, *(tuple(cells.values()) for cells in curve_cells(item))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def curve_cells(item: DiagnosedCurve) -> list[dict[str, str]]:
    """The rows of curve_table by heading."""
    rows = (_row(point, item.curve.work.flop_per_epoch) for point in tabulate(item.curve))
    return [dict(zip(HEADINGS, row, strict=True)) for row in rows]


def _row(point: CurvePoint, flop_per_epoch: float | None) -> tuple[str, ...]:
    took_s = point.wall_time_s if point.wall_time_s is not None else point.fitted_wall_time_s
    mark = "" if point.wall_time_s is not None else FITTED
    shown = format_duration(point.enqueue_time_s) if point.enqueue_time_s is not None else ""
    # A fitted line can start below zero, where it says nothing.
    if took_s is None or took_s <= 0:
        return (f"{point.epoch_count:,}", shown, "", "", "")
    rate = format_rate(flop_per_epoch * point.epoch_count / took_s) if flop_per_epoch else ""
    return (
        f"{point.epoch_count:,}",
        shown,
        mark + format_duration(took_s),
        mark + format_duration(took_s / point.epoch_count),
        mark + rate,
    )


def _curve_json(item: DiagnosedCurve) -> dict[str, Any]:
    key = asdict(item.curve.key) if item.curve.key else {}
    key.pop("run_id", None)
    work = item.curve.work
    described = {
        "points": [asdict(point) for point in tabulate(item.curve)],
        "flop_per_epoch": work.flop_per_epoch,
        "ceiling_flop_per_s": work.ceiling_flop_per_s,
    }
    known: dict[str, Any] = plain(key | described)
    return known | diagnosis_json(item.diagnosis, str(tell(item.diagnosis)))
