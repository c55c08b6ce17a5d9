"""`cliffwatch schema`: every view and column of the warehouse, with units."""

import json
from typing import Annotated

import typer

from bench_core.model.errors import SpecError


def schema(
    view: Annotated[str | None, typer.Argument(help="Only this view.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the views of the warehouse and the meaning and unit of each column."""
    from warehouse.describe import describe_views

    views = describe_views()
    if view is not None and view not in views:
        raise SpecError({"view": f"no view {view}; there are {', '.join(views)}"})
    shown = views if view is None else {view: views[view]}
    if as_json:
        typer.echo(json.dumps(shown, indent=2))
        return
    for name, described in shown.items():
        typer.echo(f"{name}\n  {described['grain']}")
        width = max(len(column["name"]) for column in described["columns"])
        for column in described["columns"]:
            unit = f" [{column['unit']}]" if column["unit"] else ""
            typer.echo(f"    {column['name']:{width}}  {column['meaning']}{unit}")
        typer.echo("")
