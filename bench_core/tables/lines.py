"""Lines of text to a grid: separators, aligned columns, markdown, and text around the table."""

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench_core.model.errors import TableError
from bench_core.tables.grid import TextGrid, is_number
from bench_core.tables.names import Role, understand, unit_of
from bench_core.tables.quantity import COUNTED, SECONDS_PER_UNIT, is_missing

Split = Callable[[str], list[str]]

# The separator is chosen from the first lines: a table that begins later than this is looked for in vain.
_SAMPLE_LINES = 2000
# Written sideways, a table has as many columns as readings.
_MOST_COLUMNS = 200
_LABELLED_ROWS = 3
_MOST_WORDS_OF_NAMES = 20
_RULE = re.compile(r"[\s|+:=\-_─━┄│┃┼┬┴├┤┌┐└┘╪═╞╡]*")
_QUOTE_MARK = re.compile(r"^\s*>\s+(?=[\d|#])")
_UNITS = "|".join(sorted(map(re.escape, {*SECONDS_PER_UNIT, *COUNTED}), key=len, reverse=True))
_UNIT_APART = re.compile(rf"(?<=[\d.])[ ]+(?=(?:{_UNITS})(?:\s|$))", re.IGNORECASE)
# `1,034,213.8`: no number begins with 03.
_THOUSANDS = re.compile(r"(?:^|,)\s*\d{1,3},0\d\d(?:,|\s*$)")
_PLUS_MINUS = re.compile(r"\s*(±|\+/?-)\s*")


@dataclass(frozen=True, slots=True)
class _Layout:
    """One way to split lines; strict where a line of prose could pass for a row."""

    name: str
    split: Split
    is_strict: bool = False
    separates_by_blanks: bool = False


def read_lines(text: str) -> TextGrid | None:
    """The largest table in a text, with its header; None if there is no row with two numbers, nor a list of numbers.

    Raises:
        TableError: a row that does not fit the others, with its line.
    """
    lines = [_QUOTE_MARK.sub("", line) for line in text.splitlines()]
    best = max((_fit(layout, lines) for layout in _LAYOUTS), key=lambda fit: fit.score)
    if best.score == 0:
        return None
    return _grid(best, lines)


@dataclass(frozen=True, slots=True)
class _Fit:
    layout: _Layout
    width: int
    score: int


def _fit(layout: _Layout, lines: Sequence[str]) -> _Fit:
    widths = Counter(
        len(cells)
        for line in lines[:_SAMPLE_LINES]
        if _is_row(cells := _trimmed(layout.split(line)), strict=layout.is_strict)
    )
    if not widths:
        return _Fit(layout, 0, 0)
    width, count = widths.most_common(1)[0]
    # One number a line is a table only where nothing better is there.
    return _Fit(layout, width, 2 * count if width > 1 else count)


def _is_row(cells: Sequence[str], *, strict: bool) -> bool:
    if len(cells) > _MOST_COLUMNS:
        return False
    numbers = sum(is_number(cell) for cell in cells)
    blanks = sum(is_missing(cell) for cell in cells)
    if strict and numbers + blanks < len(cells):
        return False
    return numbers >= min(2, len(cells)) or (numbers == 1 and numbers + blanks == len(cells) > 1)


def _grid(fit: _Fit, lines: Sequence[str]) -> TextGrid:
    first = next(index for index, line in enumerate(lines) if _is_certain(fit, line))
    last = next(index for index in range(len(lines) - 1, -1, -1) if _is_certain(fit, lines[index]))
    start, header = _header(fit, lines, first)
    rows: list[list[str]] = []
    numbers: list[int] = []
    for index in range(start, len(lines)):
        cells = _row(fit, lines[index], index + 1, is_inside=index < last)
        if cells is not None and tuple(cells) != header:
            rows.append(cells)
            numbers.append(index + 1)
    if header is not None and len(header) == fit.width - 1:
        rows = [row[1:] for row in rows]
    return TextGrid(header, rows, numbers, comma_is_decimal=fit.layout.name == "semicolons")


def _is_certain(fit: _Fit, line: str) -> bool:
    cells = _trimmed(fit.layout.split(line))
    return len(cells) == fit.width and _is_row(cells, strict=fit.layout.is_strict)


