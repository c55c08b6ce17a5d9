"""What the reader of a table assumed or left out, for a person to check."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Note:
    """One assumption made while reading.

    Attributes:
        kind: names a sentence in bench_core.report.phrases, in every language.
        values: numbers and words that sentence needs.
    """

    kind: str
    values: Mapping[str, float | str] = field(default_factory=dict)
