"""Every command of docs/operations.md, run on a server and folders of its own, and what its table says goes wrong."""

import re
import shutil
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import duckdb
import example_warehouse
import pytest
from operations import BACKUP_DAY, DOCUMENT, Shell, printed_texts, shell_blocks, troubles, without_installing
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.states import Completed, Late, Running

from bench_core.model.errors import UserError, WarehouseError
from bench_core.model.result import Outcome
from bench_core.model.run import RunStatus
from flows.commands.serve import serve
from flows.prefect_session import PrefectSession, settings_of
from flows.report import load_finished
from flows.setup import WAREHOUSE_VARIABLE
from warehouse import commit, findings
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.locks import try_hold
from warehouse.publish import publish
from warehouse.schema import LAUNCHES
from warehouse.store import Warehouse
from warehouse.table_log import TableLog
from warehouse.views import MARTS

BLOCKS = shell_blocks()
BEGIN = "From nothing to weekly runs"
BACKUP = "Backup and restore"
GONE_WITHIN_S = 60.0

DUCKDB_SAYS = "No files found that match the pattern"

# Weeks between the commit of each run of the example and now, in the order it is built: four of atlas, three of birch.
# Traces go by whole months: 52 weeks ago is in the month of the limit, and 57 weeks ago at least 35 days before that.
AGES_WEEKS = (57, 52, 0, 0, 57, 52, 0)
# A number for everything a view holds: equal rows in any order give the same.
EVERYTHING = " union all ".join(
    f"select '{view}' as view, count(*) as row_count, coalesce(sum(hash({view})), 0) as content from all_runs.{view}"
    for view in MARTS
)


def test_every_shell_block_is_one_that_a_test_here_runs() -> None:
    assert {heading: len(blocks) for heading, blocks in BLOCKS.items()} == {
        "One machine, one command": 1,  # tests/conftest.py serves it to the tests of the deployments
        BEGIN: 1,
        "Upgrades": 1,
        BACKUP: 5,
        "Retention": 2,
    }
    assert BLOCKS["One machine, one command"] == ["cliffwatch serve\n"]


@pytest.fixture
def shell(tmp_path: Path, free_port: int) -> Iterator[Shell]:
    shell = Shell(tmp_path, free_port).make()
    yield shell
    shell.run("kill $(cat ~/prefect-server.pid) || true")


@pytest.mark.prefect
@pytest.mark.tensorflow
def test_the_ten_commands_lead_to_a_measured_run_and_upgrade_retention_and_restore_keep_what_they_say(
    shell: Shell,
) -> None:
    worker_log = shell.folder / "worker.log"
    said = shell.run(ten_commands_with_a_small_run(worker_log))

    assert "Created flow run" in said
    for made in ("work pool cliffwatch", "work queue cpu", "preset/weekly", "adhoc/adhoc"):
        assert made in said
    assert statuses(shell.warehouse) == ["complete"], worker_log.read_text()

    url = f"http://127.0.0.1:{shell.port}/api"
    with settings_of(url), get_client(sync_client=True) as api:
        (measured,) = finished_flow_runs(api)
        adhoc = api.read_deployment_by_name("adhoc/adhoc")
        kept = api.create_flow_run_from_deployment(adhoc.id, state=Completed()).id
        shell.run(BLOCKS[BACKUP][3])
        end_two_years_ago(shell.home / ".prefect" / "prefect.db", measured)

        shell.run(BLOCKS["Retention"][1])
        shell.run(without_installing(BLOCKS["Upgrades"][0]))

        wait_for(lambda: measured not in finished_flow_runs(api))
        assert finished_flow_runs(api) == {kept}
        assert not api.read_artifacts()
        assert api.read_variable_by_name(WAREHOUSE_VARIABLE).value == str(shell.warehouse)
        assert api.read_deployment_by_name("preset/weekly").schedules[0].active

        shell.run(BLOCKS[BACKUP][4])

        PrefectSession(url, None).wait_until_ready(timeout_s=GONE_WITHIN_S)
        assert finished_flow_runs(api) == {measured, kept}
        assert "adhoc-finding" in {artifact.key for artifact in api.read_artifacts()}
    assert statuses(shell.warehouse) == ["complete"]


