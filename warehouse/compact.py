"""Many small files into few sorted ones, in one commit a month: readers see the old or the new, never a mixture."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from deltalake.exceptions import CommitFailedError

from bench_core.model.run import RunStatus
from warehouse.connect import open_duckdb
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.schema import LAUNCHES, RUNS, TABLES, TableSchema
from warehouse.sources import select_files
from warehouse.table_log import LiveFile, TableLog, run_statuses

# 1,000 files cost 44 times the time of one, 300 about twice (docs/decisions/0051-files.md).
LIVE_FILE_LIMIT = 300
TRACE_WEEKS = 52
RETENTION_HOURS = 7 * 24


def is_due(layout: Layout) -> bool:
    """Whether a month has ended since its files were compacted, or too many are live."""
    files = [file for file in TableLog(layout, RUNS).files() if file.status == RunStatus.COMPLETE and file.only_run_id]
    this_month = _month(datetime.now(UTC))
    past = [file.month for file in files if file.month < this_month]
    return len(files) > LIVE_FILE_LIMIT or len(past) != len(set(past))


def compact(layout: Layout, *, trace_weeks: int = TRACE_WEEKS) -> dict[str, tuple[int, int]]:
    """Compact every month of every table, drop traces older than `trace_weeks` and files nobody can need any more.

    Runs that may still grow (partial, adopted) stay in files of their own, and a month with a damaged file is left
    alone: `verify` names it.

    Returns:
        Live files before and after, by table.

    Raises:
        WarehouseError: the file system refuses.
    """
    complete = _complete_runs(layout)
    counts = {}
    for table in TABLES:
        log = TableLog(layout, table)
        before = len(log.files())
        if table is LAUNCHES:
            _drop_before(log, _month(datetime.now(UTC) - timedelta(weeks=trace_weeks)))
        for month, files in _by_month(log.files(), complete).items():
            _compact_month(log, month, files)
        log.refresh()
        counts[table.name] = before, len(log.files())
    publish(layout)
    for table in TABLES:
        TableLog(layout, table).vacuum(RETENTION_HOURS)
    return counts


def sorted_rows(of: TableSchema, paths: Sequence[str]) -> pa.Table:
    """Rows of these files in the order of the table."""
    order = ", ".join(of.sort_by)
    with open_duckdb() as connection:
        relation = connection.sql(f"{select_files(of, paths)} order by {order}")
        return relation.to_arrow_table().cast(of.schema)


def _complete_runs(layout: Layout) -> set[str]:
    log = TableLog(layout, RUNS)
    own = {file.only_run_id for table in TABLES for file in TableLog(layout, table).files()}
    return {run_id for run_id, status in run_statuses(log, own).items() if status == RunStatus.COMPLETE}


def _by_month(files: Iterable[LiveFile], complete: set[str]) -> dict[str, list[LiveFile]]:
    """Files that may be merged: of one complete run, or merged before."""
    months: dict[str, list[LiveFile]] = defaultdict(list)
    for file in files:
        if file.only_run_id is None or file.only_run_id in complete:
            months[file.month].append(file)
    return months


def _compact_month(log: TableLog, month: str, files: Sequence[LiveFile]) -> None:
    if len(files) < 2 or not all(log.place.is_unchanged(file.path) for file in files):
        return
    merged = log.write(sorted_rows(log.of, [log.url(file) for file in files]), month=month, stem="compacted")
    try:
        log.commit([merged], files, is_rewrite=True)
    except CommitFailedError:  # another process compacts the same month; vacuum removes our file
        log.refresh()


def _drop_before(log: TableLog, month: str) -> None:
    old = [file for file in log.files() if file.month < month]
    if old:
        log.commit([], old)


def _month(moment: datetime) -> str:
    return f"{moment:%Y-%m}"
