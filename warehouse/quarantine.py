"""Damaged files are set aside with the reason, never read and never deleted."""

import json
import time
from pathlib import Path

from warehouse.durable import write_bytes_durably
from warehouse.layout import Layout


def set_aside(layout: Layout, path: Path, run_id: str | None, reason: str) -> None:
    """Move the file to quarantine and write down why.

    Raises:
        WarehouseError: the file system refuses.
    """
    layout.quarantine.mkdir(exist_ok=True)
    at_ns = time.time_ns()
    kept = layout.quarantine / f"{at_ns}-{path.name}.damaged"
    entry = {"run_id": run_id, "file": path.name, "kept_as": kept.name, "reason": reason, "found_at_ns": at_ns}
    path.rename(kept)
    write_bytes_durably(layout.quarantine / f"{at_ns}.json", json.dumps(entry).encode())


def entries(layout: Layout) -> list[Path]:
    """The JSON file of every damaged file, oldest first."""
    return sorted(layout.quarantine.glob("*.json"))


def damaged_cases(layout: Layout, run_id: str) -> set[str]:
    """Ids of the run's cases that were set aside: staged files carry them as the second part of their name."""
    found = [json.loads(entry.read_text()) for entry in entries(layout)]
    return {entry["file"].split("-")[1] for entry in found if entry["run_id"] == run_id and "-" in entry["file"]}
