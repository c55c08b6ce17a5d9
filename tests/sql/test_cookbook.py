import json
import os
import subprocess
import sys
from pathlib import Path

import cookbook
import duckdb
import pytest

from warehouse.store import Warehouse

QUESTIONS = cookbook.questions()

# Installed beside the environment by `make dev`, from requirements/duckdb-1.5.lock.
DUCKDB_1_5 = Path(sys.prefix) / "duckdb-1.5"


def test_the_cookbook_has_at_least_15_questions() -> None:
    assert len(QUESTIONS) >= 15


@pytest.mark.parametrize(("title", "sql", "printed"), QUESTIONS, ids=[title for title, _, _ in QUESTIONS])
def test_the_printed_answer_is_the_answer(example: Warehouse, title: str, sql: str, printed: str) -> None:
    assert cookbook.answer(example, sql) == printed


def test_duckdb_1_5_and_2_give_equal_answers_from_the_published_catalog(example: Warehouse) -> None:
    catalog = example.root / "warehouse.duckdb"
    script = Path(cookbook.__file__).with_name("answer_all.py")
    questions = json.dumps([sql for _, sql, _ in QUESTIONS])

    def answers(duckdb_folder: Path) -> tuple[str, object]:
        environment = os.environ | {"PYTHONPATH": str(duckdb_folder)}
        output = subprocess.run(
            [sys.executable, script, catalog],
            input=questions,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        version, found = json.loads(output)
        return version, found

    old_version, old = answers(DUCKDB_1_5)
    new_version, new = answers(Path(duckdb.__file__).parents[1])

    assert (old_version[:4], new_version[:2]) == ("1.5.", "2.")
    assert old == new
