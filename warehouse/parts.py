"""Parquet files of one table, as every part of the warehouse writes them."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.schema import TableSchema

# Five times pyarrow's: fewer pages to begin where a row group is skipped through (docs/decisions/0051-files.md).
PAGE_ROWS = 100_000


def write_part(path: Path, table: pa.Table, of: TableSchema) -> None:
    """Write the table as Parquet; not durable yet.

    Integers that count nanoseconds are stored as differences, texts through a dictionary.
    """
    packed = set(of.delta_packed)
    pq.write_table(
        table,
        path,
        row_group_size=of.row_group_rows,
        max_rows_per_page=PAGE_ROWS,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in packed],
        column_encoding=dict.fromkeys(packed, "DELTA_BINARY_PACKED"),
        write_page_checksum=True,
    )


def file_sha256(path: Path) -> str:
    """Hash of the whole file: page checksums do not cover its footer, and DuckDB ignores them."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def name_by_content(stem: str) -> Callable[[Path], str]:
    """Names a file by its stem and the first digits of its content's hash: damage shows, and no two differ by name."""
    return lambda path: f"{stem}-{file_sha256(path)[:16]}.parquet"


def is_unchanged(path: Path) -> bool:
    """Whether the file still is what was written under this name."""
    return file_sha256(path).startswith(path.stem.rpartition("-")[2])
