"""The warehouse as the rest of cliffwatch sees it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench_core.model.curve import ScalingCurve
from bench_core.model.errors import WarehouseError
from bench_core.model.hypothesis import ControlRecord
from bench_core.model.result import Outcome
from bench_core.model.run import Run, RunStatus
from warehouse.commit import commit_staged
from warehouse.compact import compact, is_due
from warehouse.connect import connect
from warehouse.control import read_control_record
from warehouse.create import make, require_format
from warehouse.curves import FailedCase, read_curves, read_failed_cases
from warehouse.findings import Finding, keep_findings
from warehouse.layout import Layout
from warehouse.publish import is_current, publish
from warehouse.query import Limits, QueryResult, query
from warehouse.run_row import run_of_row
from warehouse.staging import abandoned, stage
from warehouse.writer import RunWriter

# A case whose samples were lost with a damaged file is measured again.
_FINISHED = """
select case_id, outcome
from all_runs.cases
left join (
    select case_id, count(*) as found from all_runs.samples where run_id = $run_id group by case_id
) using (case_id)
where run_id = $run_id and coalesce(found, 0) = sample_count + warmup_count
"""


class Warehouse:
    """Runs in a folder: written case by case, committed as a whole, read through SQL views.

    Views show complete runs; the schema all_runs has the same views over runs of every status.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    @classmethod
    def open(cls, path: Path) -> "Warehouse":
        """Open for writing: make the folder where there is none and take in what killed runs left.

        Raises:
            WarehouseError: the folder cannot be made or written, or is something else.
        """
        layout = Layout(path.absolute())
        make(layout)
        warehouse = cls(layout)
        warehouse.adopt()
        if is_due(layout):
            compact(layout)
        if not is_current(layout):
            publish(layout)
        return warehouse

    @classmethod
    def read(cls, path: Path) -> "Warehouse":
        """Open for reading only: nothing is made, taken in or changed.

        Raises:
            WarehouseError: there is no warehouse.
        """
        layout = Layout(path.absolute())
        require_format(layout)
        return cls(layout)

    @property
    def root(self) -> Path:
        """The folder, absolute."""
        return self._layout.root

    def adopt(self) -> tuple[str, ...]:
        """Commit what killed runs left, as adopted; the ids of those runs. A run being measured is left alone.

        A run that was killed while it was being committed keeps the status it was committed under.

        Raises:
            WarehouseError: the file system refuses.
        """
        adopted = []
        for staged in abandoned(self._layout):
            if staged.records or staged.wanted_status:
                commit_staged(self._layout, staged, staged.wanted_status or RunStatus.ADOPTED)
                adopted.append(staged.run.run_id)
            else:
                staged.discard()
        return tuple(adopted)

    def begin(self, run: Run) -> RunWriter:
        """Start writing a run and hold it until it is committed or this process ends.

        Raises:
            WarehouseError: the run is being written by another process, or the file system refuses.
        """
        if self._row(run.run_id):
            raise WarehouseError(f"run {run.run_id} is in {self.root} already; resume it, or begin one with another id")
        return RunWriter(self._layout, stage(self._layout, run, attempt=1))

    def resume(self, run_id: str) -> RunWriter:
        """Go on writing a run that was cancelled or killed; `done_case_ids` need no measuring.

        Raises:
            WarehouseError: no such run, it is complete, or another process is writing it.
        """
        run, status = self.run(run_id)
        if status is RunStatus.COMPLETE:
            raise WarehouseError(f"run {run_id} is complete: there is nothing to resume")
        attempt = self._require_row(run_id)["attempt"] + 1
        return RunWriter(self._layout, stage(self._layout, run, attempt), self._done_cases(run_id))

    def run(self, run_id: str) -> tuple[Run, RunStatus]:
        """A run of any status.

        Raises:
            WarehouseError: no such run.
        """
        row = self._require_row(run_id)
        return run_of_row(row), RunStatus(row["status"])

    def run_ids(self, *, all_runs: bool = False) -> tuple[str, ...]:
        """Ids of complete runs, newest last; of runs of every status with `all_runs`."""
        schema = "all_runs" if all_runs else "main"
        with connect(self._layout) as connection:
            rows = connection.execute(f"select run_id from {schema}.runs order by started_at, run_id").fetchall()
        return tuple(row[0] for row in rows)

    def curves(self, run_id: str) -> tuple[ScalingCurve, ...]:
        """Every scaling curve of a run of any status; the configured queue capacity is not in them.

        `key.device` is the kind of device, since the name of an asynchronous CPU carries the capacity.
        """
        with connect(self._layout) as connection:
            return read_curves(connection, run_id)

    def failed_cases(self, run_id: str) -> tuple[FailedCase, ...]:
        """Cases of a run of any status that ended without a measurement."""
        with connect(self._layout) as connection:
            return read_failed_cases(connection, run_id)

    def control_record(self, run_id: str, precision: str, shape: str) -> ControlRecord:
        """What the control of one precision and shape left behind beside its times."""
        with connect(self._layout) as connection:
            return read_control_record(connection, run_id, precision, shape)

    def add_findings(self, run_id: str, findings: Iterable[Finding]) -> None:
        """Keep what was found of curves, hypotheses and mitigations; views show the newest of each.

        Raises:
            WarehouseError: the file system refuses.
        """
        keep_findings(self._layout, run_id, findings)

    def query(self, sql: str, limits: Limits | None = None) -> QueryResult:
        """Run one SELECT over the views, in a process that can read the warehouse's files and nothing else.

        Raises:
            WarehouseError: anything but one SELECT, or an error in it.
        """
        return query(self._layout, sql, limits)

    def _done_cases(self, run_id: str) -> frozenset[str]:
        """Cases whose outcome would not change, and whose samples are all there."""
        with connect(self._layout) as connection:
            rows = connection.execute(_FINISHED, {"run_id": run_id}).fetchall()
        return frozenset(case_id for case_id, outcome in rows if not Outcome(outcome).may_differ_next_time)

    def _row(self, run_id: str) -> dict[str, Any] | None:
        """The run as it is stored, by column name."""
        with connect(self._layout) as connection:
            cursor = connection.execute("select * from all_runs.raw_runs where run_id = ?", [run_id])
            rows = cursor.fetchall()
            names = [column[0] for column in cursor.description]
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def _require_row(self, run_id: str) -> dict[str, Any]:
        row = self._row(run_id)
        if row is None:
            listed = ", ".join(self.run_ids(all_runs=True)[-5:]) or "none"
            raise WarehouseError(f"no run {run_id} in {self.root}; the newest are: {listed}")
        return row
