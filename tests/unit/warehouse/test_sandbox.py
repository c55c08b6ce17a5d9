from collections.abc import Iterator
from pathlib import Path

import made
import pytest

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.layout import Layout
from warehouse.parts import file_sha256
from warehouse.query import Limits, query
from warehouse.store import Warehouse


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    warehouse = Warehouse.open(tmp_path_factory.mktemp("sandbox") / "warehouse")
    writer = warehouse.begin(made.run())
    writer.add(made.measured())
    writer.commit(RunStatus.COMPLETE)
    return warehouse


@pytest.fixture
def unchanged(filled: Warehouse) -> Iterator[Path]:
    """The warehouse folder; no file in it may be another after the test."""
    before = hashes(filled.root)
    yield filled.root
    assert hashes(filled.root) == before


def hashes(root: Path) -> dict[str, str]:
    return {str(path): file_sha256(path) for path in root.rglob("*") if path.is_file()}


OUTSIDE = "/tmp/cliffwatch-must-not-appear"

WRITES = [
    "insert into raw_runs select * from raw_runs",
    "create table t as select 1",
    "create temp view v as select 1",
    "drop view runs",
    "update raw_runs set status = 'complete'",
    "delete from raw_runs",
    f"copy (select 1 as a) to '{OUTSIDE}'",
    f"copy (select 1 as a) to '{OUTSIDE}' (format parquet)",
    "copy (select 1 as a) to '{inside}'",
    "copy (select 1 as a) to '{committed}' (format parquet)",
    f"attach '{OUTSIDE}' as other",
    "attach '{inside}' as other",
    f"export database '{OUTSIDE}'",
    "export database '{inside}'",
    "checkpoint",
    "with x as (select 1 as a) insert into raw_runs (run_id) select a from x",
]
SETTINGS = [
    "set threads = 1",
    "set lock_configuration = false",
    "reset memory_limit",
    "pragma threads = 1",
    "pragma database_list",
    "install httpfs",
    "load httpfs",
    "call pragma_version()",
    "use memory",
]


@pytest.mark.parametrize("prefix", ["", "explain ", "explain analyze ", "/* a */ explain analyze -- b\n "])
@pytest.mark.parametrize("sql", [*WRITES, *SETTINGS])
def test_whatever_could_change_something_is_refused_in_one_line(unchanged: Path, sql: str, prefix: str) -> None:
    committed = next((unchanged / "tables" / "samples").rglob("*.parquet"))
    sql = sql.format(inside=unchanged / "new", committed=committed)

    with pytest.raises(WarehouseError) as refusal:
        query(Layout(unchanged), prefix + sql)

    assert len(str(refusal.value).splitlines()) == 1
    assert not Path(OUTSIDE).exists()
    assert not (unchanged / "new").exists()


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/passwd')",
        "from '/etc/passwd'",
        "select * from glob('/etc/*')",
        "select * from read_parquet('{root}/tables/samples/*/*.parquet')",
        "select * from read_text('{root}/format.json')",
        "explain analyze select * from read_csv('/etc/passwd')",
    ],
)
def test_no_file_but_the_catalogs_can_be_read(unchanged: Path, sql: str) -> None:
    with pytest.raises(WarehouseError) as refusal:
        query(Layout(unchanged), sql.format(root=unchanged))

    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("sql", ["select 1; select 2", "select 1; drop view runs", "", "-- nothing", ";"])
def test_anything_but_exactly_one_statement_is_refused(unchanged: Path, sql: str) -> None:
    with pytest.raises(WarehouseError, match="need exactly one SELECT"):
        query(Layout(unchanged), sql)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select 1 as a;", ((1,),)),
        ("-- how many?\nselect count(*) from samples", ((4,),)),
        ("from runs select run_id", (("20260101T000000Z-000001",),)),
        ("with x as (select 1 as a) select a from x", ((1,),)),
        ("(select 1 as a) union all (select 2) order by a", ((1,), (2,))),
        ("select sum(9223372036854775807) from samples", ((4 * (2**63 - 1),),)),
        ("pivot samples on is_warmup using count(*) group by case_id", ((made.case().case_id, 3, 1),)),
    ],
)
def test_every_form_of_one_question_is_answered(unchanged: Path, sql: str, rows: tuple[object, ...]) -> None:
    assert query(Layout(unchanged), sql).rows == rows


@pytest.mark.parametrize("explain", ["explain", "explain analyze", "explain (analyze, format json)", "EXPLAIN -- a\n"])
def test_a_question_can_be_explained(unchanged: Path, explain: str) -> None:
    assert query(Layout(unchanged), f"{explain} select * from scaling_curve").rows


@pytest.mark.slow
def test_a_query_that_takes_too_long_is_ended(unchanged: Path) -> None:
    endless = "select count(*) from range(10000000000) a, range(10000000000) b where a.range + b.range = 7"

    with pytest.raises(WarehouseError, match="took longer than 2 s and was ended"):
        query(Layout(unchanged), endless, Limits(timeout_s=2.0))


def test_a_query_beyond_its_memory_spills_and_answers(unchanged: Path) -> None:
    big = "select max(n) from (select hash(range) as n from range(3000000) order by n limit 2999999)"

    assert query(Layout(unchanged), big, Limits(memory_bytes=60 * 2**20)).rows[0][0] > 2**63
