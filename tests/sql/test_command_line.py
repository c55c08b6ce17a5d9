"""`cliffwatch sql` as a person runs it."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from warehouse.store import Warehouse


def ask(example: Warehouse, *arguments: str, piped: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", "sql", *arguments, "--warehouse", str(example.root)]
    return subprocess.run(command, input=piped, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("sql", ["drop view runs", "copy (select 1) to '/tmp/x'", "select 1; select 2", "selec 1"])
def test_a_refusal_is_one_line_and_exit_status_2(example: Warehouse, sql: str) -> None:
    finished = ask(example, sql)

    assert finished.returncode == 2
    assert finished.stdout == ""
    assert len(finished.stderr.splitlines()) == 1
    assert finished.stderr.startswith("cliffwatch: ")


def test_a_query_can_be_piped_in_or_read_from_a_file(example: Warehouse, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text("select count(*) as n from runs -- complete ones\n;\n")

    assert json.loads(ask(example, "-f", str(file), "--format", "json").stdout) == [{"n": 6}]
    assert json.loads(ask(example, "--format", "json", piped="select count(*) as n from runs").stdout) == [{"n": 6}]


def test_csv_has_a_header_and_empty_fields_for_null(example: Warehouse) -> None:
    output = ask(example, "select 1 as a, null as b, 'x,y' as c", "--format", "csv").stdout

    assert list(csv.reader(io.StringIO(output))) == [["a", "b", "c"], ["1", "", "x,y"]]


def test_parquet_goes_to_a_file(example: Warehouse, tmp_path: Path) -> None:
    ask(example, "select epoch_count, wall_time_s from scaling_curve", "--format", "parquet", "-o", str(tmp_path / "a"))

    assert pq.read_table(tmp_path / "a").num_rows == 96


def test_every_problem_with_the_options_is_named_at_once(example: Warehouse) -> None:
    finished = ask(example, "select 1", "--timeout", "0", "--memory", "-1")

    assert finished.returncode == 2
    assert "--timeout: need from above 0" in finished.stderr
    assert "--memory: need from 0.05" in finished.stderr
