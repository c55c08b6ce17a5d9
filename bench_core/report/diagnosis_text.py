"""A diagnosis as text for a terminal: the message, the evidence, what was assumed."""

from collections.abc import Sequence

from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Diagnosis
from bench_core.report.language import Language
from bench_core.report.messages import TEXTS, evidence_rows, note_text, tell, verdict_name
from bench_core.report.words import display_width, wrapped
from bench_core.tables.note import Note


def diagnosis_text(
    diagnosis: Diagnosis, kind: XKind, language: Language, notes: Sequence[Note] = (), title: str = ""
) -> str:
    """Several lines, the plain words first.

    Args:
        diagnosis: what was found.
        kind: what the readings were counted in.
        language: of everything but the verdict's own name.
        notes: what the reader of the table assumed.
        title: which curve this is; empty where there is one only.
    """
    labels = TEXTS[language].labels
    message = tell(diagnosis, kind, language)
    blocks = [title] if title else []
    sentences = (message.what, message.proof, message.advice)
    blocks.append("\n".join(wrapped(each, language) for each in sentences))
    verdict = [(labels["verdict"], diagnosis.verdict.value)]
    if diagnosis.also:
        also = ", ".join(f"{each.value} ({verdict_name(each, language)})" for each in diagnosis.also)
        verdict.append((labels["also"], also))
    blocks.append(f"{labels['evidence']}\n" + _aligned([*verdict, *evidence_rows(diagnosis, language)]))
    if notes:
        blocks.append(f"{labels['assumed']}\n" + "\n".join(f"  {note_text(note, language)}" for note in notes))
    return "\n\n".join(blocks)


def _aligned(rows: Sequence[tuple[str, str]]) -> str:
    width = max(display_width(name) for name, _ in rows)
    return "\n".join(f"  {name}{' ' * (width - display_width(name))}  {value}" for name, value in rows)
