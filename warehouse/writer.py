"""Writing a run, case by case."""

from bench_core.model.result import CaseResult
from bench_core.model.run import Run, RunStatus
from warehouse.commit import commit_staged
from warehouse.layout import Layout
from warehouse.staging import StagedRun


class RunWriter:
    """Takes the cases of one run; what it has taken survives the process.

    Attributes:
        run: the run being written.
        done_case_ids: cases of a resumed run that need no measuring.
    """

    def __init__(self, layout: Layout, staged: StagedRun, done_case_ids: frozenset[str] = frozenset()) -> None:
        self.run: Run = staged.run
        self.done_case_ids = done_case_ids
        self._layout = layout
        self._staged = staged

    def add(self, result: CaseResult) -> None:
        """Keep the case: durable when this returns, visible to readers after commit.

        Raises:
            WarehouseError: the file system refuses.
        """
        self._staged.add(result)

    def commit(self, status: RunStatus) -> RunStatus:
        """Make the run visible and end writing.

        Returns:
            The status the run has now: partial instead of complete where a case's file was found damaged.

        Raises:
            WarehouseError: the file system refuses; the next start takes in what is there.
        """
        return commit_staged(self._layout, self._staged, status)

    def close(self) -> None:
        """Let go of the run without committing it: the next start takes in what is there."""
        self._staged.release()
