"""`cliffwatch warehouse` and `cliffwatch schema` as a person runs them, in this process."""

import json
from pathlib import Path

import made
import pytest
from deltalake import DeltaTable
from typer.testing import CliRunner, Result

from bench_core.model.errors import SpecError, WarehouseError
from bench_core.model.run import RunStatus
from flows.commands.schema import schema
from flows.commands.warehouse import app
from warehouse.store import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse.open(tmp_path / "warehouse")
    for number in (1, 2):
        writer = warehouse.begin(made.run(f"2026010{number}T000000Z-00000{number}"))
        writer.add(made.measured())
        writer.commit(RunStatus.COMPLETE)
    return warehouse


def run(warehouse: Warehouse, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--warehouse", str(warehouse.root)])


def test_verify_says_sound_or_names_what_is_not_and_exits_1(warehouse: Warehouse) -> None:
    assert (run(warehouse, "verify").exit_code, run(warehouse, "verify").output) == (0, "sound\n")
    next((warehouse.root / "tables" / "samples").rglob("*.parquet")).write_bytes(b"")

    damaged = run(warehouse, "verify")

    assert damaged.exit_code == 1
    assert "has 0 bytes" in damaged.output
    assert "verify --repair" in damaged.output
    assert run(warehouse, "verify", "--repair").exit_code == 1
    assert run(warehouse, "verify").exit_code == 0


def test_verify_names_a_torn_entry_of_a_log_and_repair_mends_it(warehouse: Warehouse) -> None:
    entry = max((warehouse.root / "tables" / "runs" / "_delta_log").glob("*.json"))
    entry.write_bytes(entry.read_bytes()[:-40])

    named = run(warehouse, "verify")

    assert named.exit_code == 1
    assert named.output.splitlines() == [
        f"tables/runs/_delta_log/{entry.name}: is no whole entry of the log: torn or changed",
        "1 problems; `cliffwatch warehouse verify --repair` sets what is damaged aside",
    ]
    assert run(warehouse, "verify", "--repair").exit_code == 1
    assert (run(warehouse, "verify").exit_code, run(warehouse, "verify").output) == (0, "sound\n")
    assert len(warehouse.run_ids()) == 2


def test_verify_takes_in_what_a_killed_run_left(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run("20260103T000000Z-000003"))
    writer.add(made.measured())
    writer.close()

    assert run(warehouse, "verify").output == "adopted 20260103T000000Z-000003\nsound\n"


def test_compact_says_what_became_of_each_table(warehouse: Warehouse) -> None:
    assert "samples: 2 files, now 1" in run(warehouse, "compact").output.splitlines()
    assert isinstance(run(warehouse, "compact", "--trace-weeks", "0").exception, SpecError)


def test_export_needs_one_destination(warehouse: Warehouse, tmp_path: Path) -> None:
    assert isinstance(run(warehouse, "export").exception, SpecError)

    done = run(warehouse, "export", "--to", str(tmp_path / "out"), "--format", "csv", "--views", "runs,knees")

    assert done.output.splitlines() == [str(tmp_path / "out" / "runs.csv"), str(tmp_path / "out" / "knees.csv")]


def test_import_names_the_new_run(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "theirs.csv").write_text("epochs,seconds\n100,0.5\n")

    run_id = run(warehouse, "import", str(tmp_path / "theirs.csv"), "--device", "A4000").output.strip()

    assert run_id in warehouse.run_ids()
    assert warehouse.run(run_id)[0].device.device_name == "A4000"


def test_rebuild_catalog_mends_a_warehouse_that_was_moved(warehouse: Warehouse, tmp_path: Path) -> None:
    moved = Warehouse.read(warehouse.root.rename(tmp_path / "moved"))
    with pytest.raises(WarehouseError, match="rebuild-catalog"):
        moved.run_ids()

    assert run(moved, "rebuild-catalog").exit_code == 0
    assert len(moved.run_ids()) == 2


@pytest.mark.parametrize("command", ["verify", "compact", "rebuild-catalog"])
def test_a_folder_that_is_no_warehouse_is_left_alone(tmp_path: Path, command: str) -> None:
    refused = CliRunner().invoke(app, [command, "--warehouse", str(tmp_path)])

    assert isinstance(refused.exception, WarehouseError)
    assert list(tmp_path.iterdir()) == []


def test_schema_lists_columns_with_units_as_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    schema("knees")
    assert "queue_capacity" in capsys.readouterr().out

    schema("knees", as_json=True)
    described = json.loads(capsys.readouterr().out)["knees"]
    assert {"name": "steady_s_per_epoch", "meaning": "device cost of one more epoch, fitted", "unit": "s"} in described[
        "columns"
    ]

    with pytest.raises(SpecError, match="no view nonsense; there are runs, cases"):
        schema("nonsense")


def test_any_reader_of_delta_tables_sees_the_same_rows(warehouse: Warehouse) -> None:
    for table in ("samples", "launches", "telemetry", "cases", "findings", "runs"):
        rows = DeltaTable(warehouse.root / "tables" / table).to_pyarrow_table()

        assert ((rows.num_rows,),) == warehouse.query(f"select count(*) from all_runs.raw_{table}").rows
