"""What a strategy chooses for itself, from short trials or arithmetic."""

import time
from collections.abc import Callable
from typing import Any

WINDOWS = (1, 4, 16, 64)
TRIAL_S = 0.1
# A window that costs less than this over the best one counts as free: less than any effect a report would call one.
FREE_FRACTION = 0.02


def tune_window(call: Callable[[], Any], drain: Callable[[], Any]) -> int:
    """The smallest window between two waits that costs nothing against the best one, among those a trial can hold."""
    _trial_s(call, drain, call_count=1, window=1)
    one_s = _trial_s(call, drain, call_count=1, window=1)
    call_count = max(1, min(WINDOWS[-1], int(TRIAL_S / one_s)))
    windows = [window for window in WINDOWS if window <= call_count]
    costs = {window: _trial_s(call, drain, call_count=call_count, window=window) for window in windows}
    cheapest = min(costs.values())
    return next(window for window in windows if costs[window] <= (1 + FREE_FRACTION) * cheapest)


def largest_divisor(count: int, limit: int) -> int:
    """The largest divisor of count that is at most limit (1 is always one)."""
    return next(divisor for divisor in range(min(count, limit), 0, -1) if count % divisor == 0)


def _trial_s(call: Callable[[], Any], drain: Callable[[], Any], *, call_count: int, window: int) -> float:
    start_s = time.perf_counter()
    for position in range(1, call_count + 1):
        call()
        if position % window == 0:
            drain()
    drain()
    return time.perf_counter() - start_s
