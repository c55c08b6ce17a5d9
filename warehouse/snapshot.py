"""The whole warehouse in one DuckDB file that needs nothing beside it: to send, or to keep."""

import os
from pathlib import Path

import duckdb

from bench_core.model.errors import WarehouseError
from warehouse.connect import connect
from warehouse.durable import TEMPORARY_SUFFIX, fsync_file, fsync_folder, refused
from warehouse.layout import Layout
from warehouse.publish import STORAGE_VERSION
from warehouse.schema import TABLES
from warehouse.sources import quoted
from warehouse.views import ALL_RUNS, comment_on_views, create_views

_COMPLETE = f"run_id in (select run_id from {ALL_RUNS}.raw_runs where status = 'complete')"


def write_snapshot(layout: Layout, path: Path) -> None:
    """Copy every table into one new DuckDB file with the same views and comments.

    Raises:
        WarehouseError: the file exists, or cannot be written.
    """
    if path.exists():
        raise WarehouseError(f"{path} exists; name a new file for the snapshot")
    temporary = path.with_name(f"{path.name}-{os.getpid()}{TEMPORARY_SUFFIX}")
    try:
        _write(layout, temporary)
        fsync_file(temporary)
        temporary.rename(path)
        fsync_folder(path.absolute().parent)
    except (OSError, duckdb.Error) as error:
        temporary.unlink(missing_ok=True)
        raise refused(path, error) if isinstance(error, OSError) else WarehouseError(f"{path}: {error}") from error


def _write(layout: Layout, path: Path) -> None:
    with connect(layout) as connection:
        connection.execute(f"attach {quoted(str(path))} as snapshot (storage_version '{STORAGE_VERSION}')")
        connection.execute(f"create schema snapshot.{ALL_RUNS}")
        for name in (*(table.name for table in TABLES), "quarantine"):
            connection.execute(f"create table snapshot.{ALL_RUNS}.raw_{name} as from warehouse.{ALL_RUNS}.raw_{name}")
        connection.execute("use snapshot")
        for table in TABLES:
            connection.execute(f"create view raw_{table.name} as from {ALL_RUNS}.raw_{table.name} where {_COMPLETE}")
        connection.execute(f"create view raw_quarantine as from {ALL_RUNS}.raw_quarantine")
        create_views(connection)
        comment_on_views(connection)
        connection.execute("use memory")
        connection.execute("detach snapshot")
