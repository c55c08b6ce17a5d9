"""Every verdict and every next step is told in both languages, in three sentences with units."""

import re
from dataclasses import fields
from string import Formatter

import pytest

from bench_core.analyze.next_steps import VALUES
from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Diagnosis, NextStep, Verdict
from bench_core.report.language import Language, language_of
from bench_core.report.messages import TEXTS, evidence_rows, note_text, tell, verdict_name
from bench_core.tables.note import Note

SENTENCE_END = {Language.EN: re.compile(r"\.(?=\s|$)"), Language.ZH: re.compile("。")}
TEMPLATE_FIELDS = {each.name for each in fields(Diagnosis)} | {
    *("unit", "units", "knee_low", "knee_high", "capacity_low", "capacity_high"),
    *("apparent_excess_ratio", "several_stages"),
}

# Evidence of every verdict at once, so that every clause of every verdict is told.
EVIDENCE: dict[str, float | str] = {
    name: 12.5 for name in TEXTS[Language.EN].evidence if not name.endswith("_explanation")
} | {
    "best_explanation": "warmup",
    "other_explanation": "linear",
    "contradicting_explanation": "queue_saturation",
    "apparent_flop_per_s": 1.982e15,
    "limit_flop_per_s": 4.6e13,
}
QUESTION = Diagnosis(
    Verdict.QUEUE_SATURATION,
    0.99,
    also=(Verdict.UNSYNCHRONIZED,),
    knee_epoch_count=1033.7,
    knee_interval=(1024.5, 1042.9),
    queue_capacity=1029.0,
    queue_capacity_interval=(1017.5, 1040.5),
    enqueue_s_per_epoch=0.000939,
    steady_s_per_epoch=0.2067,
    flop_per_s=2.33e13,
    peak_fraction=0.608,
    ran_as="tf32",
    evidence={"apparent_flop_per_s": 1.982e15, "limit_flop_per_s": 4.6e13, "slope_ratio": float("inf")},
    next_step=NextStep("resize_queue", {"queue_capacity": 1029.0, "knee_epoch_count": 1033.7}),
)


def complete(verdict: Verdict, step: str) -> Diagnosis:
    values: dict[str, float | str] = dict.fromkeys(VALUES[step], 40.0)
    return Diagnosis(
        verdict,
        0.9,
        knee_epoch_count=1000.0,
        knee_interval=(900.0, 1100.0),
        queue_capacity=990.0,
        queue_capacity_interval=(890.0, 1100.0),
        enqueue_s_per_epoch=1e-3,
        steady_s_per_epoch=0.2,
        intercept_s=1.5,
        flop_per_s=2.3e13,
        peak_fraction=0.6,
        ran_as="tf32",
        evidence=EVIDENCE,
        next_step=NextStep(step, values),
    )


def count_sentences(text: str, language: Language) -> int:
    return len(SENTENCE_END[language].findall(text))


@pytest.mark.parametrize("language", list(Language))
def test_every_verdict_has_texts(language: Language) -> None:
    assert set(TEXTS[language].told) == set(Verdict)
    assert set(TEXTS[language].words.verdicts) == set(Verdict)


@pytest.mark.parametrize("language", list(Language))
def test_every_next_step_has_a_sentence_with_exactly_its_values(language: Language) -> None:
    steps = TEXTS[language].steps

    assert set(steps) == set(VALUES)
    for kind, template in steps.items():
        used = {name for _, name, _, _ in Formatter().parse(template) if name} - {"unit", "units"}
        assert used <= set(VALUES[kind]), kind


def test_both_languages_tell_the_same_things() -> None:
    english, chinese = TEXTS[Language.EN], TEXTS[Language.ZH]

    assert set(english.notes) == set(chinese.notes)
    assert set(english.evidence) == set(chinese.evidence)
    assert set(english.labels) == set(chinese.labels)
    for verdict in Verdict:
        assert len(english.told[verdict].what) == len(chinese.told[verdict].what), verdict


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("kind", list(XKind))
@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_message_is_three_sentences_with_all_values_or_with_none(
    verdict: Verdict, kind: XKind, language: Language
) -> None:
    for diagnosis in (complete(verdict, "measure_more"), Diagnosis(verdict, 0.0)):
        message = tell(diagnosis, kind, language)

        assert count_sentences(str(message), language) == 3
        for sentence in (message.what, message.proof, message.advice):
            assert count_sentences(sentence, language) == 1
            assert sentence[0] == sentence[0].upper()
            assert not re.search(r"[{}]|\bNone\b|\bnan\b|\binf\b", sentence), sentence