def ten_commands_with_a_small_run(worker_log: Path) -> str:
    commands = BLOCKS[BEGIN][0].splitlines()
    assert len(commands) == 10
    commands = [line.partition("  #")[0].strip() for line in without_installing("\n".join(commands)).splitlines()]
    *script, worker, start = commands
    small = """ -p 'place={"device": "cpu-async:64", "shape": "64x784x128"}' -p 'effort={"budget_s": 5}'"""
    # The worker blocks: here it looks for work once, after the run has been started.
    return "\n".join([*script, start + small, f"{worker} --run-once > {worker_log} 2>&1"])


def statuses(folder: Path) -> list[str]:
    return [row[0] for row in Warehouse.read(folder).query("select status from all_runs.runs").rows]


def end_two_years_ago(database: Path, flow_run_id: Any) -> None:
    """The server has no way to end a flow run in the past."""
    with closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(
            "update flow_run set end_time = datetime(end_time, '-2 years') where id = ?", [str(flow_run_id)]
        )
        assert changed.rowcount == 1


def finished_flow_runs(api: SyncPrefectClient) -> set[Any]:
    return {flow_run.id for flow_run in api.read_flow_runs() if flow_run.state and flow_run.state.is_final()}


def wait_for(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GONE_WITHIN_S
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example warehouse, its runs and their findings committed AGES_WEEKS ago."""
    folder: Path = tmp_path_factory.mktemp("example") / "warehouse"
    with pytest.MonkeyPatch.context() as patch:
        for module in (commit, findings):
            patch.setattr(module, "datetime", clock_of_commits())
        example_warehouse.build(folder)
    return folder


def clock_of_commits() -> type[datetime]:
    """A clock that is asked once a run, in the order they are built."""
    ages = iter(AGES_WEEKS)

    class Then(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) - timedelta(weeks=next(ages))

    return Then


@pytest.fixture
def records(example: Path, tmp_path: Path) -> Shell:
    """A shell whose warehouse is the example's; no server."""
    shell = Shell(tmp_path, 0).make()
    shutil.copytree(example, shell.warehouse)
    publish(Layout(shell.warehouse))
    return shell


def everything(shell: Shell, folder: str) -> str:
    """What `cliffwatch sql` says of everything in a warehouse."""
    return shell.run(f'cliffwatch sql --format csv --warehouse {folder} "{EVERYTHING}"')


def test_a_backup_restored_elsewhere_gives_every_answer_the_warehouse_gave(records: Shell) -> None:
    before = everything(records, "/srv/cliffwatch")
    backup = records.folder / "backup" / BACKUP_DAY / "warehouse"

    assert records.run(BLOCKS[BACKUP][0]) == "sound\n"
    assert everything(records, f"/backup/{BACKUP_DAY}/warehouse") == before
    records.run(BLOCKS[BACKUP][1])
    shutil.rmtree(records.warehouse / "tables" / "samples" / "_delta_log")
    restored = records.run(BLOCKS[BACKUP][2])

    # What is read is neither the copy nor what was moved away.
    backup.rename(records.folder / "elsewhere")
    shutil.rmtree(records.warehouse.with_name("cliffwatch-damaged"))
    assert "sound" in restored.splitlines()
    assert len(re.findall(r"complete|partial", restored)) == len(AGES_WEEKS)
    assert everything(records, "/srv/cliffwatch") == before
    with closing(duckdb.connect(records.folder / "backup" / "snapshot.duckdb", read_only=True)) as snapshot:
        rows = snapshot.execute(EVERYTHING).fetchall()
    assert [",".join(map(str, row)) for row in rows] == before.splitlines()[1:]


def test_retention_drops_old_traces_and_nothing_that_was_found_in_them(records: Shell) -> None:
    layout = Layout(records.warehouse)
    before = rows_of_every_view(layout)
    runs = [run_id for _, run_id in sorted((row["host"], row["run_id"]) for row in before["runs"])]
    young = {run_id for run_id, age_weeks in zip(runs, AGES_WEEKS, strict=True) if age_weeks < 57}

    records.run(BLOCKS["Retention"][0])

    after = rows_of_every_view(layout)
    assert {row["run_id"] for row in before.pop("launches")} == set(runs)
    assert {row["run_id"] for row in after.pop("launches")} == young
    assert after == before
    old = next(run_id for run_id in runs if run_id not in young)
    with pytest.raises(WarehouseError, match="is older than traces are kept; what was found in them stays"):
        load_finished(Warehouse.read(records.warehouse), old)
    assert rows_of_every_view(layout)["findings"] == before["findings"]
    assert records.run("cliffwatch warehouse verify --warehouse /srv/cliffwatch") == "sound\n"

    let_a_week_pass(layout)
    records.run(BLOCKS["Retention"][0])

    live = {file.path for file in TableLog(layout, LAUNCHES).files()}
    folder = layout.table(LAUNCHES.name)
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.parquet")} == live


def rows_of_every_view(layout: Layout) -> dict[str, list[dict[str, Any]]]:
    with connect(layout) as connection:
        found = {view: connection.sql(f"from all_runs.{view}").to_arrow_table().to_pylist() for view in MARTS}
    return {view: sorted(rows, key=str) for view, rows in found.items()}


def let_a_week_pass(layout: Layout) -> None:
    """Since files were removed from the tables: the log says when."""
    week_ms = 8 * 24 * 3600 * 1000
    for log in layout.tables.glob("*/_delta_log/*.json"):
        text = re.sub(r'(?<="deletionTimestamp":)\d+', lambda found: str(int(found[0]) - week_ms), log.read_text())
        log.write_text(text)


def test_what_duckdb_says_of_a_moved_warehouse_is_in_the_documents_with_what_to_do(records: Shell) -> None:
    def knees() -> list[Any]:
        with closing(duckdb.connect(moved / "warehouse.duckdb", read_only=True)) as connection:
            return connection.execute("from knees").fetchall()

    moved = records.warehouse.rename(records.folder / "srv" / "moved")
    with pytest.raises(duckdb.IOException, match=DUCKDB_SAYS):
        knees()
    for document in ("operations.md", "sql.md", "warehouse.md"):
        text = DOCUMENT.with_name(document).read_text()
        assert DUCKDB_SAYS in text
        assert "cliffwatch warehouse rebuild-catalog" in text

    records.run("cliffwatch warehouse rebuild-catalog --warehouse /srv/moved")

    assert len(knees()) == 6  # of the seven runs one is partial


def test_every_message_the_table_quotes_is_one_the_program_says() -> None:
    said = printed_texts()
    quotes = [quote for trouble in troubles() for quote in trouble.quotes if quote != DUCKDB_SAYS]
    assert len(quotes) > 15

    # What comes first or last may be put around the sentence elsewhere.
    patterns = {quote: ".*".join(map(re.escape, quote.strip(". ").split("..."))) for quote in quotes}

    assert [quote for quote, pattern in patterns.items() if not any(re.search(pattern, text) for text in said)] == []


def test_every_state_the_table_names_is_one_that_is_shown() -> None:
    states = {*Outcome, *RunStatus, Late().name, Running().name}
    commands = {"verify"}

    assert {name for trouble in troubles() for name in trouble.names} - commands <= states


def test_serve_leaves_a_server_alone_that_has_its_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as another, pytest.raises(UserError, match="cannot be used: Address"):
        serve(port=another.getsockname()[1], home=tmp_path / "home")

    assert not (tmp_path / "home").exists()


def test_serve_leaves_a_server_alone_that_has_its_folder(tmp_path: Path, free_port: int) -> None:
    assert try_hold(tmp_path / "serve.lock")

    with pytest.raises(UserError, match="is in use: `cliffwatch serve` is running already"):
        serve(port=free_port, home=tmp_path)
