"""The report of a run as one self-contained page: no script, nothing loaded from elsewhere."""

from collections.abc import Sequence
from html import escape

from bench_core.model.run import Run
from bench_core.report.curve_table import CurveRow, RunCurve, curve_rows, curve_title
from bench_core.report.findings import find
from bench_core.report.judgement import Table
from bench_core.report.language import Language
from bench_core.report.run_text import FITTED, HEADINGS, run_title

_STYLE = """
body { font: 16px/1.5 system-ui, "Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC", sans-serif; color: #222;
  background: #fff; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem; text-align: right; border-bottom: 1px solid #ddd; }
th { font-weight: 600; border-bottom: 2px solid #888; }
.fitted { color: #555; font-style: italic; }
.verdict { background: #eef3f7; border-radius: .25rem; padding: .1rem .5rem; font-size: .85rem; font-weight: 400; }
.first { font-weight: 600; }
.warning { background: #fff3d6; border-left: .3rem solid #b36b00; padding: .4rem .8rem; }
.prose th, .prose td { text-align: left; vertical-align: top; }
figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: 100%; height: auto; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; font-size: .9rem; color: #444; }
dd { margin: 0; }
""".strip()

_MACHINE = {Language.EN: "Measured on", Language.ZH: "测量环境"}
_DOCUMENT_LANGUAGE = {Language.EN: "en", Language.ZH: "zh-Hans"}


def run_html(
    run: Run,
    curves: Sequence[RunCurve],
    pictures: Sequence[str] = (),
    language: Language = Language.EN,
    *,
    warnings: Sequence[str] = (),
    tables: Sequence[Table] = (),
    failures: Sequence[str] = (),
) -> str:
    """The page.

    Args:
        run: which run, on what.
        curves: every curve with its points and diagnosis, in the order they are shown.
        pictures: one SVG for each curve, or none at all.
        language: of everything but names.
        warnings: what was wrong with the device before it began, a sentence each.
        tables: of the hypotheses and mitigations.
        failures: cases without a measurement, a line each.

    Raises:
        ValueError: pictures for some of the curves only.
    """
    if pictures and len(pictures) != len(curves):
        raise ValueError(f"{len(pictures)} pictures for {len(curves)} curves")
    sections = [
        _section(run_curve, picture, language)
        for run_curve, picture in zip(curves, pictures or [""] * len(curves), strict=True)
    ]
    title = escape(run_title(run, language))
    return "\n".join(
        (
            "<!DOCTYPE html>",
            f'<html lang="{_DOCUMENT_LANGUAGE[language]}">',
            '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style></head>",
            f"<body><h1>{title}</h1>",
            *(f'<p class="warning">{escape(warning)}</p>' for warning in warnings),
            *sections,
            *(table.to_html() for table in tables),
            *(f"<p>{escape(failure)}</p>" for failure in failures),
            _machine(run, language),
            "</body></html>",
            "",
        )
    )


def _section(run_curve: RunCurve, picture: str, language: Language) -> str:
    curve, points, diagnosis = run_curve
    finding = find(run_curve, language)
    first, *rest = (escape(sentence) for sentence in finding)
    figure = f"<figure>{picture}</figure>" if picture else ""
    return "\n".join(
        (
            "<section>",
            f'<h2>{escape(curve_title(curve))} <span class="verdict">{diagnosis.verdict.value}</span></h2>',
            f'<p class="first">{first}</p>',
            f"<p>{' '.join(rest)}</p>",
            figure,
            _table(curve_rows(points, curve.work.flop_per_epoch), language),
            "</section>",
        )
    )


def _table(rows: Sequence[CurveRow], language: Language) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in HEADINGS[language])
    body = "\n".join(_row(row) for row in rows)
    note = f'<p class="fitted">{escape(FITTED[language])}</p>' if any(row.is_fitted for row in rows) else ""
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>{note}"


def _row(row: CurveRow) -> str:
    marked = [f"{cell} *" if row.is_fitted and column == 2 else cell for column, cell in enumerate(row.cells)]
    kind = ' class="fitted"' if row.is_fitted else ""
    return f"<tr{kind}>" + "".join(f"<td>{escape(cell)}</td>" for cell in marked) + "</tr>"


def _machine(run: Run, language: Language) -> str:
    environment = run.environment
    facts = {
        "device": f"{run.device.device}, {run.device.device_name}",
        "CPU": f"{environment.cpu_model}, {environment.logical_cpu_count} logical",
        "OS": environment.os,
        "TensorFlow": environment.tensorflow_version,
        "driver": environment.driver_version,
        "CUDA": environment.cuda_version,
        "seed": str(run.seed),
        "cliffwatch": run.cliffwatch_version,
    }
    rows = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts.items() if value)
    return f"<h2>{_MACHINE[language]}</h2><dl>{rows}</dl>"
