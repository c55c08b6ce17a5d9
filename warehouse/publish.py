"""The catalog: a small DuckDB file of views with explicit file lists, replaced as a whole after each commit."""

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.connect import attach_catalog, open_duckdb
from warehouse.durable import TEMPORARY_SUFFIX, fsync_file, fsync_folder, refused
from warehouse.layout import Layout
from warehouse.locks import held
from warehouse.quarantine import entries
from warehouse.schema import RUNS, TABLES
from warehouse.sources import create_sources, quoted
from warehouse.statement import first_line
from warehouse.table_log import LiveFile, TableLog, run_statuses
from warehouse.views import ALL_RUNS, SCHEMAS, comment_on_views, create_views, views_hash

# The storage version DuckDB 1.5 writes by default can be opened by every later one.
STORAGE_VERSION = "v1.2.0"

# The log of runs is read first: whatever it shows is then in the logs read after it.
_READ_ORDER = (RUNS, *(table for table in TABLES if table is not RUNS))


def publish(layout: Layout) -> None:
    """Replace the catalog by one over the files the log names now. Readers of the old one are not disturbed.

    Raises:
        WarehouseError: the file system refuses.
    """
    temporary = layout.root / f"{layout.catalog.name}-{os.getpid()}{TEMPORARY_SUFFIX}"
    try:
        with held(layout.publish_lock):
            _remove_unfinished(layout)
            _write_catalog(layout, temporary)
            fsync_file(temporary)
            temporary.replace(layout.catalog)
            fsync_folder(layout.root)
    except OSError as error:
        raise refused(layout.catalog, error) from error
    except duckdb.Error as error:
        raise WarehouseError(f"cannot write {layout.catalog}: {first_line(error)}") from error


def is_current(layout: Layout) -> bool:
    """Whether the catalog has this version's views over what the log says now and where it lies now."""
    found = _info(layout.catalog)
    return found == (str(layout.root), _versions(_open_logs(layout), entries(layout)), views_hash())


def _remove_unfinished(layout: Layout) -> None:
    """What a killed publisher, or one without space, left behind; the lock says that none is at work."""
    for path in layout.root.glob(f"{layout.catalog.name}-*{TEMPORARY_SUFFIX}*"):
        path.unlink(missing_ok=True)


def _write_catalog(layout: Layout, path: Path) -> None:
    """Write the catalog: only what names files is new where the one before has these very views already."""
    with open_duckdb() as connection:
        has_views = _attach_copy_of_last(connection, layout, path)
        connection.execute("use catalog")
        connection.execute("begin")
        _name_files(connection, layout, _open_logs(layout))
        if not has_views:
            create_views(connection)
            comment_on_views(connection)
        connection.execute("commit")
        connection.execute("use memory")
        connection.execute("detach catalog")


def _attach_copy_of_last(connection: duckdb.DuckDBPyConnection, layout: Layout, path: Path) -> bool:
    """Attach a copy of the last catalog if it has the views of this version, since comments take 0.2 s; else a new one.

    Returns:
        Whether the views are there.
    """
    attach = f"attach {quoted(str(path))} as catalog (storage_version '{STORAGE_VERSION}')"
    with suppress(FileNotFoundError, duckdb.Error):
        shutil.copyfile(layout.catalog, path)
        connection.execute(attach)
        if connection.execute("select made_from from catalog.catalog_info").fetchall() == [(views_hash(),)]:
            return True
    connection.execute("detach database if exists catalog")
    path.unlink(missing_ok=True)
    connection.execute(attach)
    return False


def _info(catalog: Path) -> tuple[str, str, str] | None:
    """Where the warehouse lay, what the catalog shows and which views it has; None where it cannot be read."""
    with open_duckdb() as connection:
        try:
            attach_catalog(connection, catalog)
            rows = connection.execute("select root, versions, made_from from catalog_info").fetchall()
        except duckdb.Error:
            return None
    return rows[0] if rows else None


def _open_logs(layout: Layout) -> dict[str, TableLog]:
    return {table.name: TableLog(layout, table) for table in _READ_ORDER}


def _name_files(connection: duckdb.DuckDBPyConnection, layout: Layout, logs: Mapping[str, TableLog]) -> None:
    """Raw views, and what the catalog says of itself: where it lies, what it shows, which files it reads."""
    damaged = entries(layout)
    files = _shown_files(logs)
    create_sources(connection, files, damaged)
    connection.execute(
        f"create or replace view catalog_info as select {quoted(str(layout.root))} as root, "
        f"{quoted(_versions(logs, damaged))} as versions, {quoted(views_hash())} as made_from"
    )
    read = [*map(str, damaged), *(path for paths in files[ALL_RUNS].values() for path in paths)]
    listed = ", ".join(quoted(path) for path in read)
    connection.execute(f"create or replace view catalog_files as select unnest([{listed}]::varchar[]) as path")


def _shown_files(logs: Mapping[str, TableLog]) -> dict[str, dict[str, list[str]]]:
    """Paths by schema and table: files of complete runs in `main`, of every committed run in `all_runs`.

    A run that is not complete has files of its own (see compact), so a file is shown or not as a whole and no query
    pays for leaving runs out. A run without its row in `runs` is not committed, and shown nowhere.
    """
    live = {name: log.files() for name, log in logs.items()}
    statuses = run_statuses(logs[RUNS.name], {file.only_run_id for files in live.values() for file in files})
    return {
        schema: {
            name: [logs[name].url(file) for file in files if _is_shown(file, statuses, schema)]
            for name, files in live.items()
        }
        for schema in SCHEMAS
    }


def _is_shown(file: LiveFile, statuses: Mapping[str, str], schema: str) -> bool:
    status = RunStatus.COMPLETE.value if file.only_run_id is None else statuses.get(file.only_run_id)
    return status is not None and (schema == ALL_RUNS or status == RunStatus.COMPLETE)


def _versions(logs: Mapping[str, TableLog], damaged: Sequence[Path]) -> str:
    """Version of every table's log and number of files set aside: everything the catalog shows."""
    return " ".join(f"{table.name}:{logs[table.name].version}" for table in TABLES) + f" quarantine:{len(damaged)}"
