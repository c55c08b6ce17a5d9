"""Random tables as people write them: the readings, and one of the many ways to print them."""

from dataclasses import dataclass

from hypothesis import strategies as st

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_SEPARATORS = {",": "csv", "\t": "tsv", ";": "semicolons", " | ": "pipes", "    ": "aligned"}
_TIME_NAMES = ("seconds", "time", "elapsed", "耗时")


@dataclass(frozen=True)
class Printed:
    """A table with what was printed.

    Attributes:
        readings: N and seconds of each row, as the printed digits say them.
    """

    text: str
    readings: list[tuple[int, float]]


@st.composite
def printed_tables(draw: st.DrawFn) -> Printed:
    """A table of loops in one of the layouts, with times in one unit, with or without text around it."""
    counts = draw(st.lists(st.integers(1, 10**7), min_size=2, max_size=20, unique=True))
    unit = draw(st.sampled_from(sorted(UNITS)))
    numbers = draw(
        st.lists(st.floats(0.001, 9e5, allow_nan=False), min_size=len(counts), max_size=len(counts)).map(
            lambda values: [f"{value:.3f}" for value in values]
        )
    )
    separator = draw(st.sampled_from(sorted(_SEPARATORS)))
    place_of_unit = draw(st.sampled_from(["header", "cells"]))
    header = _header(draw, unit, separator) if place_of_unit == "header" or draw(st.booleans()) else None
    cells = [
        (_count(draw, count, separator), _time(draw, number, unit if place_of_unit == "cells" else ""))
        for count, number in zip(counts, numbers, strict=True)
    ]
    lines = [separator.join(row) for row in ([header] if header else []) + cells]
    if separator == " | " and draw(st.booleans()):
        lines = [f"| {line} |" for line in lines]
        if header:
            lines.insert(1, "|---|---|")
    before = draw(st.lists(st.sampled_from(["$ python bench.py", "Device: GPU", ""]), max_size=2))
    after = draw(st.lists(st.sampled_from(["done", "$", ""]), max_size=2))
    readings = [(count, float(number) * UNITS[unit]) for count, number in zip(counts, numbers, strict=True)]
    return Printed("\n".join([*before, *lines, *after]), readings)


def _header(draw: st.DrawFn, unit: str, separator: str) -> tuple[str, str]:
    name = draw(st.sampled_from(_TIME_NAMES))
    form = draw(st.sampled_from(["{name} ({unit})", "{name}_{unit}", "{name}[{unit}]"]))
    return "epochs", form.format(name="time" if name == "seconds" and unit != "s" else name, unit=unit)


def _count(draw: st.DrawFn, count: int, separator: str) -> str:
    has_thousands = separator not in (",", ";") and draw(st.booleans())
    return f"{count:,}" if has_thousands else str(count)


def _time(draw: st.DrawFn, number: str, unit: str) -> str:
    return number + (draw(st.sampled_from(["", " "])) + unit if unit else "")
