"""The option --warehouse, the same for every command that reads or writes records."""

from pathlib import Path
from typing import Annotated

import typer

from flows.request import WAREHOUSE_VARIABLE


def _folder(text: str) -> Path:
    # An empty text would mean the current folder: in a script it is a variable nobody has set.
    if not text:
        raise typer.BadParameter("need a folder, got an empty text")
    return Path(text)


WarehouseOption = Annotated[
    Path | None,
    typer.Option(
        "--warehouse",
        metavar="DIR",
        parser=_folder,
        help=f"Folder of the records; else ${WAREHOUSE_VARIABLE}, else ./warehouse_data.",
    ),
]