@pytest.mark.parametrize("kind", list(XKind))
@pytest.mark.parametrize("verdict", list(Verdict))
def test_english_articles_fit_the_nouns_after_them(verdict: Verdict, kind: XKind) -> None:
    for step in VALUES:
        message = str(tell(complete(verdict, step), kind, Language.EN))

        assert not re.search(r"\b[Aa] (?!one)[aeio]|\b[Aa]n [^aeiouh]", message), message


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("step", list(VALUES))
def test_every_next_step_ends_the_message(step: str, language: Language) -> None:
    assert count_sentences(tell(complete(Verdict.LINEAR, step), XKind.EPOCHS, language).advice, language) == 1


@pytest.mark.parametrize("language", list(Language))
def test_every_clause_can_be_told(language: Language) -> None:
    known = TEMPLATE_FIELDS | set(EVIDENCE)
    for told in TEXTS[language].told.values():
        clauses = [each for clause in told.proof for each in ((clause,) if isinstance(clause, str) else clause)]
        for template in (*told.what, *clauses):
            names = {name for _, name, _, _ in Formatter().parse(template) if name}
            assert names <= known, template


def test_the_question_is_answered_with_its_numbers() -> None:
    message = tell(QUESTION)

    assert "about 1,034 epochs" in message.what
    # 939 us of enqueuing, 206.7 ms of work, Q = 1,029, 23.3 TFLOP/s, 1,982 TFLOP/s against 46: 43 times
    for proof in ("939 us", "207 ms", "1,029 epochs", "1,018 to 1,040", "23.3 TFLOP/s", "1.98 PFLOP/s", "43 times"):
        assert proof in message.proof
    assert "61 % of the device's tf32 peak" in message.proof
    assert message.advice.startswith("Wait for the device")


def test_the_question_is_answered_in_chinese() -> None:
    message = tell(QUESTION, language=Language.ZH)

    assert "前约 1,034 次" in message.what
    for proof in ("939 us", "207 ms", "1,029 次", "23.3 TFLOP/s", "43 倍"):
        assert proof in message.proof


def test_a_knee_known_as_a_bracket_only_is_told_as_one() -> None:
    bracket = Diagnosis(Verdict.QUEUE_SATURATION, 0.9, knee_interval=(200.0, 800.0))

    assert "somewhere between 200 and 800 epochs" in tell(bracket).what


def test_one_call_of_warmup_has_no_number() -> None:
    warmup = Diagnosis(
        Verdict.WARMUP,
        0.9,
        steady_s_per_epoch=0.02,
        evidence={"warmup_call_count": 1.0, "warmup_s": 1.3, "warmup_stage_count": 1.0},
        next_step=NextStep("skip_warmup", {"call_count": 1.0}),
    )
    message = tell(warmup, XKind.INDEX)

    assert "the first call cost 1.30 s more" in message.proof
    assert "stages" not in message.proof
    assert "leave out the first call and" in message.advice


def test_evidence_carries_its_units_and_leaves_out_what_is_no_number() -> None:
    rows = dict(evidence_rows(QUESTION, Language.EN))

    assert rows["queue capacity, 95 % interval"] == "1,018 to 1,040"
    assert rows["device's cost of one"] == "207 ms"
    assert rows["rate"] == "23.3 TFLOP/s"
    assert rows["share of the peak"] == "61 %"
    assert "slope after the knee / before" not in rows


def test_evidence_without_a_name_of_its_own_is_shown_by_its_key() -> None:
    assert ("new_share_fraction", "25 %") in evidence_rows(
        Diagnosis(Verdict.LINEAR, 1.0, evidence={"new_share_fraction": 0.25}), Language.EN
    )


@pytest.mark.parametrize("language", list(Language))
def test_every_note_of_the_reader_is_a_sentence(language: Language) -> None:
    values = {"names": "loss (2)", "count": 1_000_000, "kept": 4096}
    for kind in TEXTS[language].notes:
        text = note_text(Note(kind, values), language)

        assert text
        assert "{" not in text


@pytest.mark.parametrize("noise", [float("inf"), float("nan"), 0.0])
def test_a_number_that_says_nothing_drops_its_clause(noise: float) -> None:
    told = tell(
        Diagnosis(Verdict.LINEAR, 1.0, flop_per_s=1e9, evidence={"noise_fraction": noise}, steady_s_per_epoch=1.0)
    )

    assert told.proof == "Each epoch takes 1.00 s; that is 1.00 GFLOP/s."


def test_a_verdict_inside_a_sentence_has_words() -> None:
    assert verdict_name(Verdict.HOST_BOUND, Language.EN) == "a device that waits for the host"
    assert verdict_name(Verdict.HOST_BOUND, Language.ZH) == "设备在等主机"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, Language.ZH),
        ({"LANG": "en_US.UTF-8"}, Language.EN),
        ({"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, Language.ZH),
        ({"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, Language.EN),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, Language.ZH),
        ({"LANG": "de_DE.UTF-8"}, Language.EN),
        ({}, Language.EN),
    ],
)
def test_the_language_follows_the_locale(environment: dict[str, str], language: Language) -> None:
    assert language_of(environment) is language
