"""Progress for someone at a terminal: one bar on standard error, nothing where that is no terminal."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from bench_core.model.case import Case
from bench_core.model.result import CaseResult, Outcome
from bench_core.model.units import format_duration
from flows.progress import Pace


class TerminalProgress:
    """A bar with the current case and the time left; a line stays for every case that failed."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._pace = Pace()
        self._bar = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=None)

    def say(self, message: str) -> None:
        """Show a step that is no case."""
        self._bar.update(self._task, description=message)

    def wait(self, message: str) -> None:
        """Show what is waited for, also where there is no bar: nobody should wonder why nothing happens."""
        self.say(message)
        if not self._console.is_terminal:
            self._console.print(message, markup=False, soft_wrap=True)

    def start(self, cases: Sequence[Case]) -> None:
        """Show how many cases there are."""
        self._pace.start(cases)
        self._bar.update(self._task, total=len(cases), completed=0)

    def begin_case(self, case: Case) -> None:
        """Show what is being measured and when all will be done."""
        self.say(f"{case.label}, about {format_duration(self._pace.left_s)} left")

    def end_case(self, result: CaseResult) -> None:
        """Move the bar."""
        self._pace.end_case(result)
        self._bar.advance(self._task)
        if result.outcome is not Outcome.MEASURED and self._console.is_terminal:
            self._console.print(f"{result.case.label}: {result.outcome}, {result.reason}", style="yellow", markup=False)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
