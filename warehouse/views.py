"""The views, in the order they build on each other; each is one file below warehouse/sql."""

import hashlib
from functools import cache
from importlib import resources

import duckdb

from warehouse.columns import COLUMNS
from warehouse.schema import TABLES
from warehouse.sources import quoted

STAGING = (
    "stg_runs",
    "stg_cases",
    "stg_samples",
    "stg_launches",
    "stg_telemetry",
    "stg_findings",
    "stg_quarantine",
)
MARTS = (
    "runs",
    "cases",
    "samples",
    "samples_ok",
    "launches",
    "telemetry",
    "findings",
    "scaling_curve",
    "knees",
    "mitigation_effect",
    "hypotheses",
    "history",
    "latest_vs_baseline",
    "environment_changes",
    "data_quality",
    "quarantine",
)

# The same views over runs of every status: `select * from all_runs.samples`.
ALL_RUNS = "all_runs"
SCHEMAS = ("main", ALL_RUNS)


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every view in each schema, over raw views that are there already.

    A name in a view is looked up in the view's own schema first: both schemas have the same text.
    """
    for schema in SCHEMAS:
        connection.execute(f"set schema = '{schema}'")
        for folder, names in (("staging", STAGING), ("marts", MARTS)):
            for name in names:
                connection.execute(f"create view {name} as {view_sql(folder, name)}")
    connection.execute("set schema = 'main'")


def comment_on_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Say on every view and column what it means: a view's grain, a column's meaning and unit."""
    for view, columns in view_columns(connection).items():
        connection.execute(f"comment on view {view} is {quoted(grain(view.rpartition('.')[2]))}")
        for column in columns:
            connection.execute(f'comment on column {view}."{column}" is {quoted(COLUMNS[column].comment)}')


def view_columns(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Column names of every view people ask, by `schema.view`."""
    rows = connection.execute(
        "select schema_name || '.' || table_name, list(column_name order by column_index) from duckdb_columns() "
        "where not internal and database_name = current_database() and not starts_with(table_name, 'raw_') "
        "and not starts_with(table_name, 'catalog_') group by all order by all"
    ).fetchall()
    return dict(rows)


@cache
def views_hash() -> str:
    """Changes whenever a view or a comment does."""
    text = [view_sql(folder, name) for folder, names in (("staging", STAGING), ("marts", MARTS)) for name in names]
    return hashlib.sha256("\0".join([*text, repr(COLUMNS), repr(TABLES)]).encode()).hexdigest()


def grain(view: str) -> str:
    """What one row of the view is: the first line of its file."""
    folder = "staging" if view in STAGING else "marts"
    return view_sql(folder, view).splitlines()[0].removeprefix("-- ")


def view_sql(folder: str, name: str) -> str:
    """The SELECT of a view, with the comment that states its grain."""
    return resources.files("warehouse").joinpath("sql", folder, f"{name}.sql").read_text()
