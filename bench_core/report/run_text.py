"""The report of a run as text: for each curve a table, then what it means."""

from collections.abc import Sequence

from bench_core.model.run import Run
from bench_core.report.curve_table import CurveRow, RunCurve, curve_rows, curve_title
from bench_core.report.findings import find
from bench_core.report.judgement import Table
from bench_core.report.language import Language
from bench_core.report.words import display_width, wrapped

HEADINGS = {
    Language.EN: ("epochs", "stopwatch shows", "it took", "per epoch", "rate"),
    Language.ZH: ("次数", "秒表显示", "实际耗时", "每次", "速率"),
}
FITTED = {Language.EN: "* fitted, not measured", Language.ZH: "* 拟合值，未实测"}
_RUN = {Language.EN: "Run {run_id} on {device}", Language.ZH: "运行 {run_id}，设备 {device}"}
_FITTED_MARK = " *"


def run_text(
    run: Run,
    curves: Sequence[RunCurve],
    language: Language = Language.EN,
    *,
    warnings: Sequence[str] = (),
    tables: Sequence[Table] = (),
    failures: Sequence[str] = (),
) -> str:
    """The whole report.

    Args:
        run: which run, on what.
        curves: every curve with its points and diagnosis, in the order they are shown.
        language: of everything but names.
        warnings: what was wrong with the device before it began, a sentence each.
        tables: of the hypotheses and mitigations.
        failures: cases without a measurement, a line each.
    """
    blocks = ["\n".join((run_title(run, language), *warnings))]
    for run_curve in curves:
        curve, points, _ = run_curve
        finding = find(run_curve, language)
        rows = curve_rows(points, curve.work.flop_per_epoch)
        sentences = "\n".join(wrapped(each, language) for each in finding)
        blocks.append("\n\n".join((curve_title(curve), _table(rows, language), sentences)))
    blocks += [table.to_text(language) for table in tables]
    blocks += ["\n".join(failures)] if failures else []
    return "\n\n\n".join(blocks)


def run_title(run: Run, language: Language) -> str:
    """Which run this is, and on what it ran."""
    return _RUN[language].format(run_id=run.run_id, device=f"{run.device.device}, {run.device.device_name}")


def _table(rows: Sequence[CurveRow], language: Language) -> str:
    lines = [HEADINGS[language], *(_marked(row) for row in rows)]
    widths = [max(display_width(line[column]) for line in lines) for column in range(len(HEADINGS[language]))]
    text = [_aligned(line, widths) for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    if any(row.is_fitted for row in rows):
        text.append(FITTED[language])
    return "\n".join(text)


def _marked(row: CurveRow) -> tuple[str, ...]:
    """Fitted values are marked; measured ones make room for the mark, so that units stay below each other."""
    mark = _FITTED_MARK if row.is_fitted else " " * len(_FITTED_MARK)
    return tuple(cell + mark if column == 2 else cell for column, cell in enumerate(row.cells))


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (" " * (width - display_width(cell)) + cell for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()
