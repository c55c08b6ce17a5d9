"""An answer as text: for a person, a spreadsheet or a program."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.query import QueryResult


def present(result: QueryResult, output: str) -> str:
    """The answer as `table`, `csv` or `json`, with a final line break."""
    return _OUTPUTS[output](result)


def parquet_bytes(result: QueryResult) -> bytes:
    """The answer as a Parquet file."""
    buffer = pa.BufferOutputStream()
    pq.write_table(result.table, buffer, compression="zstd")
    return bytes(buffer.getvalue())


def _as_table(result: QueryResult) -> str:
    cells = [result.columns, *(tuple(_cell(value) for value in row) for row in result.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(result.columns))]
    is_number = [all(_is_number(row[i]) for row in result.rows) for i in range(len(result.columns))]
    lines = [_line(row, widths, is_number) for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:], ""])


def _line(row: tuple[str, ...], widths: list[int], is_number: list[bool]) -> str:
    aligned = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(row, widths, is_number, strict=True)
    )
    return "  ".join(aligned).rstrip()


def _as_csv(result: QueryResult) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([["" if value is None else _cell(value) for value in row] for row in result.rows])
    return text.getvalue()


def _as_json(result: QueryResult) -> str:
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    return json.dumps(rows, default=str, indent=2, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return json.dumps(value, default=str) if isinstance(value, list | dict) else str(value)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


_OUTPUTS: dict[str, Callable[[QueryResult], str]] = {"table": _as_table, "csv": _as_csv, "json": _as_json}
