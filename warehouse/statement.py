"""Whether an SQL text is one question and changes nothing."""

import re

import duckdb

from bench_core.model.errors import WarehouseError

# DuckDB turns a PIVOT without listed values into several statements: the types it needs, then the SELECT.
_READS = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
_BLANK = r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*"
_EXPLAIN = re.compile(
    rf"{_BLANK}explain\b{_BLANK}(?:analyze\b|\([^()]*\))?{_BLANK}(?P<explained>.*)", re.IGNORECASE | re.DOTALL
)
_STARTS_A_READ = re.compile(rf"{_BLANK}\(?{_BLANK}(?:select|with|from|pivot|unpivot)\b", re.IGNORECASE | re.DOTALL)


def require_one_read(sql: str) -> None:
    """Check that the text is one SELECT, or EXPLAIN of one.

    Raises:
        WarehouseError: it is something else; says what in one line.
    """
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise WarehouseError(first_line(error)) from error
    if len(statements) != 1:
        raise WarehouseError(f"need exactly one SELECT, got {len(statements)} statements")
    found = statements[0].type
    if found is duckdb.StatementType.EXPLAIN:
        match = _EXPLAIN.fullmatch(sql)
        return require_one_read(match["explained"]) if match else _refuse("EXPLAIN in this form")
    if found not in _READS or not _STARTS_A_READ.match(sql):
        return _refuse(found.name)
    return None


def first_line(error: Exception) -> str:
    """What DuckDB says, without the excerpt that points at the place."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def _refuse(what: str) -> None:
    raise WarehouseError(f"need one SELECT, or EXPLAIN of one; {what} is refused: the warehouse is only read here")
