import shutil
from pathlib import Path

import made
import pytest
from asked import rows

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


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The same warehouse, carried over; to read only."""
    root = Path(shutil.copytree(FORMAT_1, tmp_path_factory.mktemp("migrated") / "warehouse"))
    migrate(Layout(root))
    return Warehouse.open(root)


def test_a_warehouse_of_the_first_format_names_the_command_that_carries_it_over(old: Path) -> None:
    with pytest.raises(WarehouseError, match=r"has format 1.*cliffwatch warehouse migrate"):
        Warehouse.open(old)


def test_a_migrated_warehouse_has_every_run_sample_trace_and_finding(migrated: Warehouse) -> None:
    runs = migrated.query("select run_id, status from all_runs.runs order by run_id").rows
    assert runs == (
        ("20260101T000000Z-000001", "complete"),
        ("20260102T000000Z-000002", "partial"),
        ("20260103T000000Z-000003", "adopted"),
    )
    # 4 samples a measured case; a trace of 4 or 8 calls each.
    assert rows(migrated, "select count(*) from all_runs.samples") == ((5 * 4,),)
    assert rows(migrated, "select count(*) from all_runs.launches") == (((2 * (4 + 8) + 4) * 4,),)
    assert rows(migrated, "select count(*) from all_runs.findings where verdict = 'linear'") == ((2,),)
    assert migrated.run("20260101T000000Z-000001") == (made.run("20260101T000000Z-000001"), RunStatus.COMPLETE)


def test_case_ids_survive_the_migration(migrated: Warehouse) -> None:
    case_ids = rows(migrated, "select distinct case_id from all_runs.cases where epoch_count = 4")

    assert case_ids == ((made.case(4).case_id,),)


def test_an_interrupted_migration_goes_on_without_doubling_anything(migrated: Warehouse, tmp_path: Path) -> None:
    old = Path(shutil.copytree(migrated.root, tmp_path / "old"))
    (old / "format.json").write_text('{"format": 1}')

    migrate(Layout(old))

    warehouse = Warehouse.open(old)
    assert rows(warehouse, "select count(*) from all_runs.samples") == ((20,),)
    assert rows(warehouse, "select count(*) from all_runs.stg_findings") == ((2,),)
