"""One SELECT over the views, and nothing else."""

from dataclasses import dataclass
from typing import Any

import duckdb

from bench_core.model.errors import WarehouseError
from warehouse.connect import connect
from warehouse.layout import Layout


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Column names and rows in the order of the answer."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query(layout: Layout, sql: str) -> QueryResult:
    """Run one SELECT.

    Raises:
        WarehouseError: more than one statement, no SELECT, or whatever DuckDB says is wrong with it.
    """
    connection = _confined(layout)
    try:
        _require_one_select(sql)
        cursor = connection.execute(sql)
        columns = tuple(column[0] for column in cursor.description)
        return QueryResult(columns, tuple(cursor.fetchall()))
    except duckdb.Error as error:
        raise WarehouseError(f"the query failed: {error}") from error
    finally:
        connection.close()


def _confined(layout: Layout) -> duckdb.DuckDBPyConnection:
    """A connection that can read the catalog's files and nothing else, and whose settings cannot be changed."""
    connection = connect(layout)
    paths = connection.execute("select path from catalog_files").fetchall()
    connection.execute("set allowed_paths = ?", [[path for (path,) in paths]])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _require_one_select(sql: str) -> None:
    statements = duckdb.extract_statements(sql)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise WarehouseError("need exactly one SELECT; the warehouse is read-only here")
