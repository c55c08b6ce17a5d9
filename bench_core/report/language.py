"""The languages a diagnosis is told in, and which one a reader's locale asks for."""

from collections.abc import Mapping
from enum import StrEnum


class Language(StrEnum):
    """A language with a sentence for every verdict."""

    EN = "en"
    ZH = "zh"


def language_of(environment: Mapping[str, str]) -> Language:
    """The language of the locale variables, the strongest first; English where they ask for no other we have."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            return Language.ZH if value.lower().startswith("zh") else Language.EN
    return Language.EN
