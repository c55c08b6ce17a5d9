"""Numbers of a diagnosis put into templates: `{steady_s_per_epoch:time}` becomes `207 ms`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from string import Formatter
from typing import Any

from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.units import format_bytes, format_count, format_duration, format_rate


@dataclass(frozen=True, slots=True)
class Words:
    """What a language calls things inside a sentence."""

    verdicts: Mapping[Verdict, str]
    units: Mapping[XKind, str]
    unit: Mapping[XKind, str]


@dataclass(frozen=True, slots=True)
class Figures:
    """The values a template can name: fields of the diagnosis, its evidence, its next step's values.

    `unit` and `units` are what the table counts (epoch, call); `knee_low`, `knee_high`, `capacity_low` and
    `capacity_high` are the ends of the intervals; `apparent_excess_ratio` is the fastest reading's rate over the
    highest possible one, where it is above it; `several_stages` is the number of stages where there is more than one.
    """

    diagnosis: Diagnosis
    kind: XKind
    words: Words

    def fill(self, template: str) -> str | None:
        """The template with its values; None if one of them is not known."""
        parts = []
        for literal, name, spec, _ in Formatter().parse(template):
            parts.append(literal)
            if name is None:
                continue
            value = self._value(name)
            if not _is_worth_saying(value):
                return None
            parts.append(self._formatted(value, spec or "text"))
        return "".join(parts)

    def first(self, templates: Sequence[str]) -> str:
        """The first template whose values are all known; the last one has none."""
        return next(filled for template in templates if (filled := self.fill(template)) is not None)

    def all(self, clauses: Sequence[str | tuple[str, ...]]) -> list[str]:
        """Every clause whose values are all known; of alternatives the first such."""
        found = []
        for clause in clauses:
            alternatives = (clause,) if isinstance(clause, str) else clause
            found += [filled for template in alternatives if (filled := self.fill(template)) is not None][:1]
        return found

    def _value(self, name: str) -> Any:
        found = self._words().get(name)
        if found is not None:
            return found
        step = self.diagnosis.next_step
        if step is not None and name in step.values:
            return step.values[name]
        return self.diagnosis.evidence.get(name, getattr(self.diagnosis, name, None))

    def _words(self) -> dict[str, Any]:
        knee = self.diagnosis.knee_interval or (None, None)
        capacity = self.diagnosis.queue_capacity_interval or (None, None)
        return {
            "unit": self.words.unit[self.kind],
            "units": self.words.units[self.kind],
            "knee_low": knee[0],
            "knee_high": knee[1],
            "capacity_low": capacity[0],
            "capacity_high": capacity[1],
            "apparent_excess_ratio": self._apparent_excess(),
            "several_stages": self._several_stages(),
        }

    def _apparent_excess(self) -> float | None:
        """How many times above the possible the fastest reading is, if it is."""
        apparent, limit = (self.diagnosis.evidence.get(f"{name}_flop_per_s") for name in ("apparent", "limit"))
        if not isinstance(apparent, float) or not isinstance(limit, float) or apparent <= limit:
            return None
        return apparent / limit

    def _several_stages(self) -> float | str | None:
        stages = self.diagnosis.evidence.get("warmup_stage_count", 1.0)
        return stages if stages != 1 else None

    def _formatted(self, value: Any, spec: str) -> str:
        if spec == "verdict":
            return self.words.verdicts[Verdict(value)]
        return str(value) if isinstance(value, str) else _FORMATS[spec](float(value))


def _is_worth_saying(value: Any) -> bool:
    """Nothing is said about a latency of 0, no noise at all, or an infinite ratio."""
    if isinstance(value, float | int):
        return isfinite(value) and value != 0
    return value is not None


def format_ratio(value: float) -> str:
    """`45.33` is `45`, `2.36` is `2.4`."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def format_percent(fraction: float) -> str:
    """`0.607` is `61 %`; a decimal under 10 %, two under 1 %."""
    percent = 100 * fraction
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %" if percent >= 1 else f"{percent:.2g} %"


def _format_size(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def _calls(value: float) -> str:
    return "1 call" if round(value) == 1 else f"{format_count(value)} calls"


def _epochs(value: float) -> str:
    return "1 epoch" if round(value) == 1 else f"{format_count(value)} epochs"


_FORMATS: Mapping[str, Callable[[float], str]] = {
    "time": format_duration,
    "count": format_count,
    "rate": format_rate,
    "bytes_rate": lambda value: f"{format_bytes(value)}/s",
    "percent": format_percent,
    "ratio": format_ratio,
    "size": _format_size,
    "calls": _calls,
    "epochs": _epochs,
    # After `the first`, where one has no number.
    "first_calls": lambda value: _calls(value).removeprefix("1 "),
    "text": str,
}
