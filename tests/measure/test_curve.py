"""From real epochs to a verdict, through the command line, on queues whose capacity the test knows."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench_core.model.diagnosis import Verdict

pytestmark = [pytest.mark.tensorflow, pytest.mark.prefect]

# One drawn from each half of what fits into a table of 2,000 epochs, so that both small and large queues are met.
CAPACITIES = [random.randint(100, 499), random.randint(500, 900)]


def control_of(device: str, warehouse: Path) -> dict[str, Any]:
    """The curve of `none` in the quick sweep on that device."""
    command = [sys.executable, "-m", "flows.cli", "run", "--preset", "quick", "--mitigation", "none"]
    options = ["--device", device, "--budget", "20", "--warehouse", str(warehouse), "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    (curve,) = json.loads(done.stdout)["curves"]
    return dict(curve)


@pytest.mark.parametrize("capacity", CAPACITIES, ids=["small", "large"])
def test_the_capacity_of_a_queue_is_read_off_its_curve(capacity: int, tmp_path: Path) -> None:
    curve = control_of(f"cpu-async:{capacity}", tmp_path / "warehouse")

    assert curve["verdict"] == Verdict.QUEUE_SATURATION
    assert curve["queue_capacity"] == pytest.approx(capacity, rel=0.1)


def test_without_a_queue_time_is_linear(tmp_path: Path) -> None:
    curve = control_of("cpu", tmp_path / "warehouse")

    assert curve["verdict"] == Verdict.LINEAR
    assert curve["queue_capacity"] is None
