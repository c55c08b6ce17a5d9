"""The command line as a process: exit statuses, and that no traceback reaches anyone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.command_group import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def cliffwatch(*arguments: str, state: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *arguments],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(state), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_bad_input_is_one_message_and_exit_status_2_with_nothing_written(tmp_path: Path) -> None:
    warehouse = tmp_path / "warehouse"
    wrong = ("--epochs", "0,1e99", "--shape", "9x9", "--precision", "fp33", "--budget", "soon", "--device", "tpu")

    ended = cliffwatch("run", *wrong, "--warehouse", str(warehouse), "--json", state=tmp_path)

    assert ended.returncode == 2
    assert ended.stdout == ""
    named = {line.split(":")[0].strip() for line in ended.stderr.splitlines()[1:]}
    assert named == {"epochs", "shape", "precisions", "budget_s", "device"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["run", "sql", "hypotheses", "serve"])
def test_an_empty_warehouse_is_not_the_current_folder(command: str, tmp_path: Path) -> None:
    ended = cliffwatch(command, "--warehouse", "", state=tmp_path)

    assert ended.returncode == 2
    assert "'--warehouse': need a folder, got an empty text" in ended.stderr
    assert ended.stdout == ""


def test_an_unknown_command_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    ended = cliffwatch("rum", state=tmp_path)

    assert ended.returncode == 2
    assert "Did you mean 'run'?" in ended.stderr


def test_a_defect_is_one_line_that_names_a_log_with_the_traceback(tmp_path: Path) -> None:
    code = (
        "import sys; from flows import cli; import flows.commands.doctor as doctor\n"
        "def broken(**_): raise ZeroDivisionError('no such thing\\nsecond line')\n"
        "doctor.examine = broken; cli.main(['doctor'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    (log,) = (tmp_path / "cliffwatch").glob("error-*.log")
    assert ended.stderr == f"cliffwatch: unexpected ZeroDivisionError: no such thing; details are in {log}\n"
    assert "Traceback" in log.read_text()


@pytest.mark.parametrize("command", [known.name for known in COMMANDS])
def test_every_command_explains_itself(command: str, tmp_path: Path) -> None:
    ended = cliffwatch(command, "--help", state=tmp_path)

    assert ended.returncode == 0, ended.stderr
    assert f"cliffwatch {command}" in ended.stdout
