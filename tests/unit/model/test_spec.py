from pathlib import Path

import pytest

from bench_core.model.errors import SpecError
from bench_core.model.spec import build_spec, load_spec, preset, preset_names


@pytest.mark.parametrize("name", preset_names())
def test_every_shipped_sweep_is_valid_and_named_after_its_file(name: str) -> None:
    assert preset(name).name == name


def test_all_mistakes_are_named_at_once_with_what_is_allowed() -> None:
    with pytest.raises(SpecError) as caught:
        build_spec(
            {
                "epochs": [0, "1e99"],
                "shape": "9x",
                "mitigations": ["warp"],
                "device": "tpu",
                "bogus": 1,
                "precisions": ["fp8"],
                "sampling": {"min_samples": 9, "max_samples": 2},
            }
        )

    assert set(caught.value.problems) == {
        "epochs",
        "shape",
        "mitigations",
        "device",
        "bogus",
        "precisions",
        "sampling",
    }
    assert "greater than or equal to 1" in caught.value.problems["epochs"]
    assert "1e99" in caught.value.problems["epochs"]
    assert "'fp32', 'tf32', 'fp16' or 'bf16'" in caught.value.problems["precisions"]
    assert "graph_loop_kept" in caught.value.problems["mitigations"]
    assert "allowed are name, device" in caught.value.problems["bogus"]


def test_a_sweep_without_its_control_is_refused() -> None:
    with pytest.raises(SpecError, match='need "none": without the control nothing can be compared'):
        build_spec({"mitigations": ["graph_loop"]})


def test_equal_requests_are_one() -> None:
    spec = build_spec({"epochs": [200, 100, 200], "mitigations": ["none", "threads:1", "none+threads:1"]})

    assert spec.epochs == (100, 200)
    assert spec.mitigations == ("none", "none+threads:1")


def test_a_file_that_is_no_toml_says_where(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text("epochs = [1,")

    with pytest.raises(SpecError, match="is not TOML"):
        load_spec(path)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        load_spec(tmp_path / "absent.toml")


def test_a_sweep_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "My Sweep 1.toml"
    path.write_text("epochs = [10]")

    assert load_spec(path).name == "my-sweep-1"


def test_an_unknown_preset_names_those_there_are() -> None:
    with pytest.raises(SpecError, match="quick"):
        preset("../etc/passwd")
