"""`cliffwatch diagnose`, from what is typed to what is printed."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import made
import pytest

from bench_core.model.run import RunStatus
from bench_core.tables.quantity import word_set
from flows import cli
from flows.commands.diagnose import OPTIONS
from warehouse.store import Warehouse

# The question's eight readings.
QUESTION = """epochs,seconds
100,1.5078604221343994
200,1.7602765560150146
500,1.8624935150146484
1000,2.4284496307373047
1100,16.165714502334595
1200,36.606016635894775
1500,99.1864378452301
2000,202.15187120437622
"""
RUN_ID = "20260101T000000Z-000001"
WORK = ("--shape", "60000x784x51200", "--gpu", "RTX A4000")
KEYS = word_set(
    "verdict also confidence knee_epoch_count knee_interval queue_capacity queue_capacity_interval enqueue_s_per_epoch"
    " steady_s_per_epoch intercept_s flop_per_s peak_fraction ran_as evidence next_step message"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(QUESTION)
    return path


def run(*arguments: str | Path) -> None:
    cli.main(["diagnose", *map(str, arguments)])


def found(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    run(*arguments, "--json")
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    with pytest.raises(SystemExit) as exit_:
        run(*arguments)
    printed = capsys.readouterr()
    assert (exit_.value.code, printed.out) == (2, "")
    assert "Traceback" not in printed.err
    return printed.err


def test_the_question_is_answered(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys, table, *WORK)

    assert set(answer) >= KEYS
    assert answer["verdict"] == "queue_saturation"
    # Two straight lines cross at 1,034; Q = K (1 - d/s) with 0.94 ms and 206.8 ms: 1,029, the launch queue of 1,024
    # and what is executing.
    assert answer["knee_epoch_count"] == pytest.approx(1034, rel=0.01)
    assert answer["queue_capacity"] == pytest.approx(1029, rel=0.01)
    low, high = answer["queue_capacity_interval"]
    assert low <= 1024 <= high
    # 4.817e12 FLOP / 0.2068 s, above the fp32 peak of 19.2 and below the tf32 peak of 38.3 TFLOP/s
    assert answer["steady_s_per_epoch"] == pytest.approx(0.2068, rel=0.01)
    assert answer["flop_per_s"] == pytest.approx(23.3e12, rel=0.01)
    assert answer["ran_as"] == "tf32"


def test_the_text_begins_with_plain_words_and_has_the_evidence(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(table, *WORK, "--lang", "en")
    printed = capsys.readouterr().out

    assert printed.startswith("The clock was read before the device had finished")
    assert "Evidence" in printed
    assert "queue_saturation" in printed


def test_the_message_is_chinese_by_option_and_by_locale(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert found(capsys, table)["message"].startswith("设备还没算完就读了时钟")
    assert found(capsys, table, "--lang", "en")["message"].startswith("The clock was read")
    monkeypatch.setenv("LC_ALL", "C")
    assert found(capsys, table, "--lang", "zh")["message"].startswith("设备还没算完就读了时钟")


def test_a_table_is_read_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(QUESTION.encode())))

    assert found(capsys, "-")["verdict"] == "queue_saturation"


def test_what_was_assumed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare.txt").write_text("\n".join(f"{index} 0.0{index % 3 + 2}" for index in range(1, 20)))

    run(tmp_path / "bare.txt", "--lang", "en")

    printed = capsys.readouterr().out
    assert "times are taken for seconds" in printed
    assert "each row is taken for one call" in printed


@pytest.mark.parametrize("name", ["out.svg", "out.png"])
def test_a_picture_is_drawn_beside_the_answer(name: str, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(table, "--plot", table.parent / name)

    assert (table.parent / name).stat().st_size > 1000
    assert capsys.readouterr().out


def test_every_problem_of_the_options_is_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(
        capsys,
        "missing.csv",
        *("--x", "depth", "--shape", "5x5", "--flop-per-epoch", "-1", "--bytes-per-epoch", "many", "--gpu", "H100"),
        *("--precision", "int8", "--synchronized", "maybe", "--plot", "out.gif", "--lang", "fr"),
    )

    for part in (
        "FILE: there is no file missing.csv",
        "--x: need epochs, index, size, got 'depth'",
        "--shape: need ROWSxINNERxUNITS such as 60000x784x51200, got '5x5'",
        "--flop-per-epoch: need a number above 0 in FLOP, got '-1'",
        "--bytes-per-epoch: need a number above 0 in bytes, got 'many'",
        "--gpu: 'H100' is no card of the table; did you mean NVIDIA H100 PCIe, or NVIDIA H100 SXM? Else",
        "--precision: need fp32, tf32, fp16, bf16, got 'int8'",
        "--synchronized: need yes, no, unknown, got 'maybe'",
        "--plot: need a name that ends in .svg or .png, got 'out.gif'",
        "--lang: need en, zh, got 'fr'",
    ):
        assert part in message


def test_the_work_is_stated_once(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, table, "--shape", "60000x784x51200", "--flop-per-epoch", "4.8e12")

    assert "--shape: the shape already says the FLOP of an epoch" in message


def test_an_unknown_card_is_no_problem_beside_its_peak(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = found(capsys, table, *WORK[:2], "--gpu", "Unheard Of 9", "--peak", "38.3 TFLOP/s", "--precision", "tf32")

    # 23.3 of 38.3 TFLOP/s
    assert answer["peak_fraction"] == pytest.approx(0.608, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "got neither"),
        (("-", "--run", "r1"), "got both"),
        ((".",), ". is a folder"),
        (("table.csv", "--plot", "nowhere/out.svg"), "nowhere is no folder that can be written"),
        (("table.csv", "--plot", "folder.svg"), "folder.svg is a folder"),
        (("--run", "r1", "--warehouse", "nowhere"), "nowhere is no warehouse"),
        (("empty.csv",), "the table is empty"),
        (("table.csv", "--warehouse", "."), "--warehouse: needs --run RUN_ID"),
        (("--run", "r1", "--gpu", "A4000"), "--gpu: is said by the run itself"),
    ],
)
def test_a_request_that_cannot_be_served_says_why(
    arguments: tuple[str, ...],
    problem: str,
    table: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(table.parent)
    (table.parent / "folder.svg").mkdir()
    (table.parent / "empty.csv").touch()

    assert problem in refused(capsys, *arguments)


def test_help_lists_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        run("--help")

    printed = capsys.readouterr().out
    assert exit_.value.code == 0
    for option in (*OPTIONS, "json"):
        assert f"--{option}" in printed


def test_an_option_that_does_not_exist_is_refused(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--colour" in refused(capsys, table, "--colour", "blue")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A run of two curves, to read only: the control at three counts and one mitigation."""
    store = Warehouse.open(tmp_path_factory.mktemp("diagnosed") / "warehouse")
    writer = store.begin(made.run(RUN_ID))
    for epoch_count in (4, 8, 16):
        writer.add(made.measured(made.case(epoch_count)))
    writer.add(made.measured(made.case(4, "graph_loop")))
    writer.commit(RunStatus.COMPLETE)
    return store


def test_every_curve_of_a_stored_run_is_diagnosed_again(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = found(capsys, "--run", RUN_ID, "--warehouse", warehouse.root)

    assert answer["run_id"] == RUN_ID
    assert len(answer["curves"]) == 2
    for curve in answer["curves"]:
        assert set(curve) >= {*KEYS, "curve"}


def test_the_curves_of_a_stored_run_are_told_apart_and_drawn(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run("--run", RUN_ID, "--warehouse", warehouse.root, "--plot", tmp_path / "run.svg")

    printed = capsys.readouterr().out
    for title in ("none, fp32, 8x8x8", "graph_loop, fp32, 8x8x8"):
        assert title in printed
        assert title in (tmp_path / "run.svg").read_text()


def test_a_run_that_is_not_there_is_said_to_be_missing(
    warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no run other" in refused(capsys, "--run", "other", "--warehouse", warehouse.root)
