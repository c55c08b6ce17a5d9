"""The questions of docs/sql.md: read them, answer them, or write their answers anew (run as a program)."""

import re
import tempfile
from pathlib import Path

from warehouse.present import present
from warehouse.store import Warehouse

DOCUMENT = Path(__file__).parents[2] / "docs" / "sql.md"
_QUESTION = re.compile(r"### (?P<title>.+?)\n.*?```sql\n(?P<sql>.*?)\n```\n\n```text\n(?P<answer>.*?)```\n", re.DOTALL)


def questions() -> list[tuple[str, str, str]]:
    """Title, SQL and printed answer of every question, in order."""
    return [(match["title"], match["sql"], match["answer"]) for match in _QUESTION.finditer(DOCUMENT.read_text())]


def answer(warehouse: Warehouse, sql: str) -> str:
    """What `cliffwatch sql` prints."""
    return present(warehouse.query(sql), "table")


def write_answers(warehouse: Warehouse) -> None:
    """Replace every printed answer by what the warehouse answers now."""
    text = DOCUMENT.read_text()
    for match in reversed(list(_QUESTION.finditer(text))):
        text = text[: match.start("answer")] + answer(warehouse, match["sql"]) + text[match.end("answer") :]
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    import example_warehouse

    with tempfile.TemporaryDirectory() as folder:
        write_answers(example_warehouse.build(Path(folder) / "warehouse"))
