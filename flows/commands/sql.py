"""`cliffwatch sql`: one SELECT over the warehouse."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flows.request import WAREHOUSE_VARIABLE, warehouse_folder


class Format(StrEnum):
    """How the answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def sql(
    query: Annotated[str, typer.Argument(help="one SELECT over the views, for example 'select * from scaling_curve'")],
    output: Annotated[Format, typer.Option("--format", help="how the answer is printed")] = Format.TABLE,
    warehouse: Annotated[
        Path | None, typer.Option(help=f"folder of the records; else ${WAREHOUSE_VARIABLE}, else ./warehouse_data")
    ] = None,
) -> None:
    """Ask the warehouse in SQL; it can read the warehouse's files and change nothing."""
    from warehouse.present import present
    from warehouse.store import Warehouse

    typer.echo(present(Warehouse.read(warehouse_folder(warehouse)).query(query), output.value), nl=False)
