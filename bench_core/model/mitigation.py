"""The third axis: how the same epochs are issued (strategy) and how the process is prepared (settings)."""

import re
from dataclasses import dataclass

# Every strategy by name, with the sentence help and reports show. A strategy is one function in
# bench_core/measure/worker/strategies.py and one line here; a test holds the two together.
STRATEGIES: dict[str, str] = {
    "none": "a Python loop of calls, as in the question: the control",
    "graph_loop": "the loop inside tf.function with tf.range, as was suggested: each product is dropped",
    "graph_loop_kept": "the same loop, each epoch depending on one element of the product before",
}

# Every setting by name, with what its argument is ("" for none) and the sentence help shows.
SETTINGS: dict[str, tuple[str, str]] = {}

CONTROL = "none"

_PART = re.compile(r"[a-z0-9_]+(:[A-Za-z0-9_.]+)?")


@dataclass(frozen=True, slots=True, order=True)
class Mitigation:
    """A strategy with any settings, written `strategy+setting`; a setting alone means `none+setting`.

    Settings are kept sorted, so that the same mitigation has one spelling.
    """

    strategy: str = CONTROL
    settings: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Mitigation":
        """Read `strategy+setting+...`; names are not looked up here (see unknown_names).

        Raises:
            ValueError: a part that is no name at all, or a setting given twice.
        """
        parts = [part.strip() for part in text.split("+")]
        if not all(_PART.fullmatch(part) for part in parts):
            raise ValueError(f"need STRATEGY or STRATEGY+SETTING in letters, digits and underscores, got {text!r}")
        if _name(parts[0]) in SETTINGS:
            parts.insert(0, CONTROL)
        settings = tuple(sorted(parts[1:]))
        names = [_name(setting) for setting in settings]
        if len(set(names)) != len(names):
            raise ValueError(f"a setting is given twice in {text!r}")
        return cls(parts[0], settings)

    def __str__(self) -> str:
        return "+".join((self.strategy, *self.settings))

    def unknown_names(self) -> tuple[str, ...]:
        """The parts no catalogue entry has."""
        strategy = () if _name(self.strategy) in STRATEGIES else (self.strategy,)
        return strategy + tuple(setting for setting in self.settings if _name(setting) not in SETTINGS)


def _name(part: str) -> str:
    return part.partition(":")[0]
