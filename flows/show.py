"""A finished run as the person who started it reads it: the report in words, as a page and as one JSON object."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench_core.analyze.readings import tabulate
from bench_core.model.mitigation import CONTROL
from bench_core.report.curve_table import RunCurve, curve_title
from bench_core.report.judgement import judgement_tables
from bench_core.report.language import Language, language_of
from bench_core.report.panels import Panel, curve_panel
from bench_core.report.run_html import run_html
from bench_core.report.run_json import run_json
from bench_core.report.run_text import run_text
from flows.local_run import LocalRun
from flows.sweep import FinishedRun
from tasks.diagnose import DiagnosedCurve
from warehouse.curves import FailedCase
from warehouse.store import Warehouse


def show(done: LocalRun, warehouse: Warehouse, *, as_json: bool) -> None:
    """Print the run: one JSON object, or the report in words; its page and picture lie beside the records."""
    language = language_of(os.environ)
    pictures = draw(done.finished, warehouse)
    page = write_page(done, warehouse, language)
    if as_json:
        print(json.dumps(as_object(done, warehouse, language), allow_nan=False))
        return
    parts = [_report(done, warehouse, language), done.finished.summary]
    parts += [f"report: {page}", *(f"picture: {picture}" for picture in pictures)]
    print("\n".join((parts[0], "", "", *parts[1:])))


def draw(finished: FinishedRun, warehouse: Warehouse) -> tuple[Path, ...]:
    """Draw every curve of the run into one picture, as SVG and PNG; nothing where there is no curve."""
    if not finished.curves:
        return ()
    from bench_core.report.picture import write_picture

    panels = panels_of(finished.curves)
    paths = tuple(_reports(warehouse) / f"{finished.run.run_id}{suffix}" for suffix in (".svg", ".png"))
    for path in paths:
        write_picture(panels, path)
    return paths


def write_page(done: LocalRun, warehouse: Warehouse, language: Language) -> Path:
    """The report as one self-contained page, each curve with its picture."""
    from bench_core.report.picture import to_svg

    finished = done.finished
    curves = run_curves(finished.curves)
    pictures = [to_svg([panel]) for panel in panels_of(finished.curves)]
    path = _reports(warehouse) / f"{finished.run.run_id}.html"
    tables = judgement_tables(finished.judgement.hypotheses, finished.judgement.effects, language)
    page = run_html(
        finished.run,
        curves,
        pictures,
        language,
        warnings=done.warnings,
        tables=tables,
        failures=failure_lines(finished.failed_cases) + changed_lines(finished, warehouse),
    )
    path.write_text(page, encoding="utf-8")
    return path


def as_object(done: LocalRun, warehouse: Warehouse, language: Language) -> dict[str, object]:
    """The run as plain values, under the names the records use."""
    finished = done.finished
    return run_json(
        finished.run.run_id,
        str(warehouse.root),
        run_curves(finished.curves),
        [asdict(failed) for failed in finished.failed_cases],
        {
            "start_time_s": done.start_time_s,
            "wall_time_s": finished.wall_time_s,
            "measured_time_s": finished.measured_time_s,
        },
        finished.judgement.hypotheses,
        finished.judgement.effects,
        language,
    )


def panels_of(curves: Sequence[DiagnosedCurve]) -> list[Panel]:
    """One panel a curve."""
    ordered = control_first(curves)
    return [curve_panel(curve_title(item.curve), tabulate(item.curve), item.diagnosis) for item in ordered]


def control_first(curves: Sequence[DiagnosedCurve]) -> list[DiagnosedCurve]:
    """The curves in the order they are read: what is compared with comes before what is compared."""
    return sorted(curves, key=lambda item: item.curve.key is None or item.curve.key.mitigation != CONTROL)


def run_curves(curves: Sequence[DiagnosedCurve]) -> list[RunCurve]:
    """The curves with their points, as the report takes them."""
    return [(item.curve, tabulate(item.curve), item.diagnosis) for item in control_first(curves)]


def changed_lines(finished: FinishedRun, warehouse: Warehouse) -> list[str]:
    """Cases that were measured otherwise than was asked for, a line each."""
    answer = warehouse.query(
        "select mitigation, precision, reason from all_runs.cases "
        f"where run_id = '{finished.run.run_id}' and outcome = 'measured' and reason is not null order by all"
    )
    return [f"changed: {mitigation} {precision}: {reason}" for mitigation, precision, reason in answer.rows]


def failure_lines(failed_cases: Sequence[FailedCase]) -> list[str]:
    """Cases without a measurement, a line each."""
    return [
        f"not measured: {case.mitigation} {case.precision} x {case.epoch_count}: {case.outcome}, {case.reason}"
        for case in failed_cases
    ]


def _report(done: LocalRun, warehouse: Warehouse, language: Language) -> str:
    finished = done.finished
    return run_text(
        finished.run,
        run_curves(finished.curves),
        language,
        warnings=done.warnings,
        tables=judgement_tables(finished.judgement.hypotheses, finished.judgement.effects, language),
        failures=failure_lines(finished.failed_cases) + changed_lines(finished, warehouse),
    )


def _reports(warehouse: Warehouse) -> Path:
    folder = warehouse.root / "reports"
    folder.mkdir(exist_ok=True)
    return folder
