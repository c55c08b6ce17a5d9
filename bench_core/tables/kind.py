"""What the first column counts: epochs of separate loops, calls one after the other, or problem sizes.

In this order: what a person asked for; what the column's name says; the numbers. A table without a counting column is
a series. Numbers 0, 1, 2, ... or 1, 2, 3, ... in a row are calls, unless the column is plainly named `epochs`; all
else is taken for epochs. Sizes are never recognised by their numbers: a saturating loop can look like any power law.
"""

import numpy as np

from bench_core.model.curve import XKind
from bench_core.tables.columns import Columns
from bench_core.tables.grid import Column
from bench_core.tables.note import Note

# Three numbers in a row may well be loops of 1, 2 and 3 epochs.
_MIN_CONSECUTIVE = 4


def recognise_kind(columns: Columns, x: Column, asked: XKind | None) -> tuple[XKind, tuple[Note, ...]]:
    """The kind of a table, with a note where it was assumed rather than said."""
    if asked is not None:
        return asked, ()
    named = columns.x_meaning
    if columns.x is None or (_is_consecutive(x) and not named.is_plain_epochs and named.x is not XKind.SIZE):
        is_said = columns.x is None or named.x is XKind.INDEX
        return XKind.INDEX, () if is_said else (Note("index_assumed"),)
    if named.x is None and columns.meanings[columns.time].is_per_epoch:
        return XKind.INDEX, (Note("index_assumed_per_call"),)
    if named.x is not None:
        return named.x, ()
    return XKind.EPOCHS, (Note("epochs_assumed"),)


def _is_consecutive(x: Column) -> bool:
    return len(x) >= _MIN_CONSECUTIVE and x[0] in (0, 1) and bool(np.all(np.diff(x) == 1))
