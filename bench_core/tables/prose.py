"""Lines of prose or of a log to a grid: `N=100 took 1.5 s`, `1000 epochs: 2.43s`."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from bench_core.tables.grid import TextGrid
from bench_core.tables.names import Role, understand
from bench_core.tables.quantity import COUNTED, SECONDS_PER_UNIT

_SINGULAR = {word for word in COUNTED if word + "s" in COUNTED}


def _one_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


# In `took 3 epoch 5` the word belongs to the number after it.
_UNIT = (
    rf"(?:{_one_of({*SECONDS_PER_UNIT, *COUNTED} - _SINGULAR)})(?![\w/])"
    rf"|(?:{_one_of(_SINGULAR)})(?![\w/]|\s*[=:#]?\s*\d)"
)
_NUMBER = re.compile(rf"(?<![\w.])[-−]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s*(?:{_UNIT}))?", re.IGNORECASE)
# Stands for a number in a template; no text has it, as one with it is no text.
_PLACE = "\0"
_MOST_NUMBERS = 50
# Two lines alike may be chance.
_MIN_LINES_OF_ONE_NUMBER = 3


def read_prose(text: str) -> TextGrid | None:
    """The lines that differ in their numbers only, as a table; None if no two numbers stand in a line.

    The words before a number are the name of its column.
    """
    lines = text.splitlines()
    by_template: dict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        by_template[_NUMBER.sub(_PLACE, line).strip()].append(index)
    counts = Counter({template: len(found) for template, found in by_template.items() if _is_table(template, found)})
    if not counts:
        return None
    template, _ = counts.most_common(1)[0]
    found = by_template[template]
    columns = list(zip(*([match[0] for match in _NUMBER.finditer(lines[index])] for index in found), strict=True))
    labels = _labels(lines[found[0]])
    everything = range(len(columns))
    kept = [column for column in everything if _says_something(columns[column], labels[column])] or everything
    rows = list(zip(*(columns[column] for column in kept), strict=True))
    return TextGrid(tuple(labels[column] for column in kept), rows, [index + 1 for index in found])


def _is_table(template: str, found: list[int]) -> bool:
    if template.count(_PLACE) >= 2:
        return template.count(_PLACE) <= _MOST_NUMBERS
    return (
        _PLACE in template
        and len(found) >= _MIN_LINES_OF_ONE_NUMBER
        and understand(template.replace(_PLACE, "")).role is Role.TIME
    )


def _says_something(cells: Sequence[str], label: str) -> bool:
    """Not so `469/469` before every time of a training log."""
    return len(cells) < _MIN_LINES_OF_ONE_NUMBER or len(set(cells)) > 1 or understand(label).role is not Role.UNKNOWN


def _labels(line: str) -> tuple[str, ...]:
    labels = []
    end = 0
    for match in _NUMBER.finditer(line):
        labels.append(line[end : match.start()].strip(" =:,;()[]->"))
        end = match.end()
    return tuple(labels)
