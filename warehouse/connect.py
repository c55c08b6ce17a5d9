"""A DuckDB connection that sees the warehouse through its published catalog."""

from pathlib import Path

import duckdb

from bench_core.model.errors import WarehouseError
from warehouse.layout import Layout
from warehouse.sources import quoted

# Nothing is ever downloaded.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def duckdb_at(path: str = ":memory:", *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection as every part of the warehouse opens one: it downloads nothing and draws no progress bar."""
    connection = duckdb.connect(path, read_only=read_only, config=_CONFIG)
    connection.execute("set enable_progress_bar = false")
    return connection


def connect(layout: Layout) -> duckdb.DuckDBPyConnection:
    """A connection in memory that has the catalog attached, read-only.

    Raises:
        WarehouseError: the catalog is missing, damaged, or of a warehouse that lay elsewhere.
    """
    connection = duckdb_at()
    try:
        connection.execute(f"attach {quoted(str(layout.catalog))} as warehouse (read_only)")
        connection.execute("use warehouse")
        (root,) = connection.execute("select root from catalog_info").fetchall()[0]
    except duckdb.Error as error:
        connection.close()
        raise WarehouseError(_advice(layout, "cannot be opened")) from error
    if not _is_same_folder(Path(root), layout.root):
        connection.close()
        raise WarehouseError(_advice(layout, f"was made when the warehouse lay in {root}"))
    return connection


def _advice(layout: Layout, problem: str) -> str:
    return f"{layout.catalog} {problem}; `cliffwatch warehouse rebuild-catalog --warehouse {layout.root}` mends it"


def _is_same_folder(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
