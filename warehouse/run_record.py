"""A run as JSON: what staging keeps beside the cases and a resumed run starts from."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bench_core.model.run import DeviceIdentity, Environment, Run


def run_to_json(run: Run) -> str:
    """Every field of the run, keys sorted."""
    return json.dumps(asdict(run) | {"started_at": run.started_at.isoformat()}, sort_keys=True)


def run_from_json(text: str) -> Run:
    """The inverse of run_to_json.

    Raises:
        ValueError, KeyError, TypeError: not the JSON of a run.
    """
    value: dict[str, Any] = json.loads(text)
    environment = value["environment"]
    variables = tuple((name, setting) for name, setting in environment["variables"])
    return Run(
        **value
        | {
            "started_at": datetime.fromisoformat(value["started_at"]),
            "device": DeviceIdentity(**value["device"]),
            "environment": Environment(**environment | {"variables": variables}),
        }
    )
