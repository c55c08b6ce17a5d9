"""`cliffwatch diagnose` starts fast because it loads little: shown in a fresh interpreter."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

HEAVY = {"scipy", "pydantic", "pyarrow", "altair", "vl_convert", "prefect", "duckdb", "tensorflow", "rich", "typer"}
TABLES = ("epochs,seconds\n100,1\n200,2\n400,4\n", "1.3\n0.02\n0.02\n0.02\n", "size,s\n1,2\n2,4\n4,8")
OPTIONS = ((), ("--json",), ("--gpu", "A4000", "--lang", "zh"))
# Each list is of what the commands so far loaded.
PROGRAM = """
import json, sys
from flows.cli import main
for arguments in json.loads(sys.argv[1]):
    main(["diagnose", *arguments])
    print("\\nloaded", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_diagnosing_a_table_loads_nothing_heavy(tmp_path: Path) -> None:
    commands = []
    for number, (table, options) in enumerate(itertools.product(TABLES, OPTIONS)):
        path = tmp_path / str(number)
        path.write_text(table)
        commands.append([str(path), *options])

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)], capture_output=True, text=True, check=True
    )

    loaded = [set(line.split()) for line in done.stdout.splitlines() if line.startswith("loaded ")]
    assert len(loaded) == len(commands)
    assert all("numpy" in each for each in loaded)
    assert [sorted(each & HEAVY) for each in loaded] == [[]] * len(commands)
