from pathlib import Path

import pytest

from bench_core.model.case import Precision
from bench_core.model.errors import SpecError
from bench_core.model.spec import Isolation
from flows.request import read_request, warehouse_folder


def test_options_replace_what_the_preset_says_and_leave_the_rest(tmp_path: Path) -> None:
    spec = read_request(None, "smoke", {"epochs": "30,10", "precisions": "fp32,bf16", "seed": "7"}, tmp_path)

    assert spec.epochs == (10, 30)
    assert spec.precisions == (Precision.FP32, Precision.BF16)
    assert spec.seed == 7
    assert spec.isolation is Isolation.CURVE  # as specs/smoke.toml says


def test_without_a_file_or_a_preset_the_sweep_is_quick(tmp_path: Path) -> None:
    assert read_request(None, None, {}, tmp_path).name == "quick"


def test_one_message_names_every_problem_of_file_options_and_warehouse(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text('epohcs = [1]\nprecisions = ["fp33"]\nhold = "tight"\n')
    options = {"epochs": "0,1e99", "shape": "99999999999x2x2", "budget_s": "soon", "isolation": "none", "device": "tpu"}

    with pytest.raises(SpecError) as refused:
        read_request(file, "quick", options, file / "warehouse")

    named = set(refused.value.problems)
    assert named == {
        "preset", "epohcs", "precisions", "hold",  # of the file
        "epochs", "shape", "budget_s", "isolation", "device",  # of the options
        "warehouse",
    }  # fmt: skip


def test_each_wrong_epoch_count_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as refused:
        read_request(None, None, {"epochs": "0,1e99,100"}, tmp_path)

    assert "got 0" in refused.value.problems["epochs"]
    assert "'1e99'" in refused.value.problems["epochs"]


def test_reading_a_request_writes_nothing(tmp_path: Path) -> None:
    read_request(None, "smoke", {}, tmp_path / "new")

    assert list(tmp_path.iterdir()) == []


def test_the_option_comes_before_the_variable_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLIFFWATCH_WAREHOUSE", raising=False)
    assert warehouse_folder(None) == Path("warehouse_data")
    monkeypatch.setenv("CLIFFWATCH_WAREHOUSE", "/elsewhere")
    assert warehouse_folder(None) == Path("/elsewhere")
    assert warehouse_folder(Path("here")) == Path("here")
