"""Files that are there whole or not at all, and are still there after a power cut.

pyarrow, DuckDB's COPY and delta-rs do not fsync; a rename without one can leave an empty file behind a good name.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

from bench_core.model.errors import WarehouseError

# No glob for `*.parquet` or `*.json` matches it, unlike a leading dot or underscore, which DuckDB's glob does match.
TEMPORARY_SUFFIX = ".tmp"


def write_named(folder: Path, stem: str, write: Callable[[Path], object], name: Callable[[Path], str]) -> Path:
    """Let `write` fill a temporary file, make it durable and give it the name that `name` makes of its content.

    Raises:
        WarehouseError: the file system refuses: full, read-only, no permission.
    """
    temporary = folder / f"{stem}-{os.getpid()}{TEMPORARY_SUFFIX}"
    try:
        write(temporary)
        fsync_file(temporary)
        path = temporary.rename(folder / name(temporary))
        fsync_folder(folder)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise refused(folder, error) from error
    return path


def write_durably(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, make it durable and give it its name.

    Raises:
        WarehouseError: the file system refuses.
    """
    write_named(path.parent, path.name, write, lambda _: path.name)


def write_bytes_durably(path: Path, content: bytes) -> None:
    """Write `content` so that a reader sees all of it or no file.

    Raises:
        WarehouseError: the file system refuses.
    """
    write_durably(path, lambda temporary: temporary.write_bytes(content))


def fsync_file(path: Path) -> None:
    """Wait until the content of the file is on the disk."""
    _fsync(path, os.O_RDONLY)


def fsync_folder(path: Path) -> None:
    """Wait until the names in the folder are on the disk."""
    _fsync(path, os.O_RDONLY | os.O_DIRECTORY)


def refused(path: Path, error: OSError) -> WarehouseError:
    """What the operating system said, with what to do about it."""
    advice = {
        errno.ENOSPC: "the disk is full: free some space and start again; what was measured so far is kept",
        errno.EDQUOT: "the disk quota is used up: free some space and start again; what was measured so far is kept",
        errno.EROFS: "the file system is read-only: choose another folder with --warehouse",
        errno.EACCES: "no permission: choose another folder with --warehouse",
        errno.EPERM: "not permitted: choose another folder with --warehouse",
    }.get(error.errno or 0, error.strerror or str(error))
    return WarehouseError(f"cannot write {path}: {advice}")


def _fsync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
