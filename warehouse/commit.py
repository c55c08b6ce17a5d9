"""From staging to what readers see."""

from pathlib import Path

import pyarrow.parquet as pq

from bench_core.model.run import RunStatus
from warehouse.durable import fsync_folder, refused, write_durably
from warehouse.layout import Layout
from warehouse.run_row import run_table
from warehouse.staging import StagedRun


def commit(layout: Layout, staged: StagedRun, status: RunStatus) -> None:
    """Make the staged cases visible under `status`; a run that was there already gains them.

    The row of the run is written last: until then a reader sees the run as it was.

    Raises:
        WarehouseError: the file system refuses; staging is kept.
    """
    folder = layout.runs / staged.run.run_id
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for record in staged.records:
            record.rename(folder / record.name)
        fsync_folder(folder)
        fsync_folder(layout.runs)
    except OSError as error:
        raise refused(folder, error) from error
    _write_row(folder / "run.parquet", staged, status)
    write_durably(folder / "run.json", lambda temporary: temporary.write_text((staged.folder / "run.json").read_text()))
    staged.discard()


def _write_row(path: Path, staged: StagedRun, status: RunStatus) -> None:
    table = run_table(staged.run, status)
    write_durably(path, lambda temporary: pq.write_table(table, temporary))
