"""A finished run as the Prefect UI shows it."""

from typing import Any

from bench_core.analyze.readings import tabulate
from bench_core.report.curve_table import curve_rows, curve_title
from bench_core.report.language import Language
from bench_core.report.messages import tell
from bench_core.report.picture import to_png
from bench_core.report.run_text import HEADINGS
from flows.show import panels_of
from flows.sweep import FinishedRun
from tasks.diagnose import DiagnosedCurve
from tasks.publish import Publication
from warehouse.store import Warehouse

CONTROL = "none"

# Every table but the curve's is a view of the warehouse: what is ranked there is ranked here, and nothing else.
MITIGATIONS = """
select mitigation, precision, shape, epoch_count, wall_time_s, control_wall_time_s, speedup, proof_verdict
from all_runs.mitigation_effect where run_id = '{run_id}' order by all
"""
HYPOTHESES = """
select hypothesis, verdict, sentence from all_runs.hypotheses where run_id = '{run_id}' order by hypothesis
"""
FAILED_CASES = """
select mitigation, precision, shape, epoch_count, outcome, reason, case_id
from all_runs.cases where run_id = '{run_id}' and outcome <> 'measured' order by all
"""

Rows = list[dict[str, Any]]


def publication_of(finished: FinishedRun, warehouse: Warehouse) -> Publication:
    """Finding with picture, and tables of the curves, the mitigations, the hypotheses and the failed cases."""
    run_id = finished.run.run_id
    rows_of_curves = [row for item in finished.curves for row in _curve_rows(item)]
    return Publication(
        spec_name=finished.run.spec_name,
        run_id=run_id,
        finding=_finding(finished),
        picture_png=to_png(panels_of(finished.curves)) if finished.curves else None,
        tables=(
            ("curve", "What a stopwatch shows, and what it took (where fitted, not measured)", rows_of_curves),
            ("mitigations", "Each mitigation against the control", _rows(warehouse, MITIGATIONS, run_id)),
            ("hypotheses", "What was said to be the cause, tested", _rows(warehouse, HYPOTHESES, run_id)),
            ("failed-cases", "Cases without a measurement", _rows(warehouse, FAILED_CASES, run_id)),
        ),
    )


def _curve_rows(item: DiagnosedCurve) -> Rows:
    headings = HEADINGS[Language.EN]
    rows = curve_rows(tabulate(item.curve), item.curve.work.flop_per_epoch)
    title = {"curve": curve_title(item.curve)}
    return [title | dict(zip(headings, row.cells, strict=True)) | {"fitted": row.is_fitted} for row in rows]


def _finding(finished: FinishedRun) -> str:
    """Three sentences for the control, then one for each other curve."""
    lines = [f"## {finished.run.spec_name}: run {finished.run.run_id}", ""]
    for item in sorted(finished.curves, key=_control_first):
        message = tell(item.diagnosis)
        said = message if _is_control(item) else message.what
        lines += [f"**{curve_title(item.curve)}: {item.diagnosis.verdict}.** {said}", ""]
    return "\n".join((*lines, finished.summary))


def _control_first(item: DiagnosedCurve) -> tuple[bool, str]:
    return not _is_control(item), curve_title(item.curve)


def _is_control(item: DiagnosedCurve) -> bool:
    return item.curve.key is not None and item.curve.key.mitigation == CONTROL


def _rows(warehouse: Warehouse, sql: str, run_id: str) -> Rows:
    answer = warehouse.query(sql.format(run_id=run_id))
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
