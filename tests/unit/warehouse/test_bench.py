import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_the_benchmark_makes_its_data_measures_every_row_and_leaves_nothing(tmp_path: Path) -> None:
    output = subprocess.run(
        [sys.executable, "bench/warehouse.py", "--rows", "1e5", "--folder", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    measured = [line.split("|")[1].strip() for line in output.splitlines()[2:]]
    assert [what.split(" ")[0] for what in measured] == [
        "scaling_curve", "growth", "curve", "the", "and", "curve", "one", "bytes", "publishing", "20", "writing",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == []
