"""The command line: every command is loaded only when it is asked for.

`cliffwatch diagnose` must answer before Prefect, DuckDB or SciPy could even be imported, so this module loads nothing
that a command might not need, not even what reads the options of the others.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench_core.model.errors import UserError
from flows.command import DIAGNOSE
from flows.folders import state_folder

BAD_INPUT = 2
UNEXPECTED = 1
# What a shell reports of a program that SIGPIPE ended.
OUTPUT_CLOSED = 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 failed, 2 bad input, 130 interrupted; no traceback reaches a terminal."""
    _silence_prefect()
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if words[:1] == [DIAGNOSE.name]:
            DIAGNOSE.function_itself()(words[1:])
        else:
            # Loading Typer takes as long as half of NumPy.
            from flows.command_group import build_app

            build_app().main(args=words, prog_name="cliffwatch")
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OUTPUT_CLOSED)
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
