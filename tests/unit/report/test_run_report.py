"""The report of a run, whole, and what it must say."""

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from example_run import RUN, eliminated, fair, saturated

from bench_core.report.curve_table import curve_rows
from bench_core.report.language import Language
from bench_core.report.run_html import run_html
from bench_core.report.run_json import run_json
from bench_core.report.run_text import run_text

GOLDEN = Path(__file__).parents[2] / "golden" / "report"
CURVES = (saturated(), eliminated(), fair())


def assert_golden(name: str, text: str) -> None:
    """The text is the recorded one; `GOLDEN=write pytest` records it anew, for the change to be read in the diff."""
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", list(Language))
def test_the_text_is_the_recorded_one(language: Language) -> None:
    assert_golden(f"run.{language}.txt", run_text(RUN, CURVES, language) + "\n")


@pytest.mark.parametrize("language", list(Language))
def test_the_page_is_the_recorded_one(language: Language) -> None:
    pictures = [f"<svg><title>{number}</title></svg>" for number in range(len(CURVES))]

    assert_golden(f"run.{language}.html", run_html(RUN, CURVES, pictures, language))


def test_a_fitted_value_is_marked_and_a_measured_one_is_not() -> None:
    _, points, _ = saturated()
    rows = curve_rows(points, 1e9)

    assert [row.is_fitted for row in rows] == [False, False, False, True, False]
    # 1,500 x 4 ms; 1e9 FLOP / 4 ms
    assert rows[3].cells == ("1,500", "1.90 s", "6.00 s", "4.00 ms", "250 GFLOP/s")
    assert len(re.findall(r"6\.00 s \*", run_text(RUN, CURVES))) == 1


def test_a_loop_that_did_no_work_is_no_mitigation_by_its_verdict_under_any_name() -> None:
    report = run_text(RUN, [saturated(), eliminated("fast_path")])

    assert "fast_path did no work, and so it is no mitigation." in report


def test_a_saturated_run_says_knee_capacity_constant_cost_and_impossible_rate() -> None:
    report = " ".join(run_text(RUN, CURVES).split())

    for finding in (
        "about 1,138 epochs go into a queue",
        "a queue of 1,024 epochs (95 % interval 1,010 to 1,040)",
        "the device's cost per epoch is constant",
        # 1,000 epochs of 411 MFLOP in 0.4 s: 1.03 TFLOP/s, against a ceiling of 110 GFLOP/s
        "At 1,000 epochs the stopwatch would mean 1.03 TFLOP/s, 9.3 times the 110 GFLOP/s",
        "1,024 epochs at the bend, 1,020 from what was left to wait for",
    ):
        assert finding in report


def test_costs_that_differ_are_not_called_constant() -> None:
    curve, points, diagnosis = saturated()
    # Dearest in the middle, at 6 ms an epoch; the longest loop as before.
    dearer = [replace(point, wall_time_s=6e-3 * 400) if point.epoch_count == 400 else point for point in points]

    report = " ".join(run_text(RUN, [(curve, dearer, diagnosis)]).split())

    assert "the longest loop no more than the shortest: nothing gets slower at the knee" in report
    assert "cost per epoch is constant" not in report


class _Page(HTMLParser):
    """What a page loads, and whether its elements close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_self_contained() -> None:
    page = _Page()
    page.feed(run_html(RUN, CURVES))

    assert (page.open, page.loaded) == ([], [])


def test_names_cannot_break_the_page() -> None:
    page = run_html(RUN, [eliminated("<script>")])

    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_picture_is_needed_for_every_curve_or_for_none() -> None:
    with pytest.raises(ValueError, match="1 pictures for 3 curves"):
        run_html(RUN, CURVES, ["<svg/>"])


def test_the_json_object_has_every_key_and_plain_values() -> None:
    timing = {"wall_time_s": 60.5, "measured_time_s": float("nan")}
    found = run_json("r1", "/data", CURVES, [{"case_id": "c", "outcome": "crashed"}], timing)
    first = found["curves"][0]

    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found) >= {"run_id", "warehouse", "curves", "failed_cases", "timing"}
    assert found["timing"] == {"wall_time_s": 60.5, "measured_time_s": None}
    assert (first["mitigation"], first["strategy"], first["settings"]) == ("none", "none", [])
    assert first["points"][3] == {
        "epoch_count": 1500,
        "enqueue_time_s": pytest.approx(1.9032),
        "wall_time_s": None,
        "fitted_wall_time_s": 6.0,
    }
    assert (first["verdict"], first["queue_capacity_interval"]) == ("queue_saturation", [1010.0, 1040.0])
    assert first["ceiling_flop_per_s"] == 1.1e11
