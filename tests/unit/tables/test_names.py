"""A column's name says what it holds."""

import pytest

from bench_core.model.curve import XKind
from bench_core.tables.names import Role, understand, unit_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("seconds", Role.TIME),
        ("time (ms)", Role.TIME),
        ("Time/s", Role.TIME),
        ("t_ms", Role.TIME),
        ("elapsed", Role.TIME),
        ("latency/us", Role.TIME),
        ("耗时（毫秒）", Role.TIME),
        ("synchronized_seconds", Role.SYNCHRONIZED),
        ("with sync (ms)", Role.SYNCHRONIZED),
        ("no sync (ms)", Role.UNSYNCHRONIZED),
        ("enqueue_time_s", Role.UNSYNCHRONIZED),
        ("it/s", Role.RATE),
        ("GFLOP/s", Role.RATE),
        ("Tops", Role.RATE),
        ("std (ms)", Role.SPREAD),
        ("drain_time_s", Role.SPREAD),
        ("loss", Role.UNKNOWN),
        ("", Role.UNKNOWN),
    ],
)
def test_the_part_a_column_plays(name: str, role: Role) -> None:
    assert understand(name).role is role


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("epochs", XKind.EPOCHS),
        ("epoch_count", XKind.EPOCHS),
        ("N", XKind.EPOCHS),
        ("number of calls", XKind.EPOCHS),
        ("循环次数", XKind.EPOCHS),
        ("epoch", XKind.INDEX),
        ("iteration", XKind.INDEX),
        ("launch index", XKind.INDEX),
        ("第几次", XKind.INDEX),
        ("matrix size", XKind.SIZE),
        ("N (square)", XKind.SIZE),
        ("batch size", XKind.SIZE),
        ("矩阵大小", XKind.SIZE),
    ],
)
def test_what_a_counting_column_counts(name: str, kind: XKind) -> None:
    assert understand(name).x is kind


@pytest.mark.parametrize(
    ("name", "s_per_unit"),
    [
        ("time (ms)", 1e-3),
        ("time [us]", 1e-6),
        ("时间（秒）", 1.0),
        ("耗时毫秒", 1e-3),
        ("Duration_ns", 1e-9),
        ("time (min)", 60.0),
        ("min time (ms)", 1e-3),  # a minimum, not minutes
        ("min", None),
        ("elapsed", None),
    ],
)
def test_the_unit_in_a_name(name: str, s_per_unit: float | None) -> None:
    assert unit_of(name) == s_per_unit


def test_a_time_of_one_epoch_is_told_from_a_total() -> None:
    assert understand("s/iter").is_per_epoch
    assert understand("ms per epoch").is_per_epoch
    assert not understand("seconds").is_per_epoch
