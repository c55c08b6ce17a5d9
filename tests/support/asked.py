"""Questions to the views, answered in this process; `Warehouse.query` starts one of its own for each."""

from typing import Any

from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.store import Warehouse


def rows(warehouse: Warehouse, sql: str) -> tuple[tuple[Any, ...], ...]:
    """What DuckDB answers from the published catalog."""
    with connect(Layout(warehouse.root)) as connection:
        return tuple(connection.execute(sql).fetchall())
