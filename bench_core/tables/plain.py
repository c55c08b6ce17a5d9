"""The fast way in: clean comma, tab, semicolon or blank separated numbers under at most one line of names."""

import io
import itertools
import re
import warnings

import numpy as np

from bench_core.model.errors import TableError
from bench_core.tables.grid import NumberGrid
from bench_core.tables.quantity import parse_quantity

# How numpy names a bad row: from 0 where a cell does not convert, from 1 where the number of cells changes.
_PROBLEM = re.compile(r"(convert|changed).* at row (\d+)")
_SEPARATORS = (",", "\t", ";", None)
# Text that is no clean table is read line by line, some 15 us each.
_MAX_LINES_OF_TEXT = 300_000
# Long enough that reading line by line would be felt; below it the thorough reader gives better messages.
_MIN_CHARACTERS = 100_000


def read_plain(text: str) -> NumberGrid | None:
    """The table if it is large and nothing but numbers; None otherwise, for the thorough reader to look at.

    Raises:
        TableError: too large for the thorough reader, and not clean.
    """
    if len(text) < _MIN_CHARACTERS:
        return None
    first, second = itertools.islice(itertools.chain(io.StringIO(text), ("", "")), 2)
    separator = next((mark for mark in _SEPARATORS if mark is None or mark in second), None)
    header = (
        None if _is_numeric(first, separator) else tuple(name.strip() for name in first.lstrip("# ").split(separator))
    )
    skipped = 0 if header is None else 1
    try:
        # A StringIO would hold four bytes a character.
        lines = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        with warnings.catch_warnings():
            # An empty table is seen below.
            warnings.simplefilter("ignore", UserWarning)
            values = np.loadtxt(lines, delimiter=separator, comments=None, skiprows=skipped, ndmin=2)
    except ValueError as error:
        _check_length(text, str(error), skipped)
        return None
    if values.size == 0 or (header is not None and len(header) != values.shape[1]):
        return None
    # With blank lines between the rows a row's number is not its line.
    is_regular = text.rstrip().count("\n") + 1 == values.shape[0] + skipped
    return NumberGrid(header, values, skipped + 1 if is_regular else 0)


def _check_length(text: str, problem: str, skipped: int) -> None:
    if text.count("\n") <= _MAX_LINES_OF_TEXT:
        return
    found = _PROBLEM.search(problem)
    place = f"line {int(found[2]) + skipped + (found[1] == 'convert')}" if found else "the table"
    raise TableError(
        f"{place} is not like the others ({problem.split(' at row')[0]});"
        f" a table of more than {_MAX_LINES_OF_TEXT:,} lines must be plain comma, tab or blank separated numbers"
    )


def _is_numeric(line: str, separator: str | None) -> bool:
    return all(parse_quantity(cell) is not None for cell in line.split(separator))
