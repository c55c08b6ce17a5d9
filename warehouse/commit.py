"""From staging to what readers see: once per run and attempt, however many processes try and whenever one is killed.

Each table is one Delta commit that carries the run's id as an application transaction; the row of the run comes last
and makes the rest visible: the catalog names files of committed runs only.
"""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from bench_core.model.run import Run, RunStatus
from warehouse.case_record import RECORD_SCHEMA, flatten_records, read_record
from warehouse.layout import Layout
from warehouse.parts import is_unchanged
from warehouse.publish import publish
from warehouse.quarantine import damaged_cases, set_aside
from warehouse.run_row import run_row
from warehouse.schema import RUN_TABLES, RUNS
from warehouse.staging import StagedRun
from warehouse.table_log import LiveFile, TableLog
from warehouse.validate import problems_of

Rows = Mapping[str, pa.Table]
Logs = Mapping[str, TableLog]
Change = tuple[list[LiveFile], list[LiveFile]]


def commit_staged(layout: Layout, staged: StagedRun, status: RunStatus) -> RunStatus:
    """Make the staged cases visible and let go of the run.

    A damaged record is set aside; the run is then partial at best.

    Returns:
        The status the run has now.

    Raises:
        WarehouseError: the file system refuses; staging is kept, and the next start goes on from there.
    """
    staged.begin_commit(status)
    rows = flatten_records(_sound_records(layout, staged))
    measured = set(rows["cases"]["case_id"].to_pylist())
    if status is RunStatus.COMPLETE and not damaged_cases(layout, staged.run.run_id) <= measured:
        status = RunStatus.PARTIAL
    commit_rows(layout, staged.run, staged.attempt, status, rows)
    publish(layout)
    staged.discard()
    return status


def commit_rows(layout: Layout, run: Run, attempt: int, status: RunStatus, rows: Rows) -> bool:
    """Commit the run's rows by table; rows of an earlier attempt stay, except those of a case that is there anew.

    Returns:
        Whether this process made the run visible; False where another had done so for this attempt.

    Raises:
        WarehouseError: the file system refuses, or others kept committing first.
    """
    month = f"{datetime.now(UTC):%Y-%m}"
    logs = {table.name: TableLog(layout, table) for table in RUN_TABLES}
    measured_again = pc.unique(rows["cases"]["case_id"])
    for name, new in rows.items():
        log = logs[name]
        log.commit_once(run.run_id, attempt, partial(_change, log, run, month, new, measured_again))
    return logs[RUNS.name].commit_once(run.run_id, attempt, lambda: _change_of_runs(logs, run, attempt, status, month))


def _sound_records(layout: Layout, staged: StagedRun) -> pa.Table:
    """The records that may enter, as one table; the others are set aside."""
    sound = [RECORD_SCHEMA.empty_table()]
    for path in staged.records:
        try:
            sound.append(_checked(path, staged.run.run_id))
        except ValueError as error:
            set_aside(layout, path, staged.run.run_id, str(error))
    return pa.concat_tables(sound)


def _checked(path: Path, run_id: str) -> pa.Table:
    """The record, if it is what its writer wrote and makes sense.

    Raises:
        ValueError: what is wrong with it.
    """
    if not is_unchanged(path):
        raise ValueError("its content is not what was written: truncated or changed")
    try:
        record = read_record(path)
    except (OSError, pa.ArrowException) as error:
        raise ValueError(f"it cannot be read: {error}") from error
    problems = problems_of(record, run_id)
    if problems:
        raise ValueError("; ".join(problems))
    return record


def _change(log: TableLog, run: Run, month: str, new: pa.Table, measured_again: pa.Array) -> Change:
    """The new rows as a file; where they replace earlier ones, those files are written anew without them."""
    earlier = _own_files(log, run.run_id)
    kept = log.read(earlier)
    kept = kept.filter(pc.invert(pc.is_in(kept["case_id"], measured_again)))
    if kept.num_rows == sum(file.row_count for file in earlier):
        earlier, kept = [], log.of.schema.empty_table()
    rows = pa.concat_tables([kept, new])
    return [log.write(rows, month=month, stem=run.run_id)] if rows.num_rows else [], earlier


def _change_of_runs(logs: Logs, run: Run, attempt: int, status: RunStatus, month: str) -> Change:
    """The row of the run, in place of the one an earlier attempt left."""
    own = {name: _own_files(log, run.run_id) for name, log in logs.items()}
    parts = {name: files for name, files in own.items() if name != RUNS.name}
    row = run_row(run) | {
        "status": status.value,
        "attempt": attempt,
        "committed_at_ns": time.time_ns(),
        "case_count": _row_count(own["cases"]),
        "sample_count": _row_count(own["samples"]),
        "launch_count": _row_count(own["launches"]),
        "file_sha256": [
            (f"{name}/{file.path}", logs[name].place.sha256(file.path))
            for name, files in parts.items()
            for file in files
        ],
    }
    table = pa.Table.from_pylist([row], schema=RUNS.schema)
    return [logs[RUNS.name].write(table, month=month, stem=run.run_id)], own[RUNS.name]


def _own_files(log: TableLog, run_id: str) -> list[LiveFile]:
    """Files that hold this run alone: all of it, since compaction leaves runs alone that may still grow."""
    return [file for file in log.files() if file.only_run_id == run_id]


def _row_count(files: list[LiveFile]) -> int:
    return sum(file.row_count for file in files)
