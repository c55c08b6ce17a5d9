"""`cliffwatch diagnose`: the cause behind anyone's numbers."""

import io
import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_core.analyze.diagnose import diagnose as find_cause
from bench_core.analyze.readings import tabulate
from bench_core.model.curve import Observations, ScalingCurve, XKind
from bench_core.model.diagnosis import Diagnosis
from bench_core.model.errors import TableError
from bench_core.report.curve_table import curve_title
from bench_core.report.diagnosis_json import diagnosis_json
from bench_core.report.diagnosis_text import diagnosis_text
from bench_core.report.language import Language
from bench_core.report.messages import note_text, tell
from bench_core.tables.note import Note
from bench_core.tables.read import MAX_BYTES, read_table
from flows.diagnose_request import STANDARD_INPUT, DiagnoseRequest, read_diagnose_request

SUMMARY = "Say what a table of times means, what proves it, and what to measure next."

# Name, what it takes, and what it is.
OPTIONS = {
    "x": ("KIND", "what the first column counts: epochs, index or size; else recognised"),
    "flop-per-epoch": ("FLOP", "FLOP of one epoch"),
    "shape": ("ROWSxINNERxUNITS", "the matmul of one epoch, which says its FLOP"),
    "bytes-per-epoch": ("BYTES", "bytes moved by one epoch"),
    "gpu": ("NAME", 'the card, such as "RTX A4000"'),
    "peak": ("TFLOP/s", "the device's dense peak"),
    "precision": ("NAME", "what was asked for: fp32, tf32, fp16 or bf16"),
    "synchronized": ("ANSWER", "whether the clock waited for the device: yes, no or unknown"),
    "run": ("RUN_ID", "diagnose a run of the warehouse instead of a table"),
    "warehouse": ("DIR", "folder of the records, for --run"),
    "plot": ("FILE", "draw a picture: .svg or .png"),
    "lang": ("LANGUAGE", "language of the message: en or zh; else the locale's"),
}


@dataclass(frozen=True, slots=True)
class _Found:
    """One table or curve with its diagnosis."""

    title: str
    observations: Observations
    kind: XKind
    notes: tuple[Note, ...]
    diagnosis: Diagnosis


def diagnose(source: str | None, options: Mapping[str, str | None], *, as_json: bool = False) -> None:
    """Say what a table of times means, what proves it, and what to measure next.

    Args:
        source: FILE as typed; None where it was left out.
        options: text as typed by the name of the option, None where it was not given.
        as_json: print one JSON object and nothing else.

    Raises:
        UserError: a problem of the options, the table or the warehouse.
    """
    request = read_diagnose_request(source, options)
    found = [_table(request)] if request.source is not None else _run(request)
    if request.plot is not None:
        _draw(found, request.plot, request.language)
    _print(json.dumps(_json(found, request), ensure_ascii=False, allow_nan=False) if as_json else _text(found, request))


def main(arguments: Sequence[str]) -> None:
    """Run the command with what was typed after its name.

    Typer would load pydantic to hand these strings over, which takes as long as NumPy and the diagnosis together.
    """
    typed = vars(build_parser().parse_args(arguments))
    diagnose(typed.pop("source"), typed, as_json=typed.pop("json"))


def build_parser() -> ArgumentParser:
    """Every option as text: read_diagnose_request names all their problems at once."""
    parser = ArgumentParser(prog="cliffwatch diagnose", description=SUMMARY, allow_abbrev=False)
    parser.add_argument(
        "source", nargs="?", metavar="FILE|-", help="CSV, TSV, JSON or a pasted table; - reads standard input"
    )
    for name, (metavar, help_text) in OPTIONS.items():
        parser.add_argument(f"--{name}", dest=name, metavar=metavar, help=help_text)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    return parser


def _table(request: DiagnoseRequest) -> _Found:
    table = read_table(_read(str(request.source)), x=request.x, work=request.work)
    title = "" if request.source == STANDARD_INPUT else Path(str(request.source)).name
    return _Found(title, table.observations, table.kind, table.notes, find_cause(table.observations))


def _read(source: str) -> bytes:
    """At most one byte more than a table may have."""
    if source == STANDARD_INPUT:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TableError(f"{source} cannot be read: {error.strerror}") from error


def _run(request: DiagnoseRequest) -> list[_Found]:
    # DuckDB and pydantic, for this option only.
    from flows.request import warehouse_folder
    from warehouse.store import Warehouse

    store = Warehouse.read(warehouse_folder(request.warehouse))
    run_id = store.run(str(request.run_id))[0].run_id
    curves = store.curves(run_id)
    if not curves:
        raise TableError(f"run {run_id} has no measured case")
    return [_Found(curve_title(curve), curve, XKind.EPOCHS, (), find_cause(curve)) for curve in curves]


def _draw(found: Sequence[_Found], path: Path, language: Language) -> None:
    # Altair and its renderer, for this option only.
    from bench_core.report.panels import observation_panel
    from bench_core.report.picture import write_picture

    # A PNG is drawn here and now, with whatever fonts are here; an SVG is drawn by its reader.
    shown_in = language if path.suffix.lower() == ".svg" else Language.EN
    panels = []
    for each in found:
        points = tabulate(each.observations) if isinstance(each.observations, ScalingCurve) else ()
        panels.append(observation_panel(each.title, each.observations, points, each.diagnosis, shown_in))
    write_picture(panels, path)


def _text(found: Sequence[_Found], request: DiagnoseRequest) -> str:
    titles = [each.title if len(found) > 1 else "" for each in found]
    return "\n\n\n".join(
        diagnosis_text(each.diagnosis, each.kind, request.language, each.notes, title)
        for each, title in zip(found, titles, strict=True)
    )


def _json(found: Sequence[_Found], request: DiagnoseRequest) -> dict[str, Any]:
    objects = [
        diagnosis_json(
            each.diagnosis,
            str(tell(each.diagnosis, each.kind, request.language)),
            [note_text(note, request.language) for note in each.notes],
        )
        for each in found
    ]
    if request.run_id is None:
        return objects[0]
    curves = [{"curve": each.title} | value for each, value in zip(found, objects, strict=True)]
    return {"run_id": request.run_id, "curves": curves}


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal of another encoding shows what it can.
        sys.stdout.reconfigure(errors="replace")
    print(text)
