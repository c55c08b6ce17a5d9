"""What a run says of the usual explanations and of each mitigation, as rows to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from bench_core.model.hypothesis import HYPOTHESES, HypothesisTest, MitigationEffect
from bench_core.report.language import Language
from bench_core.report.words import wrapped

Row = tuple[str, ...]

_TITLES = {
    Language.EN: ("What was said to be the cause", "Each mitigation against the control"),
    Language.ZH: ("各种说法的检验", "各解决办法与对照的比较"),
}
_HYPOTHESIS_HEADINGS = {
    Language.EN: ("", "claim", "verdict", "evidence"),
    Language.ZH: ("", "说法", "结论", "证据"),
}
_EFFECT_HEADINGS = {
    Language.EN: ("mitigation", "precision", "stopwatch", "verdict", "finding"),
    Language.ZH: ("解决办法", "精度", "秒表读数", "结论", "发现"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; the last column is prose."""

    title: str
    headings: Row
    rows: tuple[Row, ...]

    def to_text(self, language: Language = Language.EN) -> str:
        """Aligned columns, the prose below its row."""
        lines = [self.title, ""]
        for row in self.rows:
            lines.append("  ".join(cell for cell in row[:-1] if cell))
            lines += [f"    {line}" for line in wrapped(row[-1], language).splitlines()]
        return "\n".join(lines)

    def to_html(self) -> str:
        """A section of a page."""
        head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in self.headings)
        body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return (
            f'<section><h2>{escape(self.title)}</h2>\n<table class="prose"><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></section>"
        )


def judgement_tables(
    hypotheses: Sequence[HypothesisTest], effects: Sequence[MitigationEffect], language: Language = Language.EN
) -> tuple[Table, ...]:
    """The tables that have rows; findings are in English in every language, as they are stored."""
    claims, mitigations = _TITLES[language]
    tables = (
        Table(claims, _HYPOTHESIS_HEADINGS[language], tuple(_hypothesis_row(test) for test in hypotheses)),
        Table(mitigations, _EFFECT_HEADINGS[language], tuple(_effect_row(effect) for effect in effects)),
    )
    return tuple(table for table in tables if table.rows)


def _hypothesis_row(test: HypothesisTest) -> Row:
    return test.hypothesis, HYPOTHESES[test.hypothesis], test.verdict.value, test.sentence


def _effect_row(effect: MitigationEffect) -> Row:
    # A figure beside a finding that compares nothing would be read as one.
    is_compared = effect.steady_cost_ratio is not None and effect.enqueue_cost_ratio is not None
    shown = f"stopwatch x {effect.enqueue_cost_ratio:.3g}" if is_compared else ""
    return effect.mitigation, effect.precision, shown, effect.verdict, effect.sentence
