"""Being ended from outside: Ctrl-C, SIGTERM and Prefect's cancellation, told apart from defects."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from prefect.exceptions import TerminationSignal


class Terminated(BaseException):
    """SIGTERM, outside of a flow run."""


def interruption_behind(error: BaseException) -> BaseException | None:
    """The Ctrl-C or SIGTERM that an error comes from; None for an error of its own.

    Prefect raises TerminationSignal wherever SIGTERM finds the main thread. Inside its own engine that can surface as
    another error, such as "Task run is not set", with the signal only in its context.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt | TerminationSignal | Terminated):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def signal_of(interruption: BaseException) -> signal.Signals:
    """The signal behind an interruption."""
    return signal.SIGINT if isinstance(interruption, KeyboardInterrupt) else signal.SIGTERM


@contextmanager
def sigterm_raises() -> Iterator[None]:
    """Turn SIGTERM into Terminated, so that a command can end in order."""

    def terminate(number: int, frame: FrameType | None) -> NoReturn:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a second Ctrl-C or SIGTERM wait until what was measured is safe."""
    if threading.current_thread() is not threading.main_thread():  # signals only ever reach the main thread
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
