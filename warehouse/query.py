"""One SELECT over the views, and nothing else."""

from dataclasses import dataclass
from typing import Any

import duckdb

from bench_core.model.errors import WarehouseError
from warehouse.connect import connect_confined
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
    connection = connect_confined(layout)
    try:
        _require_one_select(sql)
        cursor = connection.execute(sql)
        columns = tuple(column[0] for column in cursor.description)
        return QueryResult(columns, tuple(cursor.fetchall()))
    except duckdb.Error as error:
        raise WarehouseError(f"the query failed: {error}") from error
    finally:
        connection.close()


def _require_one_select(sql: str) -> None:
    statements = duckdb.extract_statements(sql)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise WarehouseError("need exactly one SELECT; the warehouse is read-only here")
