"""Where a sweep is: the current case and the time left, for whoever watches."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bench_core.model.case import Case
from bench_core.model.result import CaseResult, Outcome


class Progress(Protocol):
    """Told where a sweep is; never decides anything."""

    def say(self, message: str) -> None:
        """A step that is no case: loading, calibrating."""

    def wait(self, message: str) -> None:
        """Somebody else has what is needed: said even where nothing else is shown."""

    def start(self, cases: Sequence[Case]) -> None:
        """These cases will be measured, in this order."""

    def begin_case(self, case: Case) -> None:
        """The case is being measured from now on."""

    def end_case(self, result: CaseResult) -> None:
        """What came of the case."""


@dataclass(slots=True)
class Pace:
    """How far a sweep is and how long the rest will take, from the cases already done.

    A case's weight is the share of the time budget that the plan gave it; the rest takes as long per weight as what
    is done took. Before the first case ends the plan itself is the only estimate.
    """

    clock: Callable[[], float] = time.monotonic
    total_count: int = 0
    done_count: int = 0
    failed_count: int = 0
    _left_weight_s: float = 0.0
    _done_weight_s: float = 0.0
    _started_at: float = field(default=0.0)

    def start(self, cases: Sequence[Case]) -> None:
        """Start the clock."""
        self.total_count = len(cases)
        self._left_weight_s = sum(_weight_s(case) for case in cases)
        self._started_at = self.clock()

    def end_case(self, result: CaseResult) -> None:
        """Count a case as done."""
        weight_s = _weight_s(result.case)
        self.done_count += 1
        self.failed_count += result.outcome is not Outcome.MEASURED
        self._done_weight_s += weight_s
        self._left_weight_s -= weight_s

    @property
    def left_s(self) -> float:
        """Seconds until the last case is done."""
        if not self._done_weight_s:
            return self._left_weight_s
        elapsed_s = self.clock() - self._started_at
        return elapsed_s * self._left_weight_s / self._done_weight_s


def _weight_s(case: Case) -> float:
    return case.sampling.budget_s
