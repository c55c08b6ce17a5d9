"""Writing a run, case by case."""

from bench_core.model.result import CaseResult
from bench_core.model.run import Run, RunStatus
from warehouse.case_record import write_record
from warehouse.commit import commit
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
        write_record(self._staged.folder / f"{result.case.case_id}.parquet", self.run, result)

    def commit(self, status: RunStatus) -> None:
        """Make the run visible and end writing.

        Raises:
            WarehouseError: the file system refuses; the next start takes in what is there.
        """
        commit(self._layout, self._staged, status)