def _row(fit: _Fit, line: str, number: int, *, is_inside: bool) -> list[str] | None:
    """The cells of a line at or after the first row; None for text, rules and blank lines.

    Raises:
        TableError: it starts like a row and has too few or too many cells.
    """
    if not line.strip() or _RULE.fullmatch(line):
        return None
    cells = _trimmed(fit.layout.split(line), fit.width)
    if fit.layout.name == "commas" and _THOUSANDS.search(line):
        raise TableError(
            f"line {number}: a comma separates both thousands and cells; quote the numbers or leave it out"
        )
    if len(cells) == fit.width:
        is_in_list = fit.width == 1 and is_inside
        return cells if is_in_list or any(is_number(cell) or is_missing(cell) for cell in cells) else None
    could_be_text = not is_inside and (len(cells) == 1 or fit.layout.is_strict)
    if could_be_text or not is_number(cells[0]):
        return None
    raise TableError(
        f"line {number}: {len(cells)} cells where the other rows have {fit.width};"
        " quote numbers that contain the separator, and leave a cell empty where there is no value"
    )


def _header(fit: _Fit, lines: Sequence[str], first: int) -> tuple[int, tuple[str, ...] | None]:
    """Where the rows start and the names above them, as far as those name the columns or at least a unit of time.

    Lines between the names and the first certain row that look like rows are bad rows, not text.
    """
    start = first
    for index in range(first - 1, -1, -1):
        line = lines[index]
        if not line.strip() or _RULE.fullmatch(line):
            continue
        names = _names(fit, lines, index)
        if names is not None:
            return index + 1, names
        cells = _trimmed(fit.layout.split(line), fit.width)
        if len(cells) != fit.width or not any(map(is_number, cells)):
            break
        start = start if fit.layout.is_strict else index
    return start, None


def _names(fit: _Fit, lines: Sequence[str], place: int) -> tuple[str, ...] | None:
    line = lines[place]
    cells = _trimmed(fit.layout.split(line.lstrip("# ")), fit.width)
    has_numbers = any(map(is_number, cells))
    if len(cells) == fit.width and not has_numbers and _are_names(fit, cells):
        return tuple(cells)
    if len(cells) == fit.width - 1 and not has_numbers and _has_row_labels(fit, lines[place + 1 :]):
        return tuple(cells)
    if fit.width == 2 and not any(is_number(word) for word in line.split()):
        return _two_names(line)
    return None


def _has_row_labels(fit: _Fit, lines: Sequence[str]) -> bool:
    """Whether the first column counts 0, 1, 2 without a name, as pandas prints it."""
    rows = [_trimmed(fit.layout.split(line), fit.width) for line in lines[:_LABELLED_ROWS] if line.strip()]
    return fit.layout.separates_by_blanks and [row[0] for row in rows] == [str(row) for row in range(len(rows))]


def _are_names(fit: _Fit, cells: Sequence[str]) -> bool:
    """Words over columns; over blank-separated ones only words that say something, as a sentence has words too."""
    if not fit.layout.is_strict and len(cells) == fit.width:
        return True
    return any(understand(cell).role is not Role.UNKNOWN for cell in cells)


def _two_names(line: str) -> tuple[str, str] | None:
    """`number of epochs time (ms)` over two columns, or a sentence above them that says the unit."""
    words = line.split()
    for cut in range(1, min(len(words), _MOST_WORDS_OF_NAMES)):
        left, right = " ".join(words[:cut]), " ".join(words[cut:])
        if understand(left).role is Role.X and understand(right).role in (Role.TIME, Role.SYNCHRONIZED):
            return left, right
    unit = unit_of(line)
    # The sentence's unit holds for the times below it; its words are not names.
    return None if unit is None else ("", {1.0: "s", 1e-3: "ms", 1e-6: "us", 1e-9: "ns"}.get(unit, line))


def _pipes(line: str) -> list[str]:
    bare = re.sub(r"^\s*[|│┃]|[|│┃]\s*$", "", line)
    return re.split(r"[|│┃]", bare)


def _commas(line: str) -> list[str]:
    if '"' in line:
        # A quote that never ends is text, not a cell.
        with contextlib.suppress(csv.Error):
            return next(csv.reader([line], skipinitialspace=True))
    return line.split(",")


def _aligned(line: str) -> list[str]:
    return re.split(r"\s{2,}|\t", line.strip())


def _words(line: str) -> list[str]:
    return _PLUS_MINUS.sub(r"\1", _UNIT_APART.sub("", line.strip())).split()


def _trimmed(cells: Iterable[str], width: int = 2) -> list[str]:
    """Cells without blanks around them, and without empty ones at the end beyond the width."""
    trimmed = [cell.strip() for cell in cells]
    while len(trimmed) > max(width, 1) and not trimmed[-1]:
        trimmed.pop()
    return trimmed or [""]


# In order of preference where two explain equally many lines.
_LAYOUTS = (
    _Layout("pipes", _pipes),
    _Layout("tabs", lambda line: line.split("\t")),
    _Layout("semicolons", lambda line: line.split(";")),
    _Layout("commas", _commas),
    _Layout("aligned", _aligned, separates_by_blanks=True),
    _Layout("words", _words, is_strict=True, separates_by_blanks=True),
)
