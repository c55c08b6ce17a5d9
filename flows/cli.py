"""The command line: every command is loaded only when it is asked for.

`cliffwatch diagnose` must answer before Prefect, DuckDB or SciPy could even be imported, so this module knows each
command's name and sentence, and nothing else of it.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from bench_core.model.errors import UserError
from flows.folders import state_folder

BAD_INPUT = 2
UNEXPECTED = 1


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command's function is, and what help says of it before it is imported."""

    name: str
    function: str
    summary: str

    def function_itself(self) -> Callable[..., None]:
        """The function, imported now."""
        module_name, _, function_name = self.function.partition(":")
        function: Callable[..., None] = getattr(importlib.import_module(module_name), function_name)
        return function

    def load(self) -> Any:
        """The command with its options, as Typer reads them from the function's signature."""
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(self.name)(self.function_itself())
        return typer.main.get_command(app)


COMMANDS = (
    Command("run", "flows.commands.run:run", "Measure a sweep on this machine and explain its scaling curves."),
    Command("sql", "flows.commands.sql:sql", "Ask the warehouse in SQL, read-only."),
    Command("serve", "flows.commands.serve:serve", "Run Prefect with every deployment on this machine, until Ctrl-C."),
    Command("setup", "flows.commands.setup:setup", "Make what the deployments need on a Prefect server."),
    Command("doctor", "flows.commands.doctor:doctor", "Say what this machine can measure, what it cannot, and why."),
)

# Parses its own options: Typer would load pydantic to hand them over, and diagnosing starts fast.
DIAGNOSE = Command(
    "diagnose", "flows.commands.diagnose:main", "Say what a table of times means, what proves it, what to do."
)


class LazyGroup(TyperGroup):
    """Lists commands by their sentence and imports only the one that is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command behind the first word, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        loaded = next((known.load() for known in COMMANDS if known.name == name), command)
        return name, loaded, rest


def build_app() -> LazyGroup:
    """The `cliffwatch` command with a placeholder for each of its commands."""
    return LazyGroup(
        name="cliffwatch",
        help="Scaling curves of matmuls that prove the work was done and finished.",
        commands=[TyperCommand(name=known.name, help=known.summary) for known in (*COMMANDS, DIAGNOSE)],
        no_args_is_help=True,
        rich_markup_mode=None,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 failed, 2 bad input, 130 interrupted; no traceback reaches a terminal."""
    _silence_prefect()
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == [DIAGNOSE.name]:
            DIAGNOSE.function_itself()(words[1:])
        else:
            build_app().main(args=words, prog_name="cliffwatch")
    except UserError as error:
        print(f"cliffwatch:{_indented(str(error))}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except Exception as error:
        print(f"cliffwatch: {_one_line(error)}; details are in {_write_traceback()}", file=sys.stderr)
        sys.exit(UNEXPECTED)


def _silence_prefect() -> None:
    """Prefect reads these when it is first imported: its own log is no part of a command's output."""
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_DEBUG_LEVEL", "CRITICAL")
    os.environ.setdefault("DO_NOT_TRACK", "1")


def _indented(message: str) -> str:
    """Several problems stand below each other, the first on the line that names the program."""
    lines = message.splitlines()
    return f" {message}" if len(lines) == 1 else "".join(f"\n  {line}" for line in lines)


def _one_line(error: Exception) -> str:
    first = next(iter(str(error).splitlines()), "")
    return f"unexpected {type(error).__name__}: {first[:200]}" if first else f"unexpected {type(error).__name__}"


def _write_traceback() -> Path:
    moment = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    path = state_folder() / f"error-{moment}.log"
    path.write_text(" ".join(sys.argv) + "\n" + traceback.format_exc(), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
