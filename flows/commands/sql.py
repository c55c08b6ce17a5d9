"""`cliffwatch sql`: one SELECT over the warehouse."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench_core.model.errors import SpecError
from flows.request import warehouse_folder
from flows.warehouse_option import WarehouseOption

if TYPE_CHECKING:
    from warehouse.query import QueryResult


class Format(StrEnum):
    """How the answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def sql(
    query: Annotated[str | None, typer.Argument(help="One SELECT, such as 'from scaling_curve'; - reads it.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the query from this file.")] = None,
    output: Annotated[Format, typer.Option("--format", help="How the answer is printed.")] = Format.TABLE,
    to: Annotated[Path | None, typer.Option("--output", "-o", help="Write the answer to this file.")] = None,
    timeout: Annotated[float, typer.Option(help="End the query after this many seconds.")] = 300.0,
    memory: Annotated[float, typer.Option(help="GiB of memory it may use before it spills to disk.")] = 2.0,
    warehouse: WarehouseOption = None,
) -> None:
    """Ask the warehouse in SQL; it can read the warehouse's files and change nothing."""
    from warehouse.query import Limits
    from warehouse.store import Warehouse

    text = _read_query(query, file)
    limits = _limits(timeout, memory)
    answer = Warehouse.read(warehouse_folder(warehouse)).query(text, Limits(*limits))
    _write(answer, output, to)


def _read_query(query: str | None, file: Path | None) -> str:
    """The argument, the file, or what is piped in."""
    if query is not None and file is not None:
        raise SpecError({"query": "give it as an argument or with -f, not both"})
    try:
        if file is not None:
            return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError({"--file": f"cannot read {file}: {error}"}) from error
    if query in (None, "-"):
        if query is None and sys.stdin.isatty():
            raise SpecError({"query": "need one SELECT as an argument, with -f FILE, or piped in"})
        return sys.stdin.read()
    return query


def _limits(timeout_s: float, memory_gib: float) -> tuple[float, int]:
    problems = {}
    if not 0 < timeout_s <= 86_400:
        problems["--timeout"] = f"need from above 0 to 86,400 seconds, got {timeout_s:g}"
    if not 0.05 <= memory_gib <= 4096:
        problems["--memory"] = f"need from 0.05 to 4,096 GiB, got {memory_gib:g}"
    if problems:
        raise SpecError(problems)
    return timeout_s, int(memory_gib * 2**30)


def _write(answer: "QueryResult", output: Format, to: Path | None) -> None:
    from warehouse.present import parquet_bytes, present

    content = parquet_bytes(answer) if output is Format.PARQUET else present(answer, output.value).encode()
    if to is not None:
        try:
            to.write_bytes(content)
        except OSError as error:
            raise SpecError({"--output": f"cannot write {to}: {error.strerror}"}) from error
    elif output is Format.PARQUET and sys.stdout.isatty():
        raise SpecError({"--format": "parquet is not for a terminal: name a file with -o or redirect"})
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
