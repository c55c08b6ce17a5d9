"""Cases of a run that is not committed yet, and who is writing it."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench_core.model.errors import WarehouseError
from bench_core.model.run import Run
from warehouse.durable import fsync_folder, refused, write_bytes_durably
from warehouse.layout import Layout
from warehouse.run_record import run_from_json, run_to_json


class StagedRun:
    """A run's folder in staging, held by an OS lock that ends with the process, however it ends."""

    def __init__(self, folder: Path, run: Run, lock: int) -> None:
        self.folder = folder
        self.run = run
        self._lock = lock

    @property
    def records(self) -> tuple[Path, ...]:
        """Files of the cases that are there, whole."""
        return tuple(sorted(self.folder.glob("*.parquet")))

    def release(self) -> None:
        """Let others take the run."""
        os.close(self._lock)

    def discard(self) -> None:
        """Remove the folder and let go of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()


def stage(layout: Layout, run: Run) -> StagedRun:
    """Make the run's folder and hold it.

    Raises:
        WarehouseError: the run is being measured already, or the file system refuses.
    """
    folder = layout.staging / run.run_id
    try:
        with _exclusive(layout.staging_lock):
            folder.mkdir(parents=True, exist_ok=True)
            lock = _try_hold(folder)
            if lock is None:
                raise WarehouseError(f"run {run.run_id} is being measured by another process right now")
            write_bytes_durably(folder / "run.json", run_to_json(run).encode())
            fsync_folder(layout.staging)
    except OSError as error:
        raise refused(folder, error) from error
    return StagedRun(folder, run, lock)


def abandoned(layout: Layout) -> Iterator[StagedRun]:
    """Runs in staging that no living process holds; each is held while the caller looks at it."""
    if not layout.staging.is_dir():
        return
    for folder in sorted(layout.staging.iterdir()):
        with _exclusive(layout.staging_lock):
            lock = _try_hold(folder) if folder.is_dir() else None
        if lock is None:
            continue
        run = _read_run(folder)
        if run is None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            continue
        yield StagedRun(folder, run, lock)


def _read_run(folder: Path) -> Run | None:
    """The run a folder belongs to; None where its writer was killed before it had said so: then no case is there."""
    try:
        return run_from_json((folder / "run.json").read_text())
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _try_hold(folder: Path) -> int | None:
    """Descriptor of the folder's lock, or None while its writer lives or it is gone."""
    try:
        descriptor = os.open(folder / "writer.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
