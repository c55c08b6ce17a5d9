"""How text fills a terminal."""

from textwrap import fill
from unicodedata import east_asian_width

from bench_core.report.language import Language

_WIDTH = 100


def display_width(text: str) -> int:
    """Columns of a terminal a text takes: Chinese characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def wrapped(sentence: str, language: Language) -> str:
    """The sentence in lines of a readable length; Chinese has no blanks to break at, so the terminal breaks it."""
    return sentence if language is Language.ZH else fill(sentence, _WIDTH)
