"""The used columns of a grid as numbers in base units, every one checked."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench_core.model.errors import TableError
from bench_core.tables.columns import Columns
from bench_core.tables.grid import Column, Grid
from bench_core.tables.note import Note

Positions = npt.NDArray[np.intp]

# A picosecond and thirty years: what lies outside is a wrong unit or no time at all.
_MIN_S = 1e-12
_MAX_S = 1e9
# A float64 counts exactly up to here.
_MAX_COUNT = 2.0**53


@dataclass(frozen=True, slots=True)
class Readings:
    """The used columns in base units, shape (n,) each; rows without a time are left out.

    Attributes:
        rows: position of each reading in the grid.
    """

    rows: Positions
    x: Column
    seconds: Column
    second_s: Column | None


def to_readings(grid: Grid, columns: Columns) -> tuple[Readings, tuple[Note, ...]]:
    """Convert and check the used columns.

    Raises:
        TableError: a cell that is no number, a time out of range, or no row left.
    """
    seconds = _time_column(grid, columns, columns.time)
    second_s = None if columns.second is None else _time_column(grid, columns, columns.second)
    x = np.arange(1.0, grid.row_count + 1) if columns.x is None else grid.counts(columns.x)
    present = ~(np.isnan(seconds) | np.isnan(x))
    rows = np.flatnonzero(present)
    readings = Readings(rows, x[rows], seconds[rows], None if second_s is None else second_s[rows])
    _check_times(grid, readings)
    _check_counts(grid, readings)
    left_out = grid.row_count - len(rows)
    return readings, (Note("rows_left_out", {"count": left_out}),) if left_out else ()


def select(readings: Readings, picks: Positions) -> Readings:
    """Some of the readings, in the order of the picks."""
    second_s = None if readings.second_s is None else readings.second_s[picks]
    return Readings(readings.rows[picks], readings.x[picks], readings.seconds[picks], second_s)


def _time_column(grid: Grid, columns: Columns, column: int) -> Column:
    s_per_unit = columns.meanings[column].s_per_unit
    return grid.seconds(column, 1.0 if s_per_unit is None else s_per_unit)


def _check_times(grid: Grid, readings: Readings) -> None:
    if not len(readings.rows):
        raise TableError("no row has a time")
    for column in (readings.seconds, readings.second_s):
        if column is None:
            continue
        # NaN compares false: a second time may be missing.
        bad = np.flatnonzero((column < _MIN_S) | (column > _MAX_S))
        if len(bad):
            raise TableError(_time_problem(grid, int(readings.rows[bad[0]]), float(column[bad[0]]), len(bad)))


def _time_problem(grid: Grid, row: int, seconds: float, count: int) -> str:
    others = "1 more row" if count == 2 else f"{count - 1:,} more rows"
    more = f" (and {others} like it)" if count > 1 else ""
    if seconds == 0:
        return f"{grid.place(row)}: a time of 0: the clock is too coarse for it; time more epochs together{more}"
    return f"{grid.place(row)}: a time of {seconds:g} s; every time must be from 1e-12 s to 1e9 s{more}"


def _check_counts(grid: Grid, readings: Readings) -> None:
    bad = np.flatnonzero((readings.x < 0) | ~(readings.x <= _MAX_COUNT))
    if len(bad):
        place, value = grid.place(int(readings.rows[bad[0]])), float(readings.x[bad[0]])
        raise TableError(f"{place}: N is {value:g}; it must be from 0 to 2**53")
