"""One cell as a number with its unit: `206.8 ms`, `1,034`, `1.5s`, `2.3 ± 0.1 us`, `1m30s`, `16KiB`."""

import re
from dataclasses import dataclass


def word_set(words: str) -> frozenset[str]:
    """The blank-separated words."""
    return frozenset(words.split())


SECONDS_PER_UNIT = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds", "毫秒"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "usecs", "microsecond", "microseconds", "微秒"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanosecond", "nanoseconds", "纳秒"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分", "分钟"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), 3600.0),
}
_COUNT_PER_SUFFIX = {
    **{"k": 1e3, "m": 1e6, "g": 1e9, "万": 1e4},
    **{"b": 1.0, "byte": 1.0, "bytes": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9},
    **{"kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30},
}
COUNTED = word_set(
    "epoch epochs iteration iterations iter iters it its step steps call calls loop loops time times run runs trial"
    " trials rep reps repeat repeats launch launches row rows element elements thread threads 次 轮 遍 步 回"
)
# What people write where a measurement is missing.
_MISSING = word_set("- -- --- – — / ? . n/a na nan null none oom n.a. 无 缺") | {""}

_DIGITS = r"(?:\d{1,3}(?:[,_'’\u00a0\u2009\u202f]\d{3})+(?!\d)|\d+)"
_NUMBER = rf"[-+−]?(?:{_DIGITS}(?:\.\d*)?|\.\d+)(?:[eE][-+−]?\d+)?(?:\s*[x×*·]\s*10\s*\^\s*[-+−]?\d+)?"
_UNIT = r"[^\W\d_]+(?:\s*/\s*[^\W\d_]+)*"
_QUANTITY = re.compile(
    rf"[~≈]?\s*(?P<number>{_NUMBER})\s*(?P<unit>{_UNIT})?(?:\s*(?:±|\+/?-)\s*(?:{_NUMBER})\s*(?P<spread_unit>{_UNIT})?)?"
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2}(?:\.\d+)?)")
_COMPOUND = re.compile(r"(?:(\d+)\s*h)?\s*(\d+)\s*(?:m|min|分钟?)\s*(\d+(?:\.\d+)?)\s*(?:s|sec|秒)")
_SQUARE = re.compile(r"(\d+)(?:\s*[x×*]\s*(\d+))+")
_LEADING_ZERO = re.compile(r"[-+]?0\d+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written and the unit beside it, lower case; None where there is none."""

    value: float
    unit: str | None = None

    @property
    def is_time(self) -> bool:
        """Whether the unit is one of time."""
        return self.unit in SECONDS_PER_UNIT

    @property
    def count(self) -> float | None:
        """The value as a count or size; None if the unit is something else."""
        if self.unit is None or self.unit in COUNTED:
            return self.value
        scale = _COUNT_PER_SUFFIX.get(self.unit)
        return None if scale is None else self.value * scale


def is_missing(cell: str) -> bool:
    """Whether the cell says that there is no measurement (`-`, `n/a`, `nan`, `OOM`)."""
    return cell.strip().lower() in _MISSING


def parse_quantity(cell: str, *, decimal_comma: bool = False) -> Quantity | None:
    """Read one cell; None if it is not one number.

    Args:
        cell: as written.
        decimal_comma: `0,94` is 0.94 and `1.034` is 1034, as in much of Europe.
    """
    text = cell.strip().strip("\"'`*").strip()
    if text[:1].isdigit() and ":" in text:
        return _clock_time(text)
    compound = _COMPOUND.fullmatch(text)
    if compound:
        hours, minutes, seconds = (float(part or 0) for part in compound.groups())
        return Quantity(hours * 3600 + minutes * 60 + seconds, "s")
    match = _QUANTITY.fullmatch(_with_point(text) if decimal_comma else text)
    if match is None or _LEADING_ZERO.fullmatch(match["number"]):
        return None
    unit = match["unit"] or match["spread_unit"]
    return Quantity(_number(match["number"]), "".join(unit.lower().split()) if unit else None)


def parse_size(cell: str) -> float | None:
    """Read a size or a count; `512x512` is 512, and the product where the sides differ. None if it is no number."""
    if _SQUARE.fullmatch(cell.strip()) and not _QUANTITY.fullmatch(cell.strip()):
        sides = [float(side) for side in re.findall(r"\d+", cell)]
        return sides[0] if len(set(sides)) == 1 else _product(sides)
    quantity = parse_quantity(cell)
    return None if quantity is None else quantity.count


def with_plain_superscripts(text: str) -> str:
    """`4.5 × 10⁻⁶` as `4.5 × 10^-6`."""
    return re.sub(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda match: "10^" + match[1].translate(_SUPERSCRIPTS), text)


def _product(values: list[float]) -> float:
    result = 1.0
    for value in values:
        result *= value
    return result


def _with_point(text: str) -> str:
    return text.replace(".", "").replace(",", ".")


def _clock_time(text: str) -> Quantity | None:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return Quantity(hours * 3600 + minutes * 60 + seconds, "s")


def _number(text: str) -> float:
    plain = re.sub(r"[,_'’\s]", "", text.replace("−", "-"))
    power = re.fullmatch(r"(.*?)[x×*·]10\^([-+]?\d+)", plain)
    return float(f"{power[1]}e{power[2]}") if power else float(plain)
