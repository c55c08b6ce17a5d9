"""`cliffwatch diagnose` starts fast because it loads little: shown in a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"scipy", "pydantic", "pyarrow", "altair", "vl_convert", "prefect", "duckdb", "tensorflow", "rich", "typer"}
PROGRAM = """
import sys
from flows.cli import main
main(["diagnose", *sys.argv[1:]])
print("\\nloaded", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def modules_loaded_by(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("\nloaded")[2].split())


@pytest.mark.parametrize(
    "table", ["epochs,seconds\n100,1\n200,2\n400,4\n", "1.3\n0.02\n0.02\n0.02\n", "size,s\n1,2\n2,4\n4,8"]
)
@pytest.mark.parametrize("options", [(), ("--json",), ("--gpu", "A4000", "--lang", "zh")])
def test_diagnosing_a_table_loads_nothing_heavy(table: str, options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "table").write_text(table)

    loaded = modules_loaded_by(str(tmp_path / "table"), *options)

    assert "numpy" in loaded
    assert loaded & HEAVY == set()
