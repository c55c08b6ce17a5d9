"""Base units to what a person reads; prefixes appear here and nowhere else."""

_TIME = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_RATE = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "bytes"))


def format_duration(seconds: float) -> str:
    """`0.0042` is `4.20 ms`; three significant digits; minutes from 600 s, hours from 7200 s."""
    magnitude = abs(seconds)
    if magnitude >= 7200:
        return f"{seconds / 3600:.1f} h"
    if magnitude >= 600:
        return f"{seconds / 60:.1f} min"
    for scale, unit in _TIME:
        if magnitude >= scale:
            return f"{_three_digits(seconds / scale)} {unit}"
    return "0 s" if seconds == 0 else f"{_three_digits(seconds / 1e-9)} ns"


def format_rate(flop_per_s: float) -> str:
    """`2.33e13` is `23.3 TFLOP/s`."""
    for scale, prefix in _RATE:
        if abs(flop_per_s) >= scale:
            return f"{_three_digits(flop_per_s / scale)} {prefix}FLOP/s"
    return f"{_three_digits(flop_per_s)} FLOP/s"


def format_bytes(count: float) -> str:
    """`12288000000` is `11.4 GiB`."""
    for scale, unit in _BYTES:
        if abs(count) >= scale:
            return f"{_three_digits(count / scale)} {unit}"
    return f"{count:.0f} bytes"


def format_count(value: float) -> str:
    """`1034.2` is `1,034`."""
    return f"{value:,.0f}"


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    if magnitude >= 100 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.1f}" if magnitude >= 10 else f"{value:.2f}"
