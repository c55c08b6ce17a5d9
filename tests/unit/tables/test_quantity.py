"""A cell says one number, or none."""

import pytest

from bench_core.tables.quantity import SECONDS_PER_UNIT, is_missing, parse_quantity, parse_size, with_plain_superscripts


def seconds(cell: str, *, decimal_comma: bool = False) -> float | None:
    quantity = parse_quantity(cell, decimal_comma=decimal_comma)
    if quantity is None:
        return None
    return quantity.value * SECONDS_PER_UNIT[quantity.unit or "s"]


@pytest.mark.parametrize(
    ("cell", "expected_s"),
    [
        ("1.5", 1.5),
        ("1.5s", 1.5),
        ("206.8 ms", 0.2068),
        ("4.5us", 4.5e-6),
        ("4.5 µs", 4.5e-6),  # micro sign
        ("4.5 μs", 4.5e-6),  # Greek mu
        ("12 ns", 12e-9),
        ("2 min", 120.0),
        ("0.5 h", 1800.0),
        ("1m30s", 90.0),
        ("1h 2m 3s", 3723.0),
        ("00:01:30", 90.0),
        ("1:30.5", 90.5),
        ("1,034.5", 1034.5),
        ("1'034", 1034.0),
        ("1_000", 1000.0),
        ("1\u202f034", 1034.0),  # narrow no-break space
        ("1e-5", 1e-5),
        ("4.5 × 10^-6 s", 4.5e-6),
        ("2.3 ± 0.1 ms", 2.3e-3),
        ("1.23 ms ± 45 us", 1.23e-3),
        ("~3.5 s", 3.5),
        ("**1.5**", 1.5),
        ("−1", -1.0),  # the sign, not the hyphen
        ("206.8 毫秒", 0.2068),
        (".5 s", 0.5),
    ],
)
def test_a_time_is_read_with_its_unit(cell: str, expected_s: float) -> None:
    assert seconds(cell) == pytest.approx(expected_s)


@pytest.mark.parametrize("cell", ["", "abc", "1.5.2", "1 2", "034", "1.5 s 2", "GPU:0", "1:2:3:4", "5e", "²"])
def test_what_is_not_one_number_is_none(cell: str) -> None:
    quantity = parse_quantity(cell)

    assert quantity is None or quantity.unit not in {None, *SECONDS_PER_UNIT}


def test_a_decimal_comma_is_read_where_the_column_has_one() -> None:
    assert seconds("0,94", decimal_comma=True) == 0.94
    assert seconds("1.034,5", decimal_comma=True) == 1034.5


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1000", 1000.0),
        ("1,000", 1000.0),
        ("1k", 1000.0),
        ("10万", 100_000.0),
        ("16KiB", 16_384.0),
        ("64 MB", 64e6),
        ("100 epochs", 100.0),
        ("1000次", 1000.0),
        ("512x512", 512.0),
        ("512×512×512", 512.0),
        ("2x3x4", 24.0),  # sides differ: their product
    ],
)
def test_a_count_or_a_size_is_read(cell: str, expected: float) -> None:
    assert parse_size(cell) == expected


@pytest.mark.parametrize("cell", ["1.5 s", "abc", "23 GFLOP/s", "1:30"])
def test_a_time_or_a_rate_is_no_count(cell: str) -> None:
    assert parse_size(cell) is None


def test_superscripts_become_a_power() -> None:
    assert with_plain_superscripts("4.5 × 10⁻⁶") == "4.5 × 10^-6"


@pytest.mark.parametrize("cell", ["", "-", "n/a", "NaN", "OOM", "none", "无"])
def test_words_for_a_missing_measurement_are_known(cell: str) -> None:
    assert is_missing(cell)
