import shutil
from pathlib import Path

import made
import pytest

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.layout import Layout
from warehouse.migrate import migrate
from warehouse.store import Warehouse

# Written by the first version of the storage: a complete, a partial and a killed run of 2, 2 and 1 measured cases.
FORMAT_1 = Path(__file__).parents[2] / "fixtures" / "warehouse_format_1"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FORMAT_1, tmp_path / "old"))


def test_a_warehouse_of_the_first_format_names_the_command_that_carries_it_over(old: Path) -> None:
    with pytest.raises(WarehouseError, match=r"has format 1.*cliffwatch warehouse migrate"):
        Warehouse.open(old)


def test_a_migrated_warehouse_has_every_run_sample_trace_and_finding(old: Path) -> None:
    migrate(Layout(old))

    warehouse = Warehouse.open(old)

    runs = warehouse.query("select run_id, status from all_runs.runs order by run_id").rows
    assert runs == (
        ("20260101T000000Z-000001", "complete"),
        ("20260102T000000Z-000002", "partial"),
        ("20260103T000000Z-000003", "adopted"),
    )
    # 4 samples a measured case; a trace of 4 or 8 calls each.
    assert warehouse.query("select count(*) from all_runs.samples").rows == ((5 * 4,),)
    assert warehouse.query("select count(*) from all_runs.launches").rows == (((2 * (4 + 8) + 4) * 4,),)
    assert warehouse.query("select count(*) from all_runs.findings where verdict = 'linear'").rows == ((2,),)
    assert warehouse.run("20260101T000000Z-000001") == (made.run("20260101T000000Z-000001"), RunStatus.COMPLETE)


def test_case_ids_survive_the_migration(old: Path) -> None:
    migrate(Layout(old))

    case_ids = Warehouse.open(old).query("select distinct case_id from all_runs.cases where epoch_count = 4").rows

    assert case_ids == ((made.case(4).case_id,),)


def test_an_interrupted_migration_goes_on_without_doubling_anything(old: Path) -> None:
    migrate(Layout(old))
    (old / "format.json").write_text('{"format": 1}')

    migrate(Layout(old))

    warehouse = Warehouse.open(old)
    assert warehouse.query("select count(*) from all_runs.samples").rows == ((20,),)
    assert warehouse.query("select count(*) from all_runs.stg_findings").rows == ((2,),)
