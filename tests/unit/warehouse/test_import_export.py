import json
from pathlib import Path

import duckdb
import made
import pytest
from asked import rows

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.export import FileFormat, export
from warehouse.import_results import import_results
from warehouse.layout import Layout
from warehouse.results_table import read_results
from warehouse.snapshot import write_snapshot
from warehouse.store import Warehouse
from warehouse.views import MARTS


def commit_run(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured())
    writer.commit(RunStatus.COMPLETE)


def table(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "epochs,time_s\n100,0.5\n200,1.0\n"),
        ("a.csv", "\ufeffEpochs;Time (s)\n100;0.5\n200;1.0\n"),
        ("a.json", '[{"epochs": 100, "seconds": 0.5}, {"epochs": 200, "seconds": 1}]'),
        ("a.json", '{"n": [100, 200], "elapsed": [0.5, 1.0]}'),
        (
            "a.json",
            '{"gpu": "A4000", "results": [{"iterations": 100, "time": 0.5}, {"iterations": 200, "time": "1.0"}]}',
        ),
    ],
)
def test_a_table_of_epochs_and_times_is_read_in_every_usual_shape(tmp_path: Path, name: str, text: str) -> None:
    samples = read_results(table(tmp_path, name, text))

    assert [(sample.epoch_count, sample.enqueue_time_ns) for sample in samples] == [(100, 5 * 10**8), (200, 10**9)]
    # Nobody said that the stopwatch waited.
    assert [sample.drain_time_ns for sample in samples] == [None, None]


@pytest.mark.parametrize(
    ("header", "row", "times_ns"),
    [
        ("epochs,enqueue_time_s,drain_time_s", "4,1,2", (10**9, 2 * 10**9)),
        ("epochs,enqueue_time_s,wall_time_s", "4,1,3", (10**9, 2 * 10**9)),
        ("epochs,wall_time_s", "4,3", (3 * 10**9, 0)),
    ],
)
def test_a_time_that_waited_has_a_drain(tmp_path: Path, header: str, row: str, times_ns: tuple[int, int]) -> None:
    (sample,) = read_results(table(tmp_path, "a.csv", f"{header}\n{row}\n"))

    assert (sample.enqueue_time_ns, sample.drain_time_ns) == times_ns


def test_a_bad_table_is_refused_with_every_row_that_is_wrong(tmp_path: Path) -> None:
    path = table(tmp_path, "a.csv", "epochs,time_s\n0,1\n100,nan\n100,1\n1e99,1\n,1\n100,\n")

    with pytest.raises(WarehouseError) as refusal:
        read_results(path)

    lines = str(refusal.value).splitlines()
    assert [line.split("row ")[1].split(":")[0] for line in lines] == ["1", "2", "4", "5", "6"]


@pytest.mark.parametrize("text", ["", "a,b\n", "[1, 2]", "{", "null"])
@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(WarehouseError):
        read_results(table(tmp_path, name, text))


def test_imported_results_are_a_run_with_a_curve_and_no_invented_wall_time(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    path = table(tmp_path, "a.csv", "epochs,time_s,shape\n100,0.5,8x8x8\n200,1.0,8x8x8\n200,3.0,8x8x8\n")

    run_id = import_results(Layout(warehouse.root), path, device_name="NVIDIA RTX A4000", host="theirs")

    (curve,) = warehouse.curves(run_id)
    assert [(sample.epoch_count, sample.wall_time_s) for sample in curve.samples] == [
        (100, None),
        (200, None),
        (200, None),
    ]
    assert curve.work.flop_per_epoch == 2 * 8**3
    # The median of 1 s and 3 s.
    assert rows(warehouse, "select enqueue_time_s, wall_time_s from scaling_curve order by epoch_count") == (
        (0.5, None),
        (2.0, None),
    )


@pytest.mark.parametrize("file_format", FileFormat)
def test_every_view_is_exported_and_reads_back(warehouse: Warehouse, tmp_path: Path, file_format: FileFormat) -> None:
    commit_run(warehouse)

    paths = export(Layout(warehouse.root), tmp_path / "out", file_format)

    assert [path.name for path in paths] == [f"{view}.{file_format}" for view in MARTS]
    samples = tmp_path / "out" / f"samples.{file_format}"
    assert duckdb.sql(f"select count(*), sum(wall_time_s) from '{samples}'").fetchall() == [(4, pytest.approx(2e-5))]


def test_export_names_every_problem_and_writes_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("mine")

    with pytest.raises(WarehouseError) as refusal:
        export(Layout(warehouse.root), tmp_path, FileFormat.CSV, ("runs", "nonsense", "cases"))

    assert "nonsense: no such view" in str(refusal.value)
    assert f"{tmp_path / 'runs.csv'}: exists" in str(refusal.value)
    assert not (tmp_path / "cases.csv").exists()


def test_a_snapshot_answers_without_the_warehouse(warehouse: Warehouse, tmp_path: Path) -> None:
    commit_run(warehouse)
    asked = "select run_id, epoch_count, wall_time_s, settings from scaling_curve"
    expected = list(rows(warehouse, asked))

    write_snapshot(Layout(warehouse.root), tmp_path / "out.duckdb")
    warehouse.root.rename(tmp_path / "gone")

    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as connection:
        assert connection.execute(asked).fetchall() == expected
        columns = "duckdb_columns() where table_name = 'knees' and column_name = 'queue_capacity'"
        assert connection.execute(f"select distinct comment from {columns}").fetchall() == [
            ("epochs accepted and not finished when the queue is full [epochs]",)
        ]


def test_a_snapshot_never_replaces_a_file(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "mine.duckdb").write_text("mine")

    with pytest.raises(WarehouseError, match="exists"):
        write_snapshot(Layout(warehouse.root), tmp_path / "mine.duckdb")
    assert (tmp_path / "mine.duckdb").read_text() == "mine"


def test_json_answers_are_json(warehouse: Warehouse) -> None:
    from warehouse.present import present

    commit_run(warehouse)

    (row,) = json.loads(present(warehouse.query("select run_id, settings, started_at from scaling_curve"), "json"))

    assert row == {"run_id": "20260101T000000Z-000001", "settings": [], "started_at": "2026-01-01 00:00:00"}
