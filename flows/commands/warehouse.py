"""`cliffwatch warehouse ...`: keeping the records sound, small and portable."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench_core.model.errors import SpecError
from flows.request import warehouse_folder
from flows.warehouse_option import WarehouseOption

if TYPE_CHECKING:
    from warehouse.layout import Layout

NOT_SOUND = 1


def verify(
    warehouse: WarehouseOption = None,
    repair: Annotated[bool, typer.Option(help="Set what is damaged aside, so that the rest can be read.")] = False,
) -> None:
    """Take in what killed runs left, read every log, hash every file, count every run; exit 1 if something is wrong."""
    from warehouse import repair as repairs
    from warehouse import verify as checks
    from warehouse.store import Warehouse

    layout = _layout(warehouse)
    problems = repairs.repair_logs(layout) if repair else checks.verify_logs(layout)
    adopted: tuple[str, ...] = ()
    if repair or not problems:  # a run cannot be taken in while a log is torn
        adopted = Warehouse(layout).adopt()
        problems += repairs.repair(layout) if repair else checks.verify(layout)
    _say(f"adopted {run_id}" for run_id in adopted)
    _say(str(problem) for problem in problems)
    if problems:
        hint = "" if repair else "; `cliffwatch warehouse verify --repair` sets what is damaged aside"
        typer.echo(f"{len(problems)} problems{hint}", err=True)
        raise typer.Exit(NOT_SOUND)
    typer.echo("sound")


def compact(
    warehouse: WarehouseOption = None,
    trace_weeks: Annotated[int, typer.Option(help="Drop traces older than this; knees stay.")] = 52,
) -> None:
    """Merge small files month by month and drop old traces; files no longer needed go after a week."""
    from warehouse.compact import compact as compact_tables

    if trace_weeks < 1:
        raise SpecError({"--trace-weeks": f"need at least 1, got {trace_weeks}"})
    counts = compact_tables(_layout(warehouse), trace_weeks=trace_weeks)
    _say(f"{table}: {before} files, now {after}" for table, (before, after) in counts.items())


def export(
    to: Annotated[Path | None, typer.Option("--to", help="Write one file a view into this folder.")] = None,
    file_format: Annotated[str, typer.Option("--format", help="csv, parquet or json.")] = "parquet",
    views: Annotated[str | None, typer.Option(help="Only these views, comma-separated.")] = None,
    snapshot: Annotated[Path | None, typer.Option(help="Write everything into one DuckDB file instead.")] = None,
    warehouse: WarehouseOption = None,
) -> None:
    """Write views as files, or the whole warehouse as one DuckDB file to send."""
    from warehouse.export import FileFormat
    from warehouse.export import export as export_views
    from warehouse.snapshot import write_snapshot
    from warehouse.views import MARTS

    if (to is None) == (snapshot is None):
        raise SpecError({"--to": "need either --to FOLDER or --snapshot FILE"})
    if snapshot is not None:
        write_snapshot(_layout(warehouse), snapshot)
        typer.echo(snapshot)
    elif to is not None:
        if file_format not in list(FileFormat):
            raise SpecError({"--format": f"need {', '.join(FileFormat)}, got {file_format}"})
        wanted = tuple(views.split(",")) if views else MARTS
        _say(str(path) for path in export_views(_layout(warehouse), to, FileFormat(file_format), wanted))


def import_results(
    files: Annotated[list[Path], typer.Argument(help="CSV or JSON tables of epochs and times.")],
    device: Annotated[str, typer.Option(help="The device they were measured on.")] = "unknown",
    host: Annotated[str, typer.Option(help="The machine they were measured on.")] = "unknown",
    warehouse: WarehouseOption = None,
) -> None:
    """Take in results of other scripts, each file as a run of its own."""
    from warehouse.import_results import import_results as take_in
    from warehouse.layout import Layout
    from warehouse.store import Warehouse

    root = Warehouse.open(warehouse_folder(warehouse)).root
    _say(take_in(Layout(root), file, device_name=device, host=host) for file in files)


def migrate(warehouse: WarehouseOption = None) -> None:
    """Carry a warehouse of an older format over to this one; its old files are kept."""
    from warehouse.layout import Layout
    from warehouse.migrate import migrate as carry_over

    run_ids = carry_over(Layout(warehouse_folder(warehouse).absolute()))
    typer.echo(f"{len(run_ids)} runs carried over" if run_ids else "nothing to carry over")


def rebuild_catalog(warehouse: WarehouseOption = None) -> None:
    """Write warehouse.duckdb anew, for example after the folder was moved."""
    from warehouse.publish import publish

    layout = _layout(warehouse)
    layout.catalog.unlink(missing_ok=True)
    publish(layout)
    typer.echo(layout.catalog)


def _layout(warehouse: Path | None) -> "Layout":
    from warehouse.create import require_format
    from warehouse.layout import Layout

    layout = Layout(warehouse_folder(warehouse).absolute())
    require_format(layout)
    return layout


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


app = typer.Typer(
    help="Keep the records sound, small and portable.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
app.command()(verify)
app.command()(compact)
app.command()(export)
app.command("import")(import_results)
app.command()(migrate)
app.command()(rebuild_catalog)
