"""A finished run as the person who started it reads it: tables and findings, a page and pictures, one JSON object."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench_core.analyze.readings import tabulate
from bench_core.report.curve_table import RunCurve, curve_rows, curve_title
from bench_core.report.language import Language, language_of
from bench_core.report.panels import Panel, curve_panel
from bench_core.report.run_html import run_html
from bench_core.report.run_json import run_json
from bench_core.report.run_text import HEADINGS, run_text
from flows.local_run import LocalRun
from flows.sweep import FinishedRun
from tasks.diagnose import DiagnosedCurve
from warehouse.store import Warehouse

FITTED = "~"


def show(done: LocalRun, warehouse: Warehouse, *, as_json: bool) -> None:
    """Print the run: one JSON object, or what was found in words; page and pictures lie beside the records."""
    language = language_of(os.environ)
    page = draw(done.finished, warehouse, language)
    if as_json:
        print(json.dumps(to_json(done, warehouse, language), ensure_ascii=False, allow_nan=False))
    else:
        print(to_text(done.finished, page, language))


def draw(finished: FinishedRun, warehouse: Warehouse, language: Language) -> Path | None:
    """Write the run's page and its picture as SVG and PNG; the page's path, None where there is no curve."""
    if not finished.curves:
        return None
    from bench_core.report.picture import to_svg, write_picture

    folder = warehouse.root / "reports"
    folder.mkdir(exist_ok=True)
    page = folder / f"{finished.run.run_id}.html"
    # A PNG is drawn here and now, with whatever fonts are here.
    write_picture(panels_of(finished.curves), page.with_suffix(".png"))
    panels = panels_of(finished.curves, language)
    write_picture(panels, page.with_suffix(".svg"))
    pictures = [to_svg([panel]) for panel in panels]
    page.write_text(run_html(finished.run, run_curves(finished.curves), pictures, language), encoding="utf-8")
    return page


def run_curves(curves: Sequence[DiagnosedCurve]) -> list[RunCurve]:
    """Every curve with its points and its diagnosis, as the report takes them."""
    return [(item.curve, tabulate(item.curve), item.diagnosis) for item in curves]


def panels_of(curves: Sequence[DiagnosedCurve], language: Language = Language.EN) -> list[Panel]:
    """One panel a curve."""
    return [
        curve_panel(curve_title(curve), points, diagnosis, language) for curve, points, diagnosis in run_curves(curves)
    ]


def to_json(done: LocalRun, warehouse: Warehouse, language: Language = Language.EN) -> dict[str, Any]:
    """The run as plain values, under the names the records use."""
    finished = done.finished
    timing = {
        "start_time_s": done.start_time_s,
        "wall_time_s": finished.wall_time_s,
        "measured_time_s": finished.measured_time_s,
    }
    failed = [asdict(case) for case in finished.failed_cases]
    return run_json(finished.run.run_id, str(warehouse.root), run_curves(finished.curves), failed, timing, language)


def to_text(finished: FinishedRun, page: Path | None, language: Language) -> str:
    """A table and the finding for every curve, then what failed and where everything is."""
    blocks = [run_text(finished.run, run_curves(finished.curves), language)]
    blocks += [
        f"failed: {failed.mitigation} {failed.precision} x {failed.epoch_count}: {failed.outcome}, {failed.reason}"
        for failed in finished.failed_cases
    ]
    blocks.append(finished.summary + (f"; page and pictures: {page}" if page else ""))
    return "\n\n\n".join(blocks)


def title(item: DiagnosedCurve) -> str:
    """What tells this curve from the others of its run."""
    return curve_title(item.curve)


def curve_cells(item: DiagnosedCurve) -> list[dict[str, str]]:
    """The rows of the curve's table by heading; a fitted time is marked with ~."""
    rows = curve_rows(tabulate(item.curve), item.curve.work.flop_per_epoch)
    cells = [(row.cells[0], row.cells[1], FITTED * row.is_fitted + row.cells[2], *row.cells[3:]) for row in rows]
    return [dict(zip(HEADINGS[Language.EN], each, strict=True)) for each in cells]
