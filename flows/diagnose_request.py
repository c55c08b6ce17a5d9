"""What was typed after `cliffwatch diagnose`, checked as a whole."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench_core.analyze.peaks import find_card, near_names
from bench_core.model.case import Precision
from bench_core.model.curve import Work, XKind
from bench_core.model.errors import SpecError
from bench_core.model.shape import Shape
from bench_core.report.language import Language, language_of
from bench_core.tables.quantity import parse_size

PICTURE_FORMATS = (".svg", ".png")
_SYNCHRONIZED = {"yes": True, "no": False, "unknown": None}
# What a stored run knows of itself.
_OF_A_TABLE = ("x", "flop-per-epoch", "shape", "bytes-per-epoch", "gpu", "peak", "precision", "synchronized")
STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class DiagnoseRequest:
    """A table or a run, and what is known of it.

    Attributes:
        source: a file, or `-`; None where a run is diagnosed.
        x: what the first column counts; None to have it recognised.
        plot: where a picture goes; None without.
    """

    source: str | None
    run_id: str | None
    warehouse: Path | None
    x: XKind | None
    work: Work
    plot: Path | None
    language: Language


class _Problems(dict[str, str]):
    """What is wrong with the options, by the option."""

    def choice(self, option: str, text: str | None, allowed: Mapping[str, object] | tuple[str, ...]) -> str | None:
        """The text if it is allowed."""
        if text is None or text.lower() in allowed:
            return None if text is None else text.lower()
        self[option] = f"need {', '.join(allowed)}, got {text!r}"
        return None

    def positive(self, option: str, text: str | None, unit: str) -> float | None:
        """The text as a number above 0."""
        if text is None:
            return None
        value = _number(text.lower().removesuffix(unit.lower()).strip())
        if value is None or not 0 < value < 1e30:
            self[option] = f"need a number above 0 in {unit}, got {text!r}"
            return None
        return value


def read_diagnose_request(
    source: str | None, options: Mapping[str, str | None], environment: Mapping[str, str] = os.environ
) -> DiagnoseRequest:
    """The options as one checked value.

    Args:
        source: FILE as typed; None where it was left out.
        options: text as typed by the option's name, None where it was not given.
        environment: its locale variables decide the language where --lang was not given.

    Raises:
        SpecError: names every problem at once.
    """
    problems = _Problems()
    _check_source(problems, source, options["run"])
    _check_belonging(problems, options)
    x = problems.choice("--x", options["x"], tuple(XKind))
    language = problems.choice("--lang", options["lang"], tuple(Language))
    request = DiagnoseRequest(
        source,
        options["run"],
        Path(options["warehouse"]) if options["warehouse"] else None,
        XKind(x) if x else None,
        _work(problems, options),
        _plot(problems, options["plot"]),
        Language(language) if language else language_of(environment),
    )
    if problems:
        raise SpecError(problems)
    return request


def _check_source(problems: _Problems, source: str | None, run_id: str | None) -> None:
    if (source is None) == (run_id is None):
        got = "neither" if source is None else "both"
        problems["FILE"] = f"need a file, - for standard input, or --run RUN_ID; got {got}"
    elif source not in (None, STANDARD_INPUT) and not Path(source or "").is_file():
        is_folder = Path(source or "").is_dir()
        problems["FILE"] = f"{source} is a folder; need a file" if is_folder else f"there is no file {source}"


def _check_belonging(problems: _Problems, options: Mapping[str, str | None]) -> None:
    """No option is silently without effect."""
    if options["run"] is None:
        if options["warehouse"] is not None:
            problems["--warehouse"] = "needs --run RUN_ID"
        return
    for name in _OF_A_TABLE:
        if options[name] is not None:
            problems[f"--{name}"] = "is said by the run itself; leave it out"


def _work(problems: _Problems, options: Mapping[str, str | None]) -> Work:
    synchronized = problems.choice("--synchronized", options["synchronized"], _SYNCHRONIZED)
    peak_tflop_per_s = problems.positive("--peak", options["peak"], "TFLOP/s")
    return Work(
        flop_per_epoch=_flop_per_epoch(problems, options),
        bytes_per_epoch=problems.positive("--bytes-per-epoch", options["bytes-per-epoch"], "bytes"),
        precision=problems.choice("--precision", options["precision"], tuple(Precision)),
        gpu=_gpu(problems, options["gpu"], has_peak=options["peak"] is not None),
        peak_flop_per_s=None if peak_tflop_per_s is None else peak_tflop_per_s * 1e12,
        is_synchronized=_SYNCHRONIZED[synchronized] if synchronized else None,
    )


def _flop_per_epoch(problems: _Problems, options: Mapping[str, str | None]) -> float | None:
    stated = problems.positive("--flop-per-epoch", options["flop-per-epoch"], "FLOP")
    text = options["shape"]
    if text is None:
        return stated
    if stated is not None:
        problems["--shape"] = "the shape already says the FLOP of an epoch; give it or --flop-per-epoch"
    try:
        return float(Shape.parse(text).flop_per_epoch)
    except ValueError as error:
        problems["--shape"] = str(error)
        return None


def _gpu(problems: _Problems, name: str | None, *, has_peak: bool) -> str | None:
    if name is None:
        return None
    card = find_card(name)
    if card is not None:
        return card.name
    if not has_peak:
        near = near_names(name)
        hint = f"did you mean {', or '.join(near)}? Else " if near else ""
        problems["--gpu"] = f"{name!r} is no card of the table; {hint}give its dense peak with --peak TFLOP/s"
    return None


def _plot(problems: _Problems, text: str | None) -> Path | None:
    if text is None:
        return None
    path = Path(text)
    if path.suffix.lower() not in PICTURE_FORMATS:
        problems["--plot"] = f"need a name that ends in .svg or .png, got {text!r}"
    elif not os.access(path.parent, os.W_OK):
        problems["--plot"] = f"{path.parent} is no folder that can be written"
    elif path.is_dir():
        problems["--plot"] = f"{text} is a folder"
    return path


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return parse_size(text)
