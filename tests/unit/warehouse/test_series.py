from dataclasses import replace
from pathlib import Path

import made
import pyarrow.parquet as pq
import pytest

from bench_core.model.run import RunStatus
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.schema import CASES, SAMPLES, TableSchema
from warehouse.series import series_id
from warehouse.store import Warehouse
from warehouse.table_log import TableLog

ROW = {
    "device_uuid": "GPU-1", "device_kind": "gpu", "device": "gpu:0", "precision": "fp32", "mitigation": "none",
    "shape": "8x8x8", "epoch_count": 4, "operand_source": "mnist-like", "hold": "variable", "operand_seed": 0,
}  # fmt: skip


@pytest.mark.parametrize("change", [{"device": "gpu:1"}, {"run_id": "another"}, {"outcome": "crashed"}])
def test_a_series_goes_on_whatever_the_run_and_the_index_of_a_gpu(change: dict[str, object]) -> None:
    assert series_id(ROW | change) == series_id(ROW)


@pytest.mark.parametrize("name", sorted(ROW.keys() - {"device"}))
def test_whatever_decides_the_result_makes_another_series(name: str) -> None:
    assert series_id(ROW | {name: "other"}) != series_id(ROW)


def test_the_setup_of_a_cpu_makes_another_series() -> None:
    row = ROW | {"device_kind": "cpu-async", "device": "cpu-async"}

    assert series_id(row | {"device": "cpu-async:256"}) != series_id(row)


def test_samples_are_of_the_series_of_their_case(warehouse: Warehouse) -> None:
    commit(warehouse, 1, RunStatus.COMPLETE)

    assert warehouse.query(
        "select count(distinct series_id), count(*) from samples inner join cases using (run_id, case_id, series_id)"
    ).rows == ((2, 8),)


@pytest.fixture
def old(warehouse: Warehouse) -> Warehouse:
    """A partial run stored before series were, and what its cases' series were."""
    commit(warehouse, 1, RunStatus.PARTIAL)
    for table in (CASES, SAMPLES):
        without_series(Layout(warehouse.root), table)
    publish(Layout(warehouse.root))
    return warehouse


def test_cases_stored_before_series_were_are_of_the_same_series(old: Warehouse) -> None:
    commit(old, 2, RunStatus.COMPLETE)

    assert old.query("select count(distinct series_id), count(series_id) from all_runs.cases").rows == ((2, 4),)


def test_a_run_stored_before_series_were_can_be_resumed(old: Warehouse) -> None:
    resumed = old.resume(run_id(1))
    resumed.add(made.measured(made.case(4)))
    resumed.commit(RunStatus.COMPLETE)

    assert old.query("select epoch_count, count(series_id), count(*) from samples group by all order by all").rows == (
        (4, 4, 4),
        (8, 0, 4),
    )


def run_id(number: int) -> str:
    return f"2026010{number}T000000Z-00000{number}"


def commit(warehouse: Warehouse, number: int, status: RunStatus) -> None:
    writer = warehouse.begin(made.run(run_id(number)))
    for epoch_count in (4, 8):
        writer.add(made.measured(made.case(epoch_count)))
    writer.commit(status)


def without_series(layout: Layout, of: TableSchema) -> None:
    """Exchange the table's file for one of schema version 1."""
    log = TableLog(layout, of)
    (file,) = log.files()
    rows = pq.ParquetFile(Path(log.url(file))).read().drop_columns(["series_id"])
    before = TableLog(layout, replace(of, schema=rows.schema))
    log.commit([before.write(rows, month=file.month, stem=run_id(1))], [file])
