"""Readings to one of the three kinds of observations."""

from dataclasses import replace

import numpy as np

from bench_core.model.curve import CallSeries, CurveSample, Observations, ScalingCurve, SizeSweep, Work, XKind
from bench_core.model.errors import TableError
from bench_core.tables.columns import Columns
from bench_core.tables.grid import Column, Grid
from bench_core.tables.names import Role
from bench_core.tables.note import Note
from bench_core.tables.readings import Positions, Readings, select

# Totals beyond this say nothing new about a curve of two straight lines; kept log-spaced, neighbours are 0.3 % apart
# over six decades.
MAX_TOTALS = 4096


def to_observations(
    grid: Grid, columns: Columns, readings: Readings, kind: XKind, work: Work
) -> tuple[Observations, tuple[Note, ...]]:
    """The readings as one of the three kinds of observations.

    Raises:
        TableError: numbers that this kind cannot have, such as half an epoch.
    """
    work, notes = _with_synchronization(columns, work)
    if kind is XKind.EPOCHS:
        curve, more = _scaling_curve(grid, columns, readings, work)
        return curve, notes + more
    is_usable = columns.second is not None and (kind is XKind.SIZE or columns.is_second_synchronized)
    if columns.second is not None and not is_usable:
        notes += (Note("second_ignored"),)
    merged, more = _sorted_medians(readings, kind)
    second_s = merged.second_s if is_usable else None
    if second_s is not None and np.isnan(second_s).any():
        second_s, more = None, (*more, Note("second_incomplete"))
    if kind is XKind.INDEX:
        return CallSeries(merged.x, merged.seconds, second_s, work), notes + more
    return SizeSweep(merged.x, merged.seconds, second_s, work, columns.is_second_synchronized), notes + more


def _with_synchronization(columns: Columns, work: Work) -> tuple[Work, tuple[Note, ...]]:
    """What a lone column of times says about its clock, unless a person said."""
    role = columns.meanings[columns.time].role
    if work.is_synchronized is not None or columns.second is not None or role is Role.TIME:
        return work, ()
    if role is Role.SYNCHRONIZED:
        return replace(work, is_synchronized=True), (Note("synchronized_by_name"),)
    if role is Role.UNSYNCHRONIZED:
        return replace(work, is_synchronized=False), (Note("unsynchronized_by_name"),)
    return work, ()


def _scaling_curve(
    grid: Grid, columns: Columns, readings: Readings, work: Work
) -> tuple[ScalingCurve, tuple[Note, ...]]:
    notes: tuple[Note, ...] = ()
    fractions = np.flatnonzero(readings.x != np.floor(readings.x))
    if len(fractions):
        place, value = grid.place(int(readings.rows[fractions[0]])), readings.x[fractions[0]]
        raise TableError(f"{place}: {value:g} epochs; epochs are whole (sizes may be fractions: --x size)")
    if columns.meanings[columns.time].is_per_epoch:
        readings = _totals(readings)
        notes += (Note("multiplied_per_epoch"),)
    kept, more = _without_zero(readings)
    kept, thinned = _log_spaced(kept)
    second_s = kept.second_s if columns.is_second_synchronized else None
    ignored = (Note("second_ignored"),) if columns.second is not None and second_s is None else ()
    return ScalingCurve(_samples(kept, second_s), work), (*notes, *more, *thinned, *ignored)


def _totals(readings: Readings) -> Readings:
    second_s = None if readings.second_s is None else readings.second_s * readings.x
    return replace(readings, seconds=readings.seconds * readings.x, second_s=second_s)


def _without_zero(readings: Readings) -> tuple[Readings, tuple[Note, ...]]:
    """A loop of no epochs timed nothing but the clock."""
    kept = select(readings, np.flatnonzero(readings.x > 0))
    if not len(kept.rows):
        raise TableError("every row has 0 epochs")
    left_out = len(readings.rows) - len(kept.rows)
    return kept, (Note("zero_epochs_left_out", {"count": left_out}),) if left_out else ()


def _log_spaced(readings: Readings) -> tuple[Readings, tuple[Note, ...]]:
    count = len(readings.x)
    if count <= MAX_TOTALS:
        return readings, ()
    ordered = np.argsort(readings.x, kind="stable")
    log_x = np.log(readings.x[ordered])
    targets = np.linspace(log_x[0], log_x[-1], MAX_TOTALS)
    picks = np.unique(np.clip(np.searchsorted(log_x, targets), 0, count - 1))
    if len(picks) < MAX_TOTALS // 2:
        # Few different counts, many samples of each.
        picks = np.linspace(0, count - 1, MAX_TOTALS).astype(np.intp)
    return select(readings, ordered[picks]), (Note("rows_thinned", {"count": count, "kept": len(picks)}),)


def _samples(readings: Readings, second_s: Column | None) -> tuple[CurveSample, ...]:
    counts = readings.x.astype(np.int64).tolist()
    seconds = readings.seconds.tolist()
    if second_s is None:
        return tuple(map(CurveSample, counts, seconds))
    drains = [_drain(time_s, wall_s) for time_s, wall_s in zip(seconds, second_s.tolist(), strict=True)]
    return tuple(map(CurveSample, counts, seconds, drains))


def _drain(enqueue_time_s: float, wall_time_s: float) -> float | None:
    """Two loops of the same length are two readings: the waiting one may come out shorter by noise, never by work."""
    return None if np.isnan(wall_time_s) else max(wall_time_s - enqueue_time_s, 0.0)


def _sorted_medians(readings: Readings, kind: XKind) -> tuple[Readings, tuple[Note, ...]]:
    """In order of x, with the median where an x is repeated."""
    if (np.diff(readings.x) > 0).all():
        return readings, ()
    ordered = select(readings, np.argsort(readings.x, kind="stable"))
    notes: tuple[Note, ...] = ()
    if kind is XKind.INDEX and not np.array_equal(ordered.x, readings.x):
        notes += (Note("calls_sorted"),)
    distinct, starts = np.unique(ordered.x, return_index=True)
    if len(distinct) == len(ordered.x):
        return ordered, notes
    second_s = None if ordered.second_s is None else _medians(ordered.second_s, starts)
    merged = Readings(ordered.rows[starts], distinct, _medians(ordered.seconds, starts), second_s)
    return merged, (*notes, Note("repeats_merged", {"count": len(ordered.x) - len(distinct)}))


def _medians(values: Column, starts: Positions) -> Column:
    return np.array([np.median(group) for group in np.split(values, starts[1:])])
