"""A diagnosis in plain words: three sentences someone can forward, then its evidence as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.units import format_bytes, format_count, format_duration, format_rate
from bench_core.report.chinese import CHINESE
from bench_core.report.english import ENGLISH
from bench_core.report.figures import Figures, format_percent, format_ratio
from bench_core.report.language import Language
from bench_core.report.texts import Texts
from bench_core.tables.note import Note

TEXTS: dict[Language, Texts] = {Language.EN: ENGLISH, Language.ZH: CHINESE}

# Fields of a diagnosis that are shown as evidence, in this order, before what the verdict adds.
_FIELDS = (
    "confidence",
    "knee_epoch_count",
    "knee_interval",
    "queue_capacity",
    "queue_capacity_interval",
    "enqueue_s_per_epoch",
    "steady_s_per_epoch",
    "intercept_s",
    "flop_per_s",
    "peak_fraction",
    "ran_as",
)


@dataclass(frozen=True, slots=True)
class Message:
    """What is happening, what proves it, what to do: one sentence each."""

    what: str
    proof: str
    advice: str
    gap: str

    def __str__(self) -> str:
        return self.gap.join((self.what, self.proof, self.advice))


def tell(diagnosis: Diagnosis, kind: XKind = XKind.EPOCHS, language: Language = Language.EN) -> Message:
    """Three sentences.

    Args:
        diagnosis: what was found.
        kind: what the readings were counted in.
        language: of the sentences.
    """
    texts = TEXTS[language]
    figures = Figures(diagnosis, kind, texts.words)
    told = texts.told[diagnosis.verdict]
    step = diagnosis.next_step
    measurement = figures.fill(texts.steps[step.kind]) if step is not None else None
    advice = [part for part in (told.advice, measurement) if part]
    return Message(
        _sentence([figures.first(told.what)], texts),
        _sentence(figures.all(told.proof) or [told.fallback], texts),
        _sentence(advice or [texts.steps["none"]], texts),
        texts.sentence_gap,
    )


def verdict_name(verdict: Verdict, language: Language) -> str:
    """The verdict as words inside a sentence."""
    return TEXTS[language].words.verdicts[verdict]


def evidence_rows(diagnosis: Diagnosis, language: Language) -> list[tuple[str, str]]:
    """Name and value of everything the verdict rests on, ready to be read."""
    texts = TEXTS[language]
    known = {name: getattr(diagnosis, name) for name in _FIELDS}
    values = {name: value for name, value in (known | dict(diagnosis.evidence)).items() if _is_known(value)}
    return [(texts.evidence.get(name, name), _shown(name, value, texts)) for name, value in values.items()]


def note_text(note: Note, language: Language) -> str:
    """What was assumed while a table was read, as one sentence."""
    values = {name: format_count(value) if not isinstance(value, str) else value for name, value in note.values.items()}
    return TEXTS[language].notes[note.kind].format(**values)


def _sentence(clauses: Sequence[str], texts: Texts) -> str:
    text = texts.clause_end.join(clauses)
    return text[0].upper() + text[1:] + texts.sentence_end


def _is_known(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and not isfinite(value))


def _shown(name: str, value: Any, texts: Texts) -> str:
    """A value by what its name's suffix says it is."""
    if isinstance(value, tuple):
        return f" {texts.labels['to']} ".join(_shown(name.removesuffix("_interval"), each, texts) for each in value)
    if isinstance(value, str):
        is_verdict = value in Verdict.__members__.values()
        return texts.words.verdicts[Verdict(value)] if is_verdict else value
    if name == "capacity_readings_agree":
        return texts.labels["yes" if value else "no"]
    return _number(name, float(value))


def _number(name: str, value: float) -> str:
    if name.endswith("flop_per_s"):
        return format_rate(value)
    if name.endswith("bytes_per_s"):
        return f"{format_bytes(value)}/s"
    if name.endswith(("_s", "_s_per_epoch", "_s_per_call")) or name.startswith("s_per_"):
        return format_duration(value)
    if name.endswith("_fraction") or name == "confidence":
        return format_percent(value)
    if name.endswith(("_ratio", "exponent")):
        return format_ratio(value)
    return format_count(value)
