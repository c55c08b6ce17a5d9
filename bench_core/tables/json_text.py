"""JSON, or what Python prints, to a grid: a list of objects, an object of lists, pairs, times, or N: time."""

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench_core.model.errors import TableError
from bench_core.tables.grid import Grid, NumberGrid, TextGrid

_MAX_LITERAL_CHARACTERS = 1_000_000
_FORMS = (
    "need a list of objects, an object of lists, a list of [N, seconds] pairs, a list of seconds,"
    " or an object of N: seconds"
)


def read_json(text: str) -> Grid | None:
    """The table in a JSON document, or in one JSON object a line; None if the text is no JSON.

    Raises:
        TableError: it is JSON, but no table.
    """
    document = _document(text)
    if document is None:
        return None
    header, rows = _table(document)
    _check_widths(header, rows)
    if all(type(cell) in (int, float) for row in rows for cell in row):
        return _number_grid(header, rows)
    return TextGrid(header, [[_cell(value, place) for value in row] for place, row in enumerate(rows, 1)])


def _document(text: str) -> Any:
    if text.lstrip()[:1] not in ("[", "{", "("):
        return None
    for read in (json.loads, _lines_of_json, _python_literal):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None


def _lines_of_json(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _python_literal(text: str) -> Any:
    """`[(100, 1.5), (200, 1.7)]` and the like, with tuples as lists."""
    if len(text) > _MAX_LITERAL_CHARACTERS:
        raise ValueError("a literal this long is parsed too slowly")
    value = ast.literal_eval(text.strip())
    return (
        [list(each) if isinstance(each, tuple) else each for each in value]
        if isinstance(value, list | tuple)
        else value
    )


def _table(document: Any) -> tuple[tuple[str, ...] | None, list[list[Any]]]:
    """Names and rows of a document.

    Raises:
        TableError: none of the forms.
    """
    if isinstance(document, Mapping) and document:
        return _from_object(document)
    if isinstance(document, Sequence) and document:
        if all(isinstance(entry, Mapping) for entry in document):
            return _from_objects(document)
        if all(isinstance(entry, list) and entry for entry in document):
            return _from_lists(document)
        if not any(isinstance(entry, Mapping | list) for entry in document):
            return None, [[entry] for entry in document]
    raise TableError(f"the JSON holds no table: {_FORMS}")


def _from_object(document: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, list[list[Any]]]:
    lists = {name: values for name, values in document.items() if isinstance(values, list)}
    if lists:
        if len(lists) == 1 and isinstance(next(iter(lists.values())), list):
            (values,) = lists.values()
            if values and all(isinstance(entry, Mapping | list) for entry in values):
                return _table(values)
        lengths = {name: len(values) for name, values in lists.items()}
        if len(set(lengths.values())) > 1 or not min(lengths.values()):
            raise TableError(f"the lists of the JSON object must be equally long and not empty, got {lengths}")
        return tuple(lists), [list(row) for row in zip(*lists.values(), strict=True)]
    if any(isinstance(value, Mapping) for value in document.values()):
        raise TableError(f"the JSON holds no table: {_FORMS}")
    return None, [[name, value] for name, value in document.items()]


def _from_objects(entries: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], list[list[Any]]]:
    names = tuple(dict.fromkeys(name for entry in entries for name in entry))
    if not names:
        raise TableError(f"the JSON objects are empty: {_FORMS}")
    scalar = tuple(name for name in names if not any(isinstance(entry.get(name), Mapping | list) for entry in entries))
    if not scalar:
        raise TableError(f"the JSON holds no table: {_FORMS}")
    return scalar, [[entry.get(name) for name in scalar] for entry in entries]


def _from_lists(entries: Sequence[list[Any]]) -> tuple[tuple[str, ...] | None, list[list[Any]]]:
    """Pairs, with or without a list of names first; or one list of N and one of times."""
    first = entries[0]
    if len(entries) > 1 and all(isinstance(name, str) for name in first) and not _looks_numeric(first):
        return tuple(first), [list(row) for row in entries[1:]]
    if len(entries) == 2 and len(first) == len(entries[1]) > 2:
        return None, [list(row) for row in zip(*entries, strict=True)]
    return None, [list(row) for row in entries]


def _looks_numeric(cells: Sequence[str]) -> bool:
    return any(character.isdigit() for cell in cells for character in cell[:1])


def _check_widths(header: Sequence[str] | None, rows: Sequence[Sequence[Any]]) -> None:
    width = len(rows[0] if header is None else header)
    wanted = f"the first entry has {width}" if header is None else f"the list of names has {width}"
    for place, row in enumerate(rows, 1):
        if len(row) != width:
            raise TableError(f"entry {place}: {len(row)} values where {wanted}")


def _number_grid(header: tuple[str, ...] | None, rows: list[list[Any]]) -> NumberGrid:
    try:
        return NumberGrid(header, np.array(rows, dtype=np.float64), first_line=0)
    except OverflowError:
        raise TableError("the JSON holds a whole number that is too large for a time or a count") from None


def _cell(value: Any, place: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | Mapping | list):
        raise TableError(f"entry {place}: {json.dumps(value)[:40]} is not a number")
    return str(value)
