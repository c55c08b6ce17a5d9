"""What can be done where the warehouse is not as it was committed: the rest becomes readable, nothing is deleted."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from bench_core.model.run import RunStatus
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.log_entries import replace_entry
from warehouse.publish import publish
from warehouse.quarantine import set_aside
from warehouse.schema import CASES, RUN_TABLES, RUNS, TABLES
from warehouse.table_log import LiveFile, TableLog, run_statuses
from warehouse.verify import Problem, damaged_files, damaged_log_entries, miscounted

# Files a run was committed with, of runs that have no rows in the table any more.
_LOST_FILES = """
select file.key[length($table) + 2 :]
from (select run_id, unnest(map_entries(file_sha256)) as file from all_runs.raw_runs)
where starts_with(file.key, $table || '/') and run_id not in (select run_id from all_runs.raw_{table})
"""


def repair_logs(layout: Layout) -> tuple[Problem, ...]:
    """Put an entry that changes nothing in the place of each that is torn or gone: tables can be read again.

    Returns:
        What was damaged.

    Raises:
        WarehouseError: the file system refuses.
    """
    damaged = list(damaged_log_entries(layout))
    for table, path, problem in damaged:
        replace_entry(layout, table, path, problem.what)
    return tuple(problem for _, _, problem in damaged)


def repair(layout: Layout) -> tuple[Problem, ...]:
    """Set what is damaged aside, so that the rest can be read again; runs that lost rows are partial from then on.

    Returns:
        What was damaged, and which runs lost rows.

    Raises:
        WarehouseError: the file system refuses.
    """
    problems = list(repair_logs(layout))
    for log, file, problem in list(damaged_files(layout)):
        problems.append(problem)
        log.refresh()
        log.commit([], [file])
        path = Path(log.url(file))
        if path.exists():
            set_aside(layout, path, file.only_run_id, problem.what)
    _put_rows_of_runs_back(layout)
    publish(layout)
    _put_files_back(layout)
    incomplete = list(miscounted(layout))
    if incomplete:
        _demote(layout, {problem.subject for problem in incomplete})
        publish(layout)
    return (*problems, *incomplete)


def _put_rows_of_runs_back(layout: Layout) -> None:
    """Of runs that have cases and no row; what is still staged is committed by the next start."""
    runs = TableLog(layout, RUNS)
    own = {file.only_run_id for file in TableLog(layout, CASES).files() if file.only_run_id}
    staged = {path.name for path in layout.staging.iterdir()}
    for run_id in sorted(own - run_statuses(runs, own).keys() - staged):
        rows = [row for path in runs.place.written_for(run_id) if (row := runs.written(path))]
        if rows:
            runs.commit(rows[-1:])


def _put_files_back(layout: Layout) -> None:
    """The row of a run names the files it was committed with: what a log or a merged file lost may still be there."""
    for table in RUN_TABLES[:-1]:
        log = TableLog(layout, table)
        with connect(layout) as connection:
            paths = connection.execute(_LOST_FILES.format(table=table.name), {"table": table.name}).fetchall()
        files = [file for (path,) in paths if (file := log.written(path))]
        if files:
            log.commit(files)


def _demote(layout: Layout, run_ids: set[str]) -> None:
    """Make complete runs partial: nobody may read half a run unawares. Each gets files of its own in every table."""
    for table in TABLES:
        log = TableLog(layout, table)
        for file in log.files():
            rows = log.read([file])
            is_demoted = pc.is_in(rows["run_id"], pa.array(list(run_ids), pa.string()))
            if pc.any(is_demoted).as_py() and (file.only_run_id is None or table is RUNS):
                log.commit(_apart(log, file, rows, is_demoted), [file], is_rewrite=table is not RUNS)


def _apart(log: TableLog, file: LiveFile, rows: pa.Table, is_demoted: pa.ChunkedArray) -> list[LiveFile]:
    """The file's rows in new files: one a demoted run, and one for the others."""
    others = rows.filter(pc.invert(is_demoted))
    demoted = rows.filter(is_demoted)
    parts = [log.write(others, month=file.month, stem="compacted")] if others.num_rows else []
    for run_id in pc.unique(demoted["run_id"]).to_pylist():
        of_run = demoted.filter(pc.equal(demoted["run_id"], run_id))
        if log.of is RUNS:
            index = of_run.schema.get_field_index("status")
            of_run = of_run.set_column(index, of_run.schema.field(index), pa.array([RunStatus.PARTIAL.value]))
        parts.append(log.write(of_run, month=file.month, stem=run_id))
    return parts
