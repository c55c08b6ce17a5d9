"""Where cliffwatch keeps what is its own and not a measurement: the XDG folders of the user."""

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """A folder for what can be made again; made if it is not there."""
    return _own_folder("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """A folder for logs of errors; made if it is not there."""
    return _own_folder("XDG_STATE_HOME", ".local/state")


def _own_folder(variable: str, default: str) -> Path:
    """$variable/cliffwatch or its default below the home folder; a temporary one where that cannot be written."""
    base = Path(os.environ[variable]) if os.environ.get(variable) else Path.home() / default
    folder = base / "cliffwatch"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="cliffwatch-"))
    return folder if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="cliffwatch-"))
