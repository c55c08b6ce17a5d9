"""Dense peaks of NVIDIA cards by precision, found by the name a driver or a person uses.

A peak is SMs x FLOP per clock and SM x boost clock (`cards.csv`: the columns fp32 to bf16 are FLOP per clock and SM,
fp16 and bf16 through tensor cores where the card has them). Hopper clocks its tensor cores lower than the rest, so
they have a column of their own. GeForce cards run fp16 that accumulates in fp32, and so bf16, at half the fp16 rate.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# A GTX 1080 Ti was seen at 13 % above its nominal boost clock, legitimately: a rate this little above a peak is
# a card that boosts, not an impossible reading.
BOOST_HEADROOM_FRACTION = 0.13

_CARDS = Path(__file__).with_name("cards.csv")
# Words that name the maker or the kind of thing and never tell two cards apart.
_NEUTRAL = frozenset({"nvidia", "corporation", "gpu", "graphics", "card", "the", "rev", "a1", "cuda"})
# A chip's code name, as lspci prints it before the card's: GA104GL [RTX A4000].
_CHIP = re.compile(r"(g[abhkmpv]|tu|ad)\d{3}[a-z]{0,2}")
# Words shared by so many cards that they make no two names alike.
_SERIES = frozenset({"geforce", "gtx", "rtx", "tesla", "quadro", "ti"})
# Keeps RTX 5090 with RTX 4090 (0.75 of the letters) and drops names that share one digit.
_MIN_LIKENESS = 0.6
# Beside H100 PCIe (1.05) a GTX 1070 (0.6) is no suggestion.
_NEAR = 0.3
_GIGABYTES = re.compile(r"(\d+)\s*-?\s*gi?b\b")
_PREFIX = re.compile(r"(nvidia|geforce|gtx|rtx|tesla|quadro)(?=[a-z]?\d)")
_SUFFIX = re.compile(r"(?<=\d)(?=ti\b|super\b|sxm|pcie)")


@dataclass(frozen=True, slots=True)
class Card:
    """One card and what it can do at its nominal boost clock.

    Attributes:
        peak_flop_per_s: dense peak by precision (fp32, tf32, fp16, bf16), without those the card has no path for.
    """

    name: str
    architecture: str
    peak_flop_per_s: Mapping[str, float]


def find_card(name: str) -> Card | None:
    """The one card that goes by this name; None if there is none or the name fits several.

    Every word must belong to the card: `RTX 3080 Ti` is never taken for an `RTX 3080`, nor `H100` for one of its
    two forms.
    """
    words = _words(name)
    matches = [row.card for row in _catalogue() if row.answers_to(words)]
    return matches[0] if len(matches) == 1 else None


def near_names(name: str, *, count: int = 4) -> tuple[str, ...]:
    """Names of the cards most like an unknown one, best first; empty if nothing is like it."""
    words = _words(name) - _SERIES
    ranked = sorted(((_likeness(words, row), row.card.name) for row in _catalogue()), key=lambda each: -each[0])
    least = max(_MIN_LIKENESS, ranked[0][0] - _NEAR)
    return tuple(name for likeness, name in ranked[:count] if likeness >= least)


def card_names() -> tuple[str, ...]:
    """Every card of the table, oldest architecture first."""
    return tuple(row.card.name for row in _catalogue())


@dataclass(frozen=True, slots=True)
class _Row:
    card: Card
    required: tuple[frozenset[str], ...]
    optional: frozenset[str]

    @property
    def all_words(self) -> frozenset[str]:
        return self.optional.union(*self.required)

    def answers_to(self, words: frozenset[str]) -> bool:
        return all(words & alternatives for alternatives in self.required) and words <= self.all_words


def _likeness(words: frozenset[str], row: _Row) -> float:
    # Only a name that was not found pays for this import.
    from difflib import SequenceMatcher

    own = frozenset().union(*row.required) - _SERIES
    letters = max((SequenceMatcher(None, a, b).ratio() for a in words for b in own), default=0.0)
    return letters + 0.1 * len(words & row.all_words) - 0.05 * len(words ^ own)


def _words(name: str) -> frozenset[str]:
    text = _GIGABYTES.sub(r"\1gb", name.lower())
    text = _SUFFIX.sub(" ", _PREFIX.sub(r"\1 ", text))
    words = re.findall(r"[a-z0-9]+", text)
    return frozenset(word for word in words if word not in _NEUTRAL and not _CHIP.fullmatch(word))


@cache
def _catalogue() -> tuple[_Row, ...]:
    with _CARDS.open(encoding="utf-8", newline="") as lines:
        return tuple(_row(fields) for fields in csv.DictReader(lines))


def _row(fields: Mapping[str, str]) -> _Row:
    required = tuple(frozenset(alternatives.split("|")) for alternatives in fields["words"].split())
    card = Card(fields["name"], fields["architecture"], _peaks(fields))
    return _Row(card, required, frozenset(fields["optional_words"].split()))


def _peaks(fields: Mapping[str, str]) -> dict[str, float]:
    clocks_hz = {"fp32": float(fields["boost_mhz"]) * 1e6}
    tensor_hz = float(fields["tensor_boost_mhz"]) * 1e6
    peaks = {
        precision: int(fields["sm_count"]) * int(fields[precision]) * clocks_hz.get(precision, tensor_hz)
        for precision in ("fp32", "tf32", "fp16", "bf16")
    }
    return {precision: peak for precision, peak in peaks.items() if peak > 0}
