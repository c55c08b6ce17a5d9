"""What became of the entries of a table's log: every reader of the table stops at one that is torn or gone."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.durable import write_bytes_durably
from warehouse.layout import Layout
from warehouse.quarantine import set_aside
from warehouse.schema import TableSchema
from warehouse.table_log import TableLog

# An entry that changes nothing: the table is read as if the commit had not happened.
_NOTHING = b'{"commitInfo":{"operation":"REPAIR"}}\n'


def damaged_entries(layout: Layout, of: TableSchema) -> Iterator[tuple[Path, str]]:
    """Entries and checkpoints of the table's log that are not whole or not there, with what is wrong."""
    log = layout.table(of.name) / "_delta_log"
    found = {int(path.stem): path for path in log.glob("*.json")}
    checkpoints = sorted(log.glob("*.checkpoint.parquet"))
    # Entries before a checkpoint are deleted in time.
    first = min(found, default=0) if checkpoints else 0
    for version in range(first, max(found, default=0) + 1):
        path = log / f"{version:020d}.json"
        if version not in found:
            yield path, "is missing"
        elif not _is_whole(path):
            yield path, "is no whole entry of the log: torn or changed"
    for path in checkpoints:
        if not _is_readable(path):
            yield path, "cannot be read as a checkpoint of the log: torn or changed"


def replace_entry(layout: Layout, of: TableSchema, path: Path, reason: str) -> None:
    """Set the entry aside and put one in its place that changes nothing; a checkpoint needs none.

    Raises:
        WarehouseError: the file system refuses.
    """
    if path.exists():
        set_aside(layout, path, None, reason)
    if path.suffix == ".parquet":
        (path.parent / "_last_checkpoint").unlink(missing_ok=True)
    else:
        write_bytes_durably(path, _first_entry(of) if int(path.stem) == 0 else _NOTHING)


def _is_whole(path: Path) -> bool:
    try:
        actions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        return False
    return bool(actions) and all(isinstance(action, dict) for action in actions)


def _is_readable(path: Path) -> bool:
    try:
        pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException):
        return False
    return True


def _first_entry(of: TableSchema) -> bytes:
    """What making the table wrote: the same in every warehouse but for a random id."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        TableLog.create(layout, of)
        return (layout.table(of.name) / "_delta_log" / f"{0:020d}.json").read_bytes()
