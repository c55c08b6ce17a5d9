"""Which TensorFlow versions a sweep can run under: those with a hash lock here, installed ahead of time.

A version is looked up, never installed: a name from a form must not become a package install.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parents[2]
LOCKS_DIR = PROJECT_DIR / "requirements" / "tensorflow"
VENVS_DIR = PROJECT_DIR / ".venv-tensorflow"
WORKER_ARGUMENTS = ("-m", "bench_core.measure.worker")
OWN_WORKER = (sys.executable, *WORKER_ARGUMENTS)


@dataclass(frozen=True, slots=True)
class MissingEnvironment:
    """Why there is no worker for a version, as a sentence."""

    reason: str


def locked_versions() -> tuple[str, ...]:
    """Every TensorFlow version with a lock file, oldest first."""
    return tuple(sorted((path.stem for path in LOCKS_DIR.glob("*.lock")), key=_numbers))


def worker_command(version: str) -> tuple[str, ...] | MissingEnvironment:
    """How to start a worker under that TensorFlow."""
    if version not in locked_versions():
        return MissingEnvironment(f"tensorflow:{version} has no lock here; there are {', '.join(locked_versions())}")
    python = VENVS_DIR / version / "bin" / "python"
    if not python.exists():
        return MissingEnvironment(
            f"tensorflow:{version} is locked but not installed; install it with: make tensorflow VERSION={version}"
        )
    return (str(python), *WORKER_ARGUMENTS)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
