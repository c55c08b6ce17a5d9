from dataclasses import replace

from bench_core.model.hypothesis import HYPOTHESES, HypothesisTest, HypothesisVerdict, MitigationEffect
from bench_core.report.judgement import judgement_tables

TEST = HypothesisTest("H1", HypothesisVerdict.REFUTED, "The graph is traced once.")
EFFECT = MitigationEffect(
    "fp32",
    "merged",
    "512x784x512",
    "faster",
    "Faster: <b>-10 %</b>.",
    steady_cost_ratio=0.9,
    enqueue_cost_ratio=0.2,
)


def test_a_hypothesis_is_shown_with_its_claim_verdict_and_evidence() -> None:
    (table,) = judgement_tables([TEST], [])
    text = table.to_text()

    for expected in ("H1", HYPOTHESES["H1"], "refuted", "The graph is traced once."):
        assert expected in text


def test_a_mitigation_is_shown_with_what_the_stopwatch_shows_of_it() -> None:
    (table,) = judgement_tables([], [EFFECT])

    assert "merged  fp32  stopwatch x 0.2  faster\n    Faster" in table.to_text()


def test_findings_are_escaped_on_a_page() -> None:
    (table,) = judgement_tables([], [EFFECT])

    assert "&lt;b&gt;-10 %" in table.to_html()


def test_a_run_without_findings_has_no_tables() -> None:
    assert judgement_tables([], []) == ()


def test_no_figure_stands_beside_a_mitigation_that_is_compared_with_nothing() -> None:
    (table,) = judgement_tables([], [replace(EFFECT, verdict="does_no_work", steady_cost_ratio=None)])

    assert "stopwatch" not in table.to_text()
