"""The views and their columns as documentation: the same words the catalog carries as comments."""

from typing import TypedDict

from warehouse.columns import COLUMNS
from warehouse.connect import open_duckdb
from warehouse.sources import create_sources
from warehouse.views import MARTS, SCHEMAS, create_views, grain, view_columns


class DescribedColumn(TypedDict):
    """One column of a view."""

    name: str
    meaning: str
    unit: str


class DescribedView(TypedDict):
    """One view: what a row of it is, and its columns in order."""

    grain: str
    columns: list[DescribedColumn]


def describe_views() -> dict[str, DescribedView]:
    """Every view people ask, by name; no warehouse is needed."""
    with open_duckdb() as connection:
        create_sources(connection, {schema: {} for schema in SCHEMAS}, [])
        create_views(connection)
        columns = view_columns(connection)
    return {view: _described(view, columns[f"main.{view}"]) for view in MARTS}


def _described(view: str, columns: list[str]) -> DescribedView:
    return {
        "grain": grain(view),
        "columns": [{"name": name, "meaning": COLUMNS[name].meaning, "unit": COLUMNS[name].unit} for name in columns],
    }
