"""Lists printed by a program to a grid: `n = [100, 200, 500]`, or an array as numpy prints it."""

import re

from bench_core.tables.grid import TextGrid
from bench_core.tables.quantity import parse_quantity

_LIST = re.compile(r"(?:([^\W\d][^=:\[\]\n]*?)\s*[=:]\s*)?(?:\w+\()?[\[(]([^\[\]()]*)[\])]\)?")
# Two numbers in brackets may be an interval.
_MIN_LENGTH = 3


def read_lists(text: str) -> TextGrid | None:
    """The bracketed lists of numbers in a text as columns, named by what they were assigned to; None without."""
    columns: list[tuple[str, list[str]]] = []
    for match in _LIST.finditer(text):
        cells = match[2].replace(",", " ").split()
        if len(cells) >= _MIN_LENGTH and all(parse_quantity(cell) is not None for cell in cells):
            columns.append((match[1] or "", cells))
    if not columns or len({len(cells) for _, cells in columns}) > 1:
        return None
    names = tuple(name for name, _ in columns)
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    return TextGrid(names if any(names) else None, rows)
