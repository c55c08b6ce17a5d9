"""The ten commands of docs/operations.md, run as they stand there on a server and a folder of their own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse.store import Warehouse

ROOT = Path(__file__).resolve().parents[2]


def ten_commands() -> list[str]:
    section = (ROOT / "docs" / "operations.md").read_text().partition("## From nothing to weekly runs")[2]
    block = re.search(r"```\n(.*?)```", section, re.DOTALL).group(1)
    return [line.partition("  #")[0].strip() for line in block.splitlines()]


@pytest.fixture
def shell(tmp_path: Path, free_port: int) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """What replaces the documented port and folder, and an environment where nothing is the person's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    environment = kept | {
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    replaced = {"4200": str(free_port), "/srv/cliffwatch": str(tmp_path / "warehouse")}
    yield replaced, environment
    subprocess.run(["prefect", "server", "stop"], env=environment, capture_output=True, check=False)


def statuses(folder: Path) -> list[str]:
    return [row[0] for row in Warehouse.read(folder).query("select status from all_runs.runs").rows]


@pytest.mark.prefect
@pytest.mark.tensorflow
def test_the_ten_commands_lead_from_nothing_to_a_measured_run(
    shell: tuple[dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    replaced, environment = shell
    commands = ten_commands()
    assert len(commands) == 10
    script = []
    small = """ -p 'place={"device": "cpu-async:64", "shape": "64x784x128"}' -p 'effort={"budget_s": 5}'"""
    for command in commands[2:]:
        for documented, here in replaced.items():
            command = command.replace(documented, here)
        if command.startswith("prefect worker start"):
            command = f"{command} --run-once > {tmp_path / 'worker.log'} 2>&1"
        script.append(command + (small if command.startswith("prefect deployment run") else ""))
    # The worker blocks: here it looks for work once, after the run has been started.
    worker, start = script[-2:]
    script[-2:] = [start, worker]

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Created flow run" in done.stdout
    assert statuses(tmp_path / "warehouse") == ["complete"], (tmp_path / "worker.log").read_text()
    for made in ("work pool cliffwatch", "work queue cpu", "preset/weekly", "adhoc/adhoc"):
        assert made in done.stdout
