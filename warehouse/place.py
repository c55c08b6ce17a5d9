"""Where the files of one table lie. Everything else asks for a file by its path within the table."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.durable import fsync_file, fsync_folder, write_named
from warehouse.parts import file_sha256, is_unchanged, name_by_content, write_part
from warehouse.schema import PARTITION, TableSchema


class Place(Protocol):
    """What a place must be able to do; what S3 would need is in docs/decisions/0053-where-a-table-lies.md.

    Names say what a file holds, so that writing the same rows twice makes one file and a file never changes.
    """

    @property
    def url(self) -> str:
        """Where Delta finds the log and DuckDB the files."""

    def put(self, table: pa.Table, of: TableSchema, *, month: str, stem: str) -> str:
        """Write a file so that it survives a power cut once this returns; its path."""

    def open(self, path: str) -> pq.ParquetFile:
        """The file, for reading."""

    def size_bytes(self, path: str) -> int | None:
        """Size of the file; None where it is gone."""

    def sha256(self, path: str) -> str:
        """Hash of the whole file."""

    def is_unchanged(self, path: str) -> bool:
        """Whether the file is there and still is what was written under its name."""

    def written_for(self, run_id: str) -> list[str]:
        """Every file that was written for this run alone, in the table or not, newest last."""

    def settle(self, versions: Iterable[int]) -> None:
        """Wait until these entries of the log survive a power cut."""


class Folder:
    """A folder of this host, or one that it mounts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def url(self) -> str:
        """The folder's path."""
        return str(self._folder)

    def put(self, table: pa.Table, of: TableSchema, *, month: str, stem: str) -> str:
        """Write, wait for the disk, then name: a reader sees all of the file or none.

        Raises:
            WarehouseError: the file system refuses.
        """
        folder = self._folder / f"{PARTITION}={month}"
        folder.mkdir(exist_ok=True)
        path = write_named(folder, stem, lambda path: write_part(path, table, of), name_by_content(stem))
        return str(path.relative_to(self._folder))

    def open(self, path: str) -> pq.ParquetFile:
        """The file, for reading."""
        return pq.ParquetFile(self._folder / path)

    def size_bytes(self, path: str) -> int | None:
        """Size of the file; None where it is gone."""
        try:
            return (self._folder / path).stat().st_size
        except FileNotFoundError:
            return None

    def sha256(self, path: str) -> str:
        """Hash of the whole file."""
        return file_sha256(self._folder / path)

    def is_unchanged(self, path: str) -> bool:
        """Whether the file is there and still is what was written under its name."""
        return (self._folder / path).exists() and is_unchanged(self._folder / path)

    def written_for(self, run_id: str) -> list[str]:
        """Every file that was written for this run alone, in the table or not, newest last."""
        paths = self._folder.glob(f"{PARTITION}=*/{run_id}-*.parquet")
        return [str(path.relative_to(self._folder)) for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns)]

    def settle(self, versions: Iterable[int]) -> None:
        """Wait for the disk: delta-rs does not, and a power cut could take back an acknowledged commit.

        Or leave a checkpoint behind that is empty, and the table unreadable with it.
        """
        log = self._folder / "_delta_log"
        for version in versions:
            fsync_file(log / f"{version:020d}.json")
            checkpoint = log / f"{version:020d}.checkpoint.parquet"
            if checkpoint.exists():
                fsync_file(checkpoint)
                fsync_file(log / "_last_checkpoint")
        fsync_folder(self._folder)
        fsync_folder(log)
