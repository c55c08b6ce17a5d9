"""Making a warehouse, and refusing what cannot be one."""

import json
import os
from pathlib import Path

from bench_core.model.errors import WarehouseError
from warehouse.durable import refused, write_bytes_durably
from warehouse.layout import FORMAT, Layout
from warehouse.schema import TABLES
from warehouse.table_log import TableLog


def make(layout: Layout) -> None:
    """Make the folder a warehouse where it is none yet, and check that it can be written.

    Raises:
        WarehouseError: a file, other things in it, another format, or a file system that refuses.
    """
    try:
        if layout.root.exists() and not layout.root.is_dir():
            raise WarehouseError(f"{layout.root} is a file; a warehouse is a folder")
        if not layout.format_file.exists():
            _refuse_other_things(layout)
            make_tables(layout)
            mark_format(layout)
        require_format(layout)
        _require_hard_links(layout)
    except OSError as error:
        raise refused(layout.root, error) from error


def make_tables(layout: Layout) -> None:
    """Make staging and an empty log of each table where there is none.

    Raises:
        WarehouseError: a file system without hard links.
        OSError: the file system refuses.
    """
    layout.staging.mkdir(parents=True, exist_ok=True)
    _require_hard_links(layout)
    for table in TABLES:
        TableLog.create(layout, table)


def mark_format(layout: Layout) -> None:
    """Say that the folder is a warehouse of this format: the last step of making one.

    Raises:
        WarehouseError: the file system refuses.
    """
    write_bytes_durably(layout.format_file, json.dumps({"format": FORMAT}).encode())


def require_format(layout: Layout) -> None:
    """Check that this is a warehouse of the format this cliffwatch reads and writes.

    Raises:
        WarehouseError: it is not; says what to do.
    """
    found = found_format(layout)
    if found is None:
        raise WarehouseError(f"{layout.root} is no warehouse: it has no {layout.format_file.name}")
    if found < FORMAT:
        raise WarehouseError(
            f"{layout.root} has format {found}, this cliffwatch writes format {FORMAT}: "
            f"`cliffwatch warehouse migrate --warehouse {layout.root}` carries it over"
        )
    if found > FORMAT:
        raise WarehouseError(f"{layout.root} has format {found}: a newer cliffwatch wrote it, this one reads {FORMAT}")


def found_format(layout: Layout) -> int | None:
    """The format the folder says it has; None where it says none."""
    try:
        return int(json.loads(layout.format_file.read_text())["format"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _refuse_other_things(layout: Layout) -> None:
    """A folder that is not empty may hold somebody's work; what a killed process had begun to make is ours."""
    ours = {layout.staging.name, layout.tables.name}
    if layout.root.is_dir() and any(path.name not in ours for path in layout.root.iterdir()):
        raise WarehouseError(f"{layout.root} holds other things; name an empty or a new folder for the warehouse")


def _require_hard_links(layout: Layout) -> None:
    """The log's commits need them: without, two writers could both believe they had won.

    Doubles as the check that the folder can be written.
    """
    probe, link = _probe(layout, "probe"), _probe(layout, "link")
    try:
        write_bytes_durably(probe, b"")
        try:
            link.hardlink_to(probe)
        except OSError as error:
            raise WarehouseError(
                f"{layout.root} lies on a file system without hard links, which safe commits need ({error.strerror}): "
                "choose another folder with --warehouse"
            ) from error
    finally:
        probe.unlink(missing_ok=True)
        link.unlink(missing_ok=True)


def _probe(layout: Layout, name: str) -> Path:
    return layout.staging / f".{name}-{os.getpid()}"
