"""A finished run as the person who started it reads it."""

import json

from flows.local_run import LocalRun
from warehouse.store import Warehouse


def show(done: LocalRun, warehouse: Warehouse, *, as_json: bool) -> None:
    """Print the run: one JSON object, or what was found in words."""
    finished = done.finished
    if as_json:
        print(json.dumps({"run_id": finished.run.run_id, "warehouse": str(warehouse.root)}))
    else:
        print(finished.summary)
