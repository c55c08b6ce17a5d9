"""Which rows are one series: the same case on the same physical device, run after run."""

import hashlib
from collections.abc import Mapping
from typing import Any

_OF_CASE = ("precision", "mitigation", "shape", "epoch_count", "operand_source", "hold", "operand_seed")


def series_id(row: Mapping[str, Any]) -> str:
    """The series of a row of the table cases, by column name; 16 hexadecimal digits.

    A GPU is known by its UUID: its index may change with a driver or a slot, and the series goes on. The name of any
    other device says how it was set up, so it is part of the series.
    """
    device = "gpu" if row["device_kind"] == "gpu" else row["device"]
    parts = (row["device_uuid"], device, *(row[name] for name in _OF_CASE))
    return hashlib.md5(" ".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()[:16]
