"""Results of other people's scripts: a CSV or JSON table of epochs and times, and what is known beside them."""

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_core.model.case import Precision
from bench_core.model.errors import WarehouseError
from bench_core.model.mitigation import Mitigation
from bench_core.model.shape import Shape

# Names people give their columns, by what we call them; compared without case, blanks and punctuation.
_NAMES = {
    "epoch_count": ("epochcount", "epochs", "epoch", "iterations", "iters", "loops", "n", "count", "repetitions"),
    "unsynchronized_time_s": ("times", "time", "seconds", "elapsed", "elapseds", "duration", "runtime", "timesec"),
    "enqueue_time_s": ("enqueuetimes", "enqueue", "enqueues"),
    "drain_time_s": ("draintimes", "drain", "drains"),
    "wall_time_s": ("walltimes", "wall", "walls", "syncedtimes", "synchronizedtimes"),
    "precision": ("precision", "dtype"),
    "mitigation": ("mitigation", "variant"),
    "shape": ("shape", "size"),
}


@dataclass(frozen=True, slots=True)
class ImportedSample:
    """One row of such a table.

    Attributes:
        enqueue_time_ns: what the stopwatch showed.
        drain_time_ns: None where nobody is known to have waited: the time is then not said to be a wall time.
        shape: None where it was not said.
    """

    epoch_count: int
    enqueue_time_ns: int
    drain_time_ns: int | None
    precision: str
    mitigation: str
    shape: str | None


def read_results(path: Path) -> tuple[ImportedSample, ...]:
    """Read a CSV with a header, a JSON list of objects, or a JSON object of columns or with such a list in it.

    Raises:
        WarehouseError: not such a table; names every row and column that cannot be read.
    """
    rows = _rows(path)
    if not rows:
        raise WarehouseError(f"{path}: no rows")
    problems: dict[str, None] = {}
    samples = []
    for number, row in enumerate(rows, 1):
        try:
            samples.append(_sample({_known(name): value for name, value in row.items()}))
        except ValueError as error:
            problems[f"{path}, row {number}: {error}"] = None
    if problems:
        raise WarehouseError("\n".join(problems))
    return tuple(samples)


def _rows(path: Path) -> list[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            return _json_rows(json.loads(text))
        return list(csv.DictReader(text.splitlines(), dialect=_dialect(text)))
    except OSError as error:
        raise WarehouseError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, csv.Error) as error:
        raise WarehouseError(f"{path} is no table of results: {error}") from error


def _dialect(text: str) -> type[csv.Dialect]:
    """Commas, semicolons or tabs; a table of one column has none."""
    try:
        return csv.Sniffer().sniff(text.partition("\n")[0], delimiters=",;\t")
    except csv.Error:
        return csv.excel


def _json_rows(value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, dict):
        nested = [item for item in value.values() if isinstance(item, list) and item and isinstance(item[0], dict)]
        if nested:
            return _json_rows(nested[0])
        columns = {name: item for name, item in value.items() if isinstance(item, list)}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise ValueError("need a list of objects, or an object of columns")


def _known(name: str | None) -> str:
    plain = "".join(letter for letter in (name or "").lower() if letter.isalnum())
    return next((known for known, names in _NAMES.items() if plain in names), plain)


def _sample(row: Mapping[str, Any]) -> ImportedSample:
    enqueue_ns, drain_ns = _times(row)
    return ImportedSample(
        epoch_count=_count(row),
        enqueue_time_ns=enqueue_ns,
        drain_time_ns=drain_ns,
        precision=Precision(str(row.get("precision") or "fp32").strip().lower().replace("float", "fp")).value,
        mitigation=str(Mitigation.parse(str(row.get("mitigation") or "none"))),
        shape=str(Shape.parse(str(row["shape"]))) if row.get("shape") else None,
    )


def _times(row: Mapping[str, Any]) -> tuple[int, int | None]:
    """Enqueue and drain: from both, from one and the wall time, or the stopwatch alone."""
    times = {name: _ns(row, name) for name in _NAMES if name.endswith("_time_s")}
    enqueue, drain, wall = times["enqueue_time_s"], times["drain_time_s"], times["wall_time_s"]
    if enqueue is None and wall is not None:
        return (wall - drain, drain) if drain is not None else (wall, 0)
    if enqueue is None:
        enqueue = times["unsynchronized_time_s"]
    if enqueue is None:
        raise ValueError("need a time: a column time_s, wall_time_s or enqueue_time_s")
    if drain is None and wall is not None:
        drain = wall - enqueue
    if drain is not None and drain < 0:
        raise ValueError("the wall time is shorter than the enqueue time")
    return enqueue, drain


def _ns(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    if value is None or value == "":
        return None
    seconds = float(str(value).strip())
    if not math.isfinite(seconds) or not 0 <= seconds < 2**63 / 1e9:
        raise ValueError(f"{name} must be from 0 s to 292 years, got {value}")
    return round(seconds * 1e9)


def _count(row: Mapping[str, Any]) -> int:
    value = row.get("epoch_count")
    if value is None or value == "":
        raise ValueError("need a column epochs")
    number = float(str(value).strip().replace(",", ""))
    if not number.is_integer() or not 1 <= number <= 2**53:
        raise ValueError(f"epochs must be a whole number from 1 to 2**53, got {value}")
    return int(number)
