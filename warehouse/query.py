"""One SELECT over the views, answered by a process of its own, and nothing else."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench_core.model.errors import WarehouseError
from warehouse.layout import Layout
from warehouse.statement import require_one_read


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query may use; beyond its memory it spills to disk."""

    timeout_s: float = 300.0
    memory_bytes: int = 2 * 2**30


@dataclass(frozen=True)
class QueryResult:
    """The answer, as an Arrow table and as rows."""

    table: pa.Table

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names; the same name can appear twice."""
        return tuple(self.table.column_names)

    @cached_property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """Rows as Python values in the order of the answer; sums beyond 64 bits are whole numbers."""
        columns = [[_plain(value) for value in column.to_pylist()] for column in self.table.columns]
        return tuple(zip(*columns, strict=True))


def query(layout: Layout, sql: str, limits: Limits | None = None) -> QueryResult:
    """Run one SELECT, or EXPLAIN of one.

    Raises:
        WarehouseError: anything else, an error in it, or more time than the limits allow; one line each.
    """
    limits = limits or Limits()
    require_one_read(sql)
    with tempfile.TemporaryDirectory(prefix="cliffwatch-query-") as folder:
        request = {
            "root": str(layout.root),
            "sql": sql,
            "folder": folder,
            "timeout_s": limits.timeout_s,
            "memory_bytes": limits.memory_bytes,
        }
        _run_sandbox(request, limits.timeout_s)
        with pa.OSFile(str(Path(folder) / "answer.arrow")) as file:
            return QueryResult(pa.ipc.open_stream(file).read_all())


def _run_sandbox(request: dict[str, Any], timeout_s: float) -> None:
    command = [sys.executable, "-m", "warehouse.sandbox"]
    try:
        finished = subprocess.run(
            command, input=json.dumps(request), text=True, capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise WarehouseError(f"the query took longer than {timeout_s:g} s and was ended") from error
    if finished.returncode:
        said = finished.stderr.strip().splitlines()
        raise WarehouseError(said[-1] if said else f"the query's process ended with status {finished.returncode}")


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value
