"""Cases of a run that is not committed yet, and who is writing it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench_core.model.errors import WarehouseError
from bench_core.model.result import CaseResult
from bench_core.model.run import Run, RunStatus
from warehouse.case_record import write_record
from warehouse.durable import fsync_folder, refused, write_bytes_durably, write_named
from warehouse.layout import Layout
from warehouse.locks import held, try_hold
from warehouse.parts import name_by_content
from warehouse.quarantine import set_aside
from warehouse.run_record import run_from_json, run_to_json


class StagedRun:
    """A run's folder in staging, held until the process ends, however it ends.

    Attributes:
        attempt: 1 for a new run, one more each time it is resumed: a commit happens once per run and attempt.
    """

    def __init__(self, folder: Path, run: Run, attempt: int, lock: int) -> None:
        self.folder = folder
        self.run = run
        self.attempt = attempt
        self._lock: int | None = lock
        self._next = 1 + max((int(path.name.partition("-")[0]) for path in folder.glob("*.parquet")), default=0)

    def add(self, result: CaseResult) -> None:
        """Keep a case: whole and on the disk when this returns. A later result of the same case replaces it.

        The name carries the order and the first digits of the content's hash: damage shows.

        Raises:
            WarehouseError: the file system refuses.
        """
        stem = f"{self._next:06d}-{result.case.case_id}"
        write_named(self.folder, stem, lambda path: write_record(path, self.run, result), name_by_content(stem))
        self._next += 1

    @property
    def records(self) -> tuple[Path, ...]:
        """The newest file of every case, in the order the cases were added."""
        newest = {path.name.split("-")[1]: path for path in sorted(self.folder.glob("*.parquet"))}
        return tuple(newest.values())

    @property
    def wanted_status(self) -> RunStatus | None:
        """The status a commit had begun with when it was interrupted; None where no commit had begun."""
        try:
            return RunStatus((self.folder / "status").read_text())
        except (OSError, ValueError):
            return None

    def begin_commit(self, status: RunStatus) -> None:
        """Remember under which status the run is committed, should this process be killed on the way.

        Raises:
            WarehouseError: the file system refuses.
        """
        write_bytes_durably(self.folder / "status", status.value.encode())

    def release(self) -> None:
        """Let others take the run; a second call does nothing."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None

    def discard(self) -> None:
        """Remove the folder and let go of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()


def stage(layout: Layout, run: Run, attempt: int) -> StagedRun:
    """Make the run's folder and hold it.

    Raises:
        WarehouseError: the run is being measured already, or the file system refuses.
    """
    folder = layout.staging / run.run_id
    try:
        with held(layout.staging_lock):
            folder.mkdir(parents=True, exist_ok=True)
            lock = try_hold(folder / "writer.lock")
            if lock is None:
                raise WarehouseError(f"run {run.run_id} is being measured by another process right now")
            write_bytes_durably(folder / "attempt", str(attempt).encode())
            write_bytes_durably(folder / "run.json", run_to_json(run).encode())
            fsync_folder(layout.staging)
    except OSError as error:
        raise refused(folder, error) from error
    return StagedRun(folder, run, attempt, lock)


def abandoned(layout: Layout) -> Iterator[StagedRun]:
    """Runs in staging that no living process holds; each is held while the caller looks at it."""
    if not layout.staging.is_dir():
        return
    for folder in sorted(path for path in layout.staging.iterdir() if path.is_dir()):
        with held(layout.staging_lock):
            lock = try_hold(folder / "writer.lock")
        if lock is None:
            continue
        staged = _reopen(folder, lock)
        if staged is None:
            _clear(layout, folder)
            os.close(lock)
        else:
            yield staged


def _reopen(folder: Path, lock: int) -> StagedRun | None:
    """The run as its writer left it; None where that was killed before it had said which run it writes."""
    try:
        run = run_from_json((folder / "run.json").read_text())
        return StagedRun(folder, run, int((folder / "attempt").read_text()), lock)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _clear(layout: Layout, folder: Path) -> None:
    """Remove a folder that says no run; should cases be in it all the same, they are set aside, not lost."""
    for record in folder.glob("*.parquet"):
        set_aside(layout, record, folder.name, "the run it belongs to cannot be read")
    shutil.rmtree(folder, ignore_errors=True)
