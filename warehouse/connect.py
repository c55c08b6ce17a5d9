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


def open_duckdb() -> duckdb.DuckDBPyConnection:
    """A connection in memory, as every part of the warehouse opens one: it downloads nothing and draws no progress."""
    connection = duckdb.connect(config=_CONFIG)
    connection.execute("set enable_progress_bar = false")
    return connection


def connect(layout: Layout) -> duckdb.DuckDBPyConnection:
    """A connection in memory that has the catalog attached, read-only.

    Raises:
        WarehouseError: the catalog is missing, damaged, or of a warehouse that lay elsewhere.
    """
    connection = open_duckdb()
    try:
        attach_catalog(connection, layout.catalog)
        (root,) = connection.execute("select root from catalog_info").fetchall()[0]
    except duckdb.Error as error:
        connection.close()
        raise WarehouseError(_advice(layout, "cannot be opened")) from error
    if not _is_same_folder(Path(root), layout.root):
        connection.close()
        raise WarehouseError(_advice(layout, f"was made when the warehouse lay in {root}"))
    return connection


def attach_catalog(connection: duckdb.DuckDBPyConnection, catalog: Path) -> None:
    """Attach a catalog read-only and use it; opened directly, it would clash with whoever else has it open in here.

    Raises:
        duckdb.Error: the file is missing or damaged.
    """
    connection.execute(f"attach {quoted(str(catalog))} as warehouse (read_only)")
    connection.execute("use warehouse")


def _advice(layout: Layout, problem: str) -> str:
    return f"{layout.catalog} {problem}; `cliffwatch warehouse rebuild-catalog --warehouse {layout.root}` mends it"


def _is_same_folder(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
