"""Which column counts, which one holds the times, and which one a second set of times."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench_core.model.curve import XKind
from bench_core.model.errors import TableError
from bench_core.tables.grid import Grid
from bench_core.tables.names import Meaning, Role, understand
from bench_core.tables.note import Note

_TIMES = (Role.TIME, Role.SYNCHRONIZED, Role.UNSYNCHRONIZED)
# Where a table sums samples up in several ways, the middle is what a sample costs.
_PREFERRED_STATISTICS = ("median", "mean", "avg", "average")


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions of the columns that are used.

    Attributes:
        x: None where the table is a list of times.
        second: other times of the same rows: synchronized ones, or another device's; None without.
        is_second_synchronized: whether the second column's name says that its clock waited for the device.
    """

    x: int | None
    time: int
    second: int | None
    is_second_synchronized: bool
    meanings: tuple[Meaning, ...]
    notes: tuple[Note, ...]

    @property
    def x_meaning(self) -> Meaning:
        """What the name of the x column says; nothing where there is no such column."""
        return Meaning() if self.x is None else self.meanings[self.x]


def choose_columns(grid: Grid) -> Columns:
    """Give every column its part, by name, by the units in the cells, and by position where neither speaks.

    Raises:
        TableError: no column can hold times.
    """
    meanings = tuple(_meaning(grid, column) for column in range(grid.column_count))
    usable = [column for column in range(grid.column_count) if grid.holds_numbers(column)]
    times = _times(grid, meanings, usable)
    time = times[0]
    x = _x(meanings, [column for column in usable if column not in times])
    second = next((column for column in times[1:] if column != x), None)
    is_synchronized = second is not None and _is_synchronized(meanings[time], meanings[second])
    return Columns(x, time, second, is_synchronized, meanings, _notes(grid, meanings, (x, time, second)))


def _meaning(grid: Grid, column: int) -> Meaning:
    named = understand(grid.header[column]) if grid.header else Meaning()
    if named.role is Role.UNKNOWN and grid.holds_times(column):
        return Meaning(Role.TIME)
    if named.role is Role.UNKNOWN and grid.holds_counts(column):
        return Meaning(Role.X, x=XKind.EPOCHS)
    return named


def _times(grid: Grid, meanings: Sequence[Meaning], usable: Sequence[int]) -> list[int]:
    """The columns of times, the one to explain first."""
    all_named = [column for column in range(grid.column_count) if meanings[column].role in _TIMES]
    # A time of day has the name of a time too; a column without any number is the last resort.
    named = [column for column in all_named if column in usable] or all_named
    if not named:
        return [_unnamed_time(grid, meanings, usable)]
    middles = [column for column in named if _is_middle(grid, column)]
    extremes = [column for column in named if meanings[column].is_statistic and column not in middles]
    plain = [column for column in named if column not in extremes] or extremes[:1]
    # The times to explain are those of the stopwatch that did not wait.
    order = {Role.UNSYNCHRONIZED: 0, Role.TIME: 1, Role.SYNCHRONIZED: 2}
    return sorted(plain, key=lambda column: order[meanings[column].role])


def _is_middle(grid: Grid, column: int) -> bool:
    name = (grid.header[column] if grid.header else "").lower()
    return any(statistic in name for statistic in _PREFERRED_STATISTICS)


def _unnamed_time(grid: Grid, meanings: Sequence[Meaning], usable: Sequence[int]) -> int:
    unknown = [column for column in usable if meanings[column].role is Role.UNKNOWN]
    has_x = any(meanings[column].role is Role.X for column in usable)
    if not unknown or (len(unknown) < 2 and not has_x and grid.column_count > 1):
        raise TableError(
            f"no column holds times: {_named(grid)}; name one `seconds`, `time (ms)` or the like, or write its unit"
        )
    return unknown[0] if has_x or len(unknown) == 1 else unknown[1]


def _x(meanings: Sequence[Meaning], candidates: Sequence[int]) -> int | None:
    named = [column for column in candidates if meanings[column].role is Role.X]
    unnamed = [column for column in candidates if meanings[column].role is Role.UNKNOWN]
    # `epochs` beside a row label called `run` or `#`.
    named.sort(key=lambda column: meanings[column].x is XKind.INDEX)
    return next(iter([*named, *unnamed]), None)


def _is_synchronized(time: Meaning, second: Meaning) -> bool:
    """Beside a stopwatch that did not wait, a plain `wall time` is one that did."""
    return second.role is Role.SYNCHRONIZED or (time.role is Role.UNSYNCHRONIZED and second.role is Role.TIME)


def _notes(grid: Grid, meanings: Sequence[Meaning], used: Sequence[int | None]) -> tuple[Note, ...]:
    time = used[1]
    notes = []
    ignored = [column for column in range(grid.column_count) if column not in used]
    if ignored:
        names = ", ".join(f"{grid.header[column] if grid.header else ''} ({column + 1})".strip() for column in ignored)
        notes.append(Note("columns_ignored", {"names": names}))
    if time is not None and meanings[time].s_per_unit is None and not grid.holds_times(time):
        notes.append(Note("seconds_assumed"))
    return tuple(notes)


def _named(grid: Grid) -> str:
    return ", ".join(repr(name) for name in grid.header) if grid.header else f"{grid.column_count} columns"
