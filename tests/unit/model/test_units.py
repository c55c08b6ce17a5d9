import pytest

from bench_core.model.units import format_bytes, format_count, format_duration, format_rate


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, "0 s"),
        (2.5e-9, "2.50 ns"),
        (0.00094, "940 us"),
        (0.0042, "4.20 ms"),
        (0.2068, "207 ms"),
        (202.15, "202 s"),
        (600.0, "10.0 min"),
        (7200.0, "2.0 h"),
    ],
)
def test_a_duration_has_three_digits_and_a_fitting_unit(seconds: float, expected: str) -> None:
    assert format_duration(seconds) == expected


def test_rates_bytes_and_counts_are_read_at_a_glance() -> None:
    assert format_rate(2.33e13) == "23.3 TFLOP/s"
    assert format_bytes(12_288_000_000) == "11.4 GiB"
    assert format_count(1034.2) == "1,034"
