"""A DuckDB connection that sees the warehouse through its views."""

from importlib import resources
from pathlib import Path

import duckdb

from warehouse.layout import Layout
from warehouse.sources import create_raw_views, live_files

# In the order they build on each other.
STAGING = ("shown_runs", "stg_runs", "stg_cases", "stg_samples", "stg_launches", "stg_findings")
MARTS = ("runs", "cases", "samples", "launches", "findings", "scaling_curve", "knees")

# The same marts over runs of every status: `select * from all_runs.samples`.
ALL_RUNS = "all_runs"


def connect(layout: Layout) -> duckdb.DuckDBPyConnection:
    """A connection in memory with every view; nothing is read until a view is."""
    return _connect(layout)[0]


def connect_confined(layout: Layout) -> duckdb.DuckDBPyConnection:
    """The same, able to read the files of the warehouse and nothing else, and to change nothing."""
    connection, files = _connect(layout)
    connection.execute("set allowed_paths = ?", [[str(path) for path in files]])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _connect(layout: Layout) -> tuple[duckdb.DuckDBPyConnection, list[Path]]:
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}  # nothing is downloaded
    )
    files = live_files(layout)
    create_raw_views(connection, files)
    for name in STAGING:
        connection.execute(f"create view {name} as {_sql('staging', name)}")
    for name in MARTS:
        connection.execute(f"create view {name} as {_sql('marts', name)}")
    connection.execute(f"create schema {ALL_RUNS}")
    connection.execute(f"set schema = '{ALL_RUNS}'")
    connection.execute("create view shown_runs as select run_id from main.raw_runs")
    for name in MARTS:
        connection.execute(f"create view {name} as {_sql('marts', name)}")
    connection.execute("set schema = 'main'")
    return connection, [path for paths in files.values() for path in paths]


def _sql(folder: str, name: str) -> str:
    return resources.files("warehouse").joinpath("sql", folder, f"{name}.sql").read_text()
