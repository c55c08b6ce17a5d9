"""Progress for someone who watches the Prefect UI: one progress artifact, at most once a second, and a readable log."""

import time
from collections.abc import Callable, Sequence
from logging import Logger, LoggerAdapter
from typing import cast
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact

from bench_core.model.case import Case
from bench_core.model.result import CaseResult, Outcome
from bench_core.model.units import format_duration
from flows.progress import Pace

INTERVAL_S = 1.0


class ArtifactProgress:
    """Done, total, current case and time left."""

    def __init__(
        self, key: str, logger: "Logger | LoggerAdapter[Logger]", *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._key = key
        self._logger = logger
        self._clock = clock
        self._pace = Pace(clock)
        self._artifact_id: UUID | None = None
        self._shown_at_s = -INTERVAL_S

    def say(self, message: str) -> None:
        """Log a step that is no case, and show it."""
        self._logger.info(message)
        self._show(message)

    def wait(self, message: str) -> None:
        """Log what is waited for, and show it."""
        self.say(message)

    def start(self, cases: Sequence[Case]) -> None:
        """Log how many cases there are."""
        self._pace.start(cases)
        self._logger.info(f"{len(cases)} cases, about {format_duration(self._pace.left_s)}")

    def begin_case(self, case: Case) -> None:
        """Show what is being measured and how long all the rest will take."""
        self._show(
            f"{self._pace.done_count} of {self._pace.total_count} cases done, {self._pace.failed_count} failed; "
            f"now {case.label}; about {format_duration(self._pace.left_s)} left"
        )

    def end_case(self, result: CaseResult) -> None:
        """Log what came of a case; the last one is always shown."""
        self._pace.end_case(result)
        if result.outcome is Outcome.MEASURED:
            measured = format_duration(result.measured_time_ns / 1e9)
            self._logger.info(f"{result.case.label}: {len(result.steady_samples)} samples, {measured} measured")
        else:
            self._logger.warning(f"{result.case.label}: {result.outcome}, {result.reason}")
        if self._pace.done_count == self._pace.total_count:
            self._shown_at_s = -INTERVAL_S
            self._show(f"all {self._pace.total_count} cases done, {self._pace.failed_count} failed")

    def _show(self, description: str) -> None:
        now_s = self._clock()
        if now_s - self._shown_at_s < INTERVAL_S:
            return
        self._shown_at_s = now_s
        percent = 100.0 * self._pace.done_count / max(1, self._pace.total_count)
        if self._artifact_id is None:
            self._artifact_id = cast(UUID, create_progress_artifact(percent, key=self._key, description=description))
        else:
            update_progress_artifact(self._artifact_id, percent, description=description)
