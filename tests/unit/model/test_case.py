import json
from dataclasses import replace

import pytest

from bench_core.model.case import (
    Case,
    DeviceKind,
    DeviceRequest,
    Hold,
    Operands,
    OperandSource,
    Precision,
    SamplingPlan,
)
from bench_core.model.mitigation import SETTINGS, Mitigation
from bench_core.model.shape import Shape

CASE = Case(DeviceRequest.parse("cpu-async:256"), Shape(512, 784, 512), Precision.FP32, Mitigation(), 2000)


def test_a_case_crosses_the_boundary_unchanged() -> None:
    case = replace(CASE, operands=Operands(OperandSource.MNIST, Hold.VARIABLE, 7, "/data/mnist.npz"), timeout_s=3.0)

    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case


def test_the_id_of_a_case_stays_what_it_was() -> None:
    # Recorded once: if this changes, every stored history is orphaned.
    assert CASE.case_id == "d50895a5ffa2f7ca"


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, epoch_count=1000),
        replace(CASE, precision=Precision.BF16),
        replace(CASE, mitigation=Mitigation.parse("merged")),
        replace(CASE, shape=Shape(512, 784, 513)),
        replace(CASE, device=DeviceRequest.parse("cpu-async")),
        replace(CASE, operands=Operands(seed=1)),
        replace(CASE, operands=Operands(hold=Hold.VARIABLE)),
    ],
)
def test_what_decides_the_result_decides_the_id(other: Case) -> None:
    assert other.case_id != CASE.case_id


@pytest.mark.parametrize(
    "same",
    [
        replace(CASE, timeout_s=1.0),
        replace(CASE, sampling=SamplingPlan(max_samples=99)),
        replace(CASE, operands=Operands(mnist_path="elsewhere.npz")),
    ],
)
def test_how_long_a_case_is_sampled_and_where_a_file_lies_does_not(same: Case) -> None:
    assert same.case_id == CASE.case_id


@pytest.mark.parametrize("name", ["cpu", "cpu-async", "cpu-async:256", "gpu:3"])
def test_a_device_is_written_as_it_is_read(name: str) -> None:
    assert str(DeviceRequest.parse(name)) == name


def test_the_default_capacity_is_not_written() -> None:
    request = DeviceRequest.parse("CPU-ASYNC:1024")

    assert (request.kind, request.queue_capacity, str(request)) == (DeviceKind.CPU_ASYNC, 1024, "cpu-async")


@pytest.mark.parametrize("name", ["", "tpu", "gpu", "gpu:-1", "cpu-async:", "cpu-async:0", "cpu:1", "gpu:0; rm -rf /"])
def test_what_is_no_device_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"need|capacity"):
        DeviceRequest.parse(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", Mitigation("none")),
        ("merged+memory_growth", Mitigation("merged", ("memory_growth",))),
        ("memory_growth", Mitigation("none", ("memory_growth",))),
        ("threads:1", Mitigation("none", ("threads:1",))),
        ("none+threads:2+launch_queue:0.5x", Mitigation("none", ("launch_queue:0.5x", "threads:2"))),
        ("sync_every:64", Mitigation("sync_every:64")),
    ],
)
def test_a_mitigation_has_one_spelling(text: str, expected: Mitigation) -> None:
    assert Mitigation.parse(text) == expected
    assert Mitigation.parse(str(expected)) == expected


@pytest.mark.parametrize("text", ["", "none+", "+", "no ne", "none+threads:1+threads:2", "x;y", "none+tensorflow:../x"])
def test_what_is_no_mitigation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"need|twice"):
        Mitigation.parse(text)


def test_unknown_parts_are_named() -> None:
    assert Mitigation.parse("fast_path:3+sticky+threads:1").unknown_names() == ("fast_path:3", "sticky")


def test_the_argument_of_a_setting_is_found() -> None:
    mitigation = Mitigation.parse("merged+memory_growth+threads:2")

    assert (mitigation.setting("threads"), mitigation.setting("memory_growth"), mitigation.setting("tf32")) == (
        "2",
        "",
        None,
    )


def test_every_setting_is_described() -> None:
    assert all(sentence for _, sentence in SETTINGS.values())
