"""The shell blocks of docs/operations.md, and a shell to run them in where nothing is the person's own."""

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "operations.md"
# The day on which the documented backup was made.
BACKUP_DAY = "2026-11-30"
_SECTION = re.compile(r"^## (?P<heading>.+?)\n(?P<text>.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What needs the network, and would change the very environment the tests run in.
_INSTALLS = re.compile(r"^(git|make) ")


def shell_blocks() -> dict[str, list[str]]:
    """Every shell block by the heading it is under, in order."""
    sections = {match["heading"]: _BLOCK.findall(match["text"]) for match in _SECTION.finditer(DOCUMENT.read_text())}
    return {heading: blocks for heading, blocks in sections.items() if blocks}


def without_installing(block: str) -> str:
    """The block without its lines that fetch or install the program."""
    return "\n".join(line for line in block.splitlines() if not _INSTALLS.match(line))


@dataclass(frozen=True)
class Shell:
    """Runs documented commands with a home, folders and a port of their own.

    Attributes:
        folder: stands for the root of the machine: its `srv`, `backup` and `home`.
    """

    folder: Path
    port: int

    @property
    def warehouse(self) -> Path:
        """The documented folder of the records."""
        return self.folder / "srv" / "cliffwatch"

    @property
    def home(self) -> Path:
        """The person's home, where Prefect keeps its own."""
        return self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every command."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT", "XDG"))}
        return kept | {"HOME": str(self.home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def make(self) -> "Shell":
        """Make the folders every machine has."""
        for folder in (self.warehouse.parent, self.home):
            folder.mkdir(parents=True)
        return self

    def run(self, script: str) -> str:
        """What the script prints; it must succeed, every line of it."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._placed(script)],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _placed(self, script: str) -> str:
        """The script with what is here in the place of what is documented."""
        here = {
            "4200": str(self.port),
            "/srv/": f"{self.folder}/srv/",
            "/backup": f"{self.folder}/backup",
            "$(date +%F)": BACKUP_DAY,
        }
        return re.sub("|".join(map(re.escape, here)), lambda found: here[found[0]], script)


@dataclass(frozen=True)
class Trouble:
    """A row of the table under "When something breaks".

    Attributes:
        seen: what one sees, as written.
    """

    seen: str

    @property
    def quotes(self) -> list[str]:
        """What is said word for word, `...` standing for what differs."""
        return re.findall(r'"([^"]+)"', self.seen)

    @property
    def names(self) -> list[str]:
        """Words set as code outside the quotes."""
        return re.findall(r"`([^`]+)`", re.sub(r'"[^"]+"', "", self.seen))


def troubles() -> list[Trouble]:
    """Every row of the table, in order."""
    table = DOCUMENT.read_text().partition("## When something breaks")[2]
    return [Trouble(row) for row in re.findall(r"^\| (.+?) \|", table, re.MULTILINE)[1:]]


def printed_texts() -> list[str]:
    """Every text in the program's source, `...` in the place of what is filled in."""
    packages = ("bench_core", "flows", "tasks", "warehouse")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text()))]
    return [text for node in nodes if (text := _text(node))]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "..." for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
