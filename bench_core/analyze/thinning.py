"""Which rows of a long table an analysis reads: verdicts need a few thousand, and answers are due in seconds."""

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]

# A longer series is judged by its beginning, where warm-ups and knees are, and by stretches of whole calls from there
# to its end, where periods and slow changes are.
MOST_CALLS = 8192
_FIRST_CALLS = 2048
_STRETCHES = 6


def even_rows(row_count: int, most: int) -> Rows:
    """At most so many of the rows, evenly spaced, the first and the last among them."""
    if row_count <= most:
        return np.arange(row_count)
    return np.unique(np.linspace(0, row_count - 1, most).astype(np.int64))


def series_rows(row_count: int) -> Rows:
    """The rows of the beginning and of evenly placed stretches, at most MOST_CALLS."""
    if row_count <= MOST_CALLS:
        return np.arange(row_count)
    length = (MOST_CALLS - _FIRST_CALLS) // _STRETCHES
    starts = np.linspace(_FIRST_CALLS, row_count - length, _STRETCHES).astype(np.int64)
    stretches = (starts[:, None] + np.arange(length)).ravel()
    return np.unique(np.concatenate([np.arange(_FIRST_CALLS), stretches]))
