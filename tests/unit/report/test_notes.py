"""Every note the table reader can make has a sentence."""

import re
from pathlib import Path

import bench_core.tables
from bench_core.report.english import ENGLISH


def test_every_note_made_anywhere_in_the_reader_has_a_sentence() -> None:
    package = Path(bench_core.tables.__file__).parent
    made = {kind for path in package.glob("*.py") for kind in re.findall(r'\bNote\(\s*"(\w+)"', path.read_text())}

    assert made == set(ENGLISH.notes)
