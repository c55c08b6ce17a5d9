"""Rows and columns of one table, as text or as numbers, with the line each row stood on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bench_core.model.errors import TableError
from bench_core.tables.quantity import SECONDS_PER_UNIT, Quantity, is_missing, parse_quantity, parse_size

Column = npt.NDArray[np.float64]

# Enough rows to tell what a column holds without reading a long table twice.
_LOOK_AHEAD = 200


class Grid(Protocol):
    """A table before anyone knows what its columns mean."""

    @property
    def header(self) -> tuple[str, ...] | None:
        """Names of the columns as written; None where the table has none."""

    @property
    def column_count(self) -> int:
        """Columns of every row."""

    @property
    def row_count(self) -> int:
        """Rows below the header."""

    def place(self, row: int) -> str:
        """Where a row stands, for a message: `line 7`."""

    def holds_times(self, column: int) -> bool:
        """Whether the cells themselves carry a unit of time."""

    def holds_counts(self, column: int) -> bool:
        """Whether the cells themselves carry a word that is counted, such as `100 epochs`."""

    def holds_numbers(self, column: int) -> bool:
        """Whether the first cells that say anything are numbers."""

    def counts(self, column: int) -> Column:
        """The column as counts or sizes, NaN where a cell says it is missing, shape (row_count,).

        Raises:
            TableError: a cell that is no number, with its line.
        """

    def seconds(self, column: int, s_per_unit: float) -> Column:
        """The column in seconds, NaN where a cell says it is missing, shape (row_count,).

        Args:
            column: its position, from 0.
            s_per_unit: for cells without a unit of their own.

        Raises:
            TableError: a cell that is no time, with its line.
        """


@dataclass(frozen=True)
class NumberGrid:
    """A table of plain numbers, shape (rows, columns).

    Attributes:
        first_line: line of the first row; rows follow one a line. 0 where the table did not come in lines.
    """

    header: tuple[str, ...] | None
    values: npt.NDArray[np.float64]
    first_line: int

    @property
    def column_count(self) -> int:
        """Columns of every row."""
        return int(self.values.shape[1])

    @property
    def row_count(self) -> int:
        """Rows below the header."""
        return int(self.values.shape[0])

    def place(self, row: int) -> str:
        """Where a row stands, for a message."""
        return f"line {self.first_line + row}" if self.first_line else f"entry {row + 1}"

    def holds_times(self, column: int) -> bool:
        """Plain numbers have no unit."""
        return False

    def holds_counts(self, column: int) -> bool:
        """Plain numbers have no unit."""
        return False

    def holds_numbers(self, column: int) -> bool:
        """All of them are numbers."""
        return True

    def counts(self, column: int) -> Column:
        """The column as it is."""
        return self.values[:, column]

    def seconds(self, column: int, s_per_unit: float) -> Column:
        """The column times its unit."""
        return self.values[:, column] * s_per_unit


@dataclass(frozen=True)
class TextGrid:
    """A table of cells as written.

    Attributes:
        lines: line of each row, from 1; empty where the table did not come in lines.
        comma_is_decimal: whether the separator suggests it (`100;1,500`).
    """

    header: tuple[str, ...] | None
    rows: Sequence[Sequence[str]]
    lines: Sequence[int] = ()
    comma_is_decimal: bool = False

    @property
    def column_count(self) -> int:
        """Columns of every row."""
        return len(self.rows[0])

    @property
    def row_count(self) -> int:
        """Rows below the header."""
        return len(self.rows)

    def place(self, row: int) -> str:
        """Where a row stands, for a message."""
        return f"line {self.lines[row]}" if self.lines else f"entry {row + 1}"

    def holds_times(self, column: int) -> bool:
        """Whether most of the first cells carry a unit of time."""
        cells = self._sample(column)
        return 2 * sum(cell is not None and cell.is_time for cell in cells) > len(cells)

    def holds_counts(self, column: int) -> bool:
        """Whether most of the first cells carry a word that is counted."""
        cells = self._sample(column)
        counted = [cell is not None and cell.unit is not None and cell.count is not None for cell in cells]
        return 2 * sum(counted) > len(cells)

    def holds_numbers(self, column: int) -> bool:
        """Whether at least half of the first cells are numbers or sizes."""
        cells = self._cells(column)[:_LOOK_AHEAD]
        return 2 * sum(is_number(cell) for cell in cells) >= len(cells)

    def counts(self, column: int) -> Column:
        """The column as counts or sizes."""
        values = [self._count(row, cell) for row, cell in enumerate(self._cells(column))]
        return np.array(values, dtype=np.float64)

    def seconds(self, column: int, s_per_unit: float) -> Column:
        """The column in seconds."""
        cells = self._cells(column)
        decimal_comma = _has_decimal_comma(cells, is_convention=self.comma_is_decimal)
        values = [self._time(row, cell, s_per_unit, decimal_comma) for row, cell in enumerate(cells)]
        return np.array(values, dtype=np.float64)

    @cached_property
    def _columns(self) -> tuple[tuple[str, ...], ...]:
        return tuple(zip(*self.rows, strict=True))

    def _cells(self, column: int) -> tuple[str, ...]:
        return self._columns[column]

    def _sample(self, column: int) -> list[Quantity | None]:
        return [parse_quantity(cell) for cell in self._cells(column)[:_LOOK_AHEAD] if not is_missing(cell)]

    def _count(self, row: int, cell: str) -> float:
        if is_missing(cell):
            return np.nan
        value = parse_size(cell)
        if value is None:
            raise TableError(f"{self.place(row)}: {_shown(cell)} is not a number of epochs, calls or a size")
        return value

    def _time(self, row: int, cell: str, s_per_unit: float, decimal_comma: bool) -> float:
        if is_missing(cell):
            return np.nan
        quantity = parse_quantity(cell, decimal_comma=decimal_comma)
        if quantity is None:
            raise TableError(f"{self.place(row)}: {_shown(cell)} is not a time; write it like 1.5 or 206.8 ms")
        scale = s_per_unit if quantity.unit is None else SECONDS_PER_UNIT.get(quantity.unit)
        if scale is None:
            raise TableError(f"{self.place(row)}: {_shown(cell)} is not a time; use h, min, s, ms, us or ns")
        return quantity.value * scale


def is_number(cell: str) -> bool:
    """Whether a cell can be read as a number, a time or a size in some convention."""
    return (
        parse_quantity(cell) is not None
        or parse_quantity(cell, decimal_comma=True) is not None
        or parse_size(cell) is not None
    )


def _has_decimal_comma(cells: Sequence[str], *, is_convention: bool) -> bool:
    """Whether commas in this column stand before decimals, as in `0,94`.

    One comma that cannot separate thousands decides, or the convention of the separator; a point elsewhere in the
    column speaks against it.
    """
    with_comma = [cell for cell in cells if "," in cell]
    has_point = any("." in cell and "," not in cell for cell in cells)
    if not with_comma or has_point:
        return False
    cannot_be_thousands = any(parse_quantity(cell) is None for cell in with_comma)
    return (is_convention or cannot_be_thousands) and all(
        parse_quantity(cell, decimal_comma=True) is not None for cell in with_comma
    )


def _shown(cell: str) -> str:
    """The cell quoted, and cut where it is long."""
    text = cell.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
