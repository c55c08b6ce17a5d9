"""`cliffwatch sql`: one SELECT over the warehouse."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How the answer is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def sql(
    query: Annotated[str, typer.Argument(help="one SELECT over the views, for example 'select * from scaling_curve'")],
    output: Annotated[Format, typer.Option("--format", help="how the answer is printed")] = Format.TABLE,
    warehouse: Annotated[Path, typer.Option(envvar="CLIFFWATCH_WAREHOUSE", help="folder of the warehouse")] = Path(
        "warehouse_data"
    ),
) -> None:
    """Ask the warehouse in SQL; it can read the warehouse's files and change nothing."""
    from warehouse.present import present
    from warehouse.store import Warehouse

    typer.echo(present(Warehouse.read(warehouse).query(query), output.value), nl=False)
