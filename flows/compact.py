"""The deployment `compact`: many small files into few."""

from typing import Any

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from bench_core.model.errors import UserError
from flows.request import warehouse_folder
from warehouse.compact import compact as compact_files
from warehouse.layout import Layout
from warehouse.store import Warehouse


@flow(name="compact", persist_result=False)
def compact() -> State[Any]:
    """Merge the files of past months and drop traces older than a year; readers never see a mixture."""
    try:
        warehouse = Warehouse.open(warehouse_folder(None))
        counts = compact_files(Layout(warehouse.root))
    except UserError as error:
        return Failed(message=str(error))
    changes = [f"{table}: {before} files are now {after}" for table, (before, after) in counts.items()]
    for change in changes:
        get_run_logger().info(change)
    return Completed(message="; ".join(changes))
