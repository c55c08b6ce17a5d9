"""Views as files that any other tool reads."""

from enum import StrEnum
from pathlib import Path

import duckdb

from bench_core.model.errors import WarehouseError
from warehouse.connect import connect
from warehouse.durable import refused
from warehouse.layout import Layout
from warehouse.sources import quoted
from warehouse.views import MARTS


class FileFormat(StrEnum):
    """What an exported file is."""

    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"


def export(layout: Layout, folder: Path, file_format: FileFormat, views: tuple[str, ...] = MARTS) -> tuple[Path, ...]:
    """Write each view to a new file in the folder, which is made if it is not there.

    Raises:
        WarehouseError: an unknown view, a file that exists, or a file system that refuses; names all of them.
    """
    paths = tuple(folder / f"{view}.{file_format}" for view in views)
    problems = [f"{view}: no such view; there are {', '.join(MARTS)}" for view in views if view not in MARTS]
    problems += [f"{path}: exists; name an empty or a new folder" for path in paths if path.exists()]
    if problems:
        raise WarehouseError("\n".join(problems))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with connect(layout) as connection:
            for view, path in zip(views, paths, strict=True):
                connection.execute(f"copy (from {view}) to {quoted(str(path))} (format {file_format})")
    except OSError as error:
        raise refused(folder, error) from error
    except duckdb.Error as error:
        raise WarehouseError(f"{folder}: {error}") from error
    return paths
