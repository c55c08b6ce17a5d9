"""The warehouse as the rest of cliffwatch sees it."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq

from bench_core.model.curve import CurveKey, ScalingCurve
from bench_core.model.diagnosis import Diagnosis
from bench_core.model.errors import WarehouseError
from bench_core.model.result import Outcome
from bench_core.model.run import Run, RunStatus
from warehouse.commit import commit
from warehouse.connect import connect
from warehouse.curves import FailedCase, read_curves, read_failed_cases
from warehouse.durable import refused, write_bytes_durably, write_durably
from warehouse.findings import findings_table
from warehouse.layout import FORMAT, Layout
from warehouse.query import QueryResult, query
from warehouse.run_record import run_from_json
from warehouse.staging import abandoned, stage
from warehouse.writer import RunWriter


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
        _make(layout)
        warehouse = cls(layout)
        warehouse.adopt()
        return warehouse

    @classmethod
    def read(cls, path: Path) -> "Warehouse":
        """Open for reading only: nothing is made, taken in or changed.

        Raises:
            WarehouseError: there is no warehouse.
        """
        layout = Layout(path.absolute())
        _require_format(layout)
        return cls(layout)

    @property
    def root(self) -> Path:
        """The folder, absolute."""
        return self._layout.root

    def adopt(self) -> tuple[str, ...]:
        """Commit as adopted what killed runs left; the ids of those runs. A run being measured is left alone."""
        adopted = []
        for staged in abandoned(self._layout):
            if not staged.records:
                staged.discard()
                continue
            commit(self._layout, staged, RunStatus.ADOPTED)
            adopted.append(staged.run.run_id)
        return tuple(adopted)

    def begin(self, run: Run) -> RunWriter:
        """Start writing a run and hold it until it is committed or this process ends.

        Raises:
            WarehouseError: the run is being written by another process, or the file system refuses.
        """
        return RunWriter(self._layout, stage(self._layout, run))

    def resume(self, run_id: str) -> RunWriter:
        """Go on writing a run that was cancelled or killed; `done_case_ids` need no measuring.

        Raises:
            WarehouseError: no such run, it is complete, or another process is writing it.
        """
        run, status = self.run(run_id)
        if status is RunStatus.COMPLETE:
            raise WarehouseError(f"run {run_id} is complete: there is nothing to resume")
        done = frozenset(
            case_id for case_id, outcome in self._outcomes(run_id) if not Outcome(outcome).may_differ_next_time
        )
        return RunWriter(self._layout, stage(self._layout, run), done)

    def run(self, run_id: str) -> tuple[Run, RunStatus]:
        """A run of any status.

        Raises:
            WarehouseError: no such run.
        """
        known = self.run_ids(all_runs=True)
        if run_id not in known:
            listed = ", ".join(known[-5:]) or "none"
            raise WarehouseError(f"no run {run_id} in {self.root}; the newest are: {listed}")
        with connect(self._layout) as connection:
            rows = connection.execute("select status from all_runs.runs where run_id = ?", [run_id]).fetchall()
        return run_from_json((self._layout.runs / run_id / "run.json").read_text()), RunStatus(rows[0][0])

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

    def add_findings(self, run_id: str, findings: Iterable[tuple[CurveKey, Diagnosis]]) -> None:
        """Keep what a diagnosis found; views show the newest of each curve.

        Raises:
            WarehouseError: the file system refuses.
        """
        table = findings_table(run_id, findings)
        path = self._layout.findings / f"{run_id}-{time.time_ns()}.parquet"
        write_durably(path, lambda temporary: pq.write_table(table, temporary))

    def query(self, sql: str) -> QueryResult:
        """Run one SELECT over the views; it can read the warehouse's files and nothing else.

        Raises:
            WarehouseError: anything but one SELECT, or an error in it.
        """
        return query(self._layout, sql)

    def _outcomes(self, run_id: str) -> list[tuple[str, str]]:
        with connect(self._layout) as connection:
            sql = "select case_id, outcome from all_runs.cases where run_id = ?"
            return connection.execute(sql, [run_id]).fetchall()


def _make(layout: Layout) -> None:
    try:
        if layout.root.exists() and not layout.root.is_dir():
            raise WarehouseError(f"{layout.root} is a file; a warehouse is a folder")
        is_new = not layout.format_file.exists()
        if is_new and layout.root.is_dir() and any(layout.root.iterdir()) and not layout.staging.is_dir():
            raise WarehouseError(f"{layout.root} holds other things; name an empty or a new folder for the warehouse")
        for folder in (layout.staging, layout.runs, layout.findings):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(layout.root, error) from error
    if is_new:
        write_bytes_durably(layout.format_file, json.dumps({"format": FORMAT}).encode())
    _require_format(layout)
    _require_writable(layout)


def _require_format(layout: Layout) -> None:
    try:
        found = json.loads(layout.format_file.read_text())["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WarehouseError(f"{layout.root} is no warehouse: {layout.format_file.name} is not there") from error
    if found != FORMAT:
        raise WarehouseError(f"{layout.root} has format {found}; this cliffwatch reads and writes format {FORMAT}")


def _require_writable(layout: Layout) -> None:
    probe = layout.staging / ".probe"
    write_bytes_durably(probe, b"")
    probe.unlink()
