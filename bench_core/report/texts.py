"""The form every language's texts have."""

from collections.abc import Mapping
from dataclasses import dataclass

from bench_core.model.diagnosis import Verdict
from bench_core.report.figures import Words


@dataclass(frozen=True, slots=True)
class Told:
    """One verdict in one language, as templates for bench_core.report.figures.

    Attributes:
        what: what is happening: the first whose values are known, so the last has none.
        proof: clauses of what proves it: all whose values are known; of alternatives the first such.
        fallback: the proof where no clause has its values.
        advice: what to do whatever else is measured; empty where the next step says it all.
    """

    what: tuple[str, ...]
    proof: tuple[str | tuple[str, ...], ...]
    fallback: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """All a language needs to tell any diagnosis.

    Attributes:
        steps: the measurement to make next, by NextStep.kind, as an imperative clause.
        notes: what the reader of a table assumed, by Note.kind, as a sentence; values in braces.
        evidence: names of evidence, by key; a key without one is shown as it is.
        labels: the words around them.
        clause_end: between clauses.
        sentence_end: after a sentence.
        sentence_gap: between sentences.
    """

    words: Words
    told: Mapping[Verdict, Told]
    steps: Mapping[str, str]
    notes: Mapping[str, str]
    evidence: Mapping[str, str]
    labels: Mapping[str, str]
    clause_end: str
    sentence_end: str
    sentence_gap: str
