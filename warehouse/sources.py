"""The raw views under every other view: which files hold what, named one by one and never found by a pattern.

Columns are matched by field id, so that a file from before a column was added reads as null in it.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from warehouse.schema import TABLES, TableSchema

_QUARANTINE = {
    "run_id": "varchar",
    "file": "varchar",
    "kept_as": "varchar",
    "reason": "varchar",
    "found_at_ns": "bigint",
}


def raw_view(schema: str, of: TableSchema, paths: Sequence[str]) -> str:
    """`create or replace view SCHEMA.raw_...` over these files of the table."""
    return f"create or replace view {schema}.raw_{of.name} as {select_files(of, paths)}"


def create_sources(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, Mapping[str, Sequence[str]]], damaged: Sequence[Path]
) -> None:
    """Create or replace the raw views of every schema.

    Args:
        connection: to the database they are created in.
        files: paths by schema and table; a table that is not named has none.
        damaged: entries of the quarantine.
    """
    for schema, paths in files.items():
        connection.execute(f"create schema if not exists {schema}")
        for table in TABLES:
            connection.execute(raw_view(schema, table, paths.get(table.name, ())))
        connection.execute(quarantine_view(schema, damaged))


def select_files(of: TableSchema, paths: Sequence[str]) -> str:
    """A SELECT of every column of the table from these files; without rows where there are none."""
    types = {field.name: duckdb_type(field.type) for field in of.schema}
    if not paths:
        return _nothing(types)
    names = ", ".join(quoted(path) for path in paths)
    columns = ", ".join(
        f"{int(field.metadata[b'PARQUET:field_id'])}: "
        f"{{name: '{field.name}', type: '{types[field.name]}', default_value: null}}"
        for field in of.schema
    )
    return f"select * from read_parquet([{names}], schema = map {{{columns}}})"


def quarantine_view(schema: str, entries: Iterable[Path]) -> str:
    """`create or replace view SCHEMA.raw_quarantine` over the JSON files that say why a file was set aside."""
    names = [quoted(str(path)) for path in entries]
    columns = ", ".join(f"{name}: '{type_}'" for name, type_ in _QUARANTINE.items())
    files = f"select * from read_json([{', '.join(names)}], columns = {{{columns}}})"
    return f"create or replace view {schema}.raw_quarantine as {files if names else _nothing(_QUARANTINE)}"


def duckdb_type(type_: pa.DataType) -> str:
    """DuckDB's name of an Arrow type, lists and maps included."""
    if pa.types.is_list(type_):
        return duckdb_type(type_.value_type) + "[]"
    if pa.types.is_map(type_):
        return f"map({duckdb_type(type_.key_type)}, {duckdb_type(type_.item_type)})"
    return _TYPES[type_]


def _nothing(types: dict[str, str]) -> str:
    return "select " + ", ".join(f"null::{type_} as {name}" for name, type_ in types.items()) + " where false"


def quoted(text: str) -> str:
    """The text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


_TYPES = {
    pa.string(): "varchar",
    pa.int64(): "bigint",
    pa.int32(): "integer",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}
