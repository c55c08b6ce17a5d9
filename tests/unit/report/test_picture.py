"""What a picture shows, and that it can be drawn where nothing can be fetched."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from example_run import KNEE, S_PER_EPOCH, fair, saturated

from bench_core.model.curve import CallSeries, CurvePoint, SizeSweep
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.errors import UserError
from bench_core.report.language import Language
from bench_core.report.panels import MAX_MARKS, Ink, Panel, curve_panel, observation_panel
from bench_core.report.picture import to_png, to_svg, write_picture

SVG = "{http://www.w3.org/2000/svg}"
LINEAR = Diagnosis(Verdict.LINEAR, 1.0)


def saturated_panel(language: Language = Language.EN) -> Panel:
    _, points, diagnosis = saturated()
    return curve_panel("none", points, diagnosis, language)


def texts_of(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_both_curves_the_gap_and_the_knee_are_shown() -> None:
    panel = saturated_panel()

    assert [trace.ink for trace in panel.traces] == [Ink.STOPWATCH, Ink.TOOK]
    assert panel.gap_label == "hidden from the stopwatch"
    assert panel.knee == (KNEE, "knee: 1,138 epochs")
    assert (panel.is_log_x, panel.is_log_y) == (False, False)


def test_what_it_took_is_measured_where_it_was_and_never_a_fit_among_measured_dots() -> None:
    took = saturated_panel().traces[1]

    # 1,500 epochs were not waited for.
    assert took.x.tolist() == [100, 400, 1000, 2000]


def test_where_nobody_waited_what_it_takes_is_a_fitted_line_without_dots() -> None:
    _, points, diagnosis = saturated()
    unwaited = [CurvePoint(point.epoch_count, point.enqueue_time_s) for point in points]
    fitted = curve_panel("none", unwaited, diagnosis).traces[1]

    assert (fitted.ink, fitted.is_marked) == (Ink.FITTED, False)
    assert fitted.y.tolist() == pytest.approx([S_PER_EPOCH * count for count in fitted.x])


@pytest.mark.parametrize(
    "diagnosis",
    [
        Diagnosis(Verdict.WORK_ELIMINATED, 1.0),
        Diagnosis(Verdict.IMPLAUSIBLE_RATE, 1.0),
        Diagnosis(Verdict.INCONCLUSIVE, 1.0, evidence={"proof_verdict": "wrong_product"}),
    ],
)
def test_no_line_claims_to_be_what_undone_work_took(diagnosis: Diagnosis) -> None:
    points = [CurvePoint(20, 5e-4, 6e-4), CurvePoint(50, 1e-3, 2e-3)]
    panel = curve_panel("dropped", points, diagnosis)

    assert [trace.ink for trace in panel.traces] == [Ink.STOPWATCH, Ink.DISPROVEN]
    assert panel.traces[1].label == "disproven: no time of this work"
    assert panel.gap_label is None


def test_curves_that_agree_have_no_gap() -> None:
    _, points, diagnosis = fair()

    assert curve_panel("kept", points, diagnosis).gap_label is None


def test_counts_over_decades_are_drawn_on_log_axes() -> None:
    points = [CurvePoint(count, 1e-3 * count) for count in (1, 10, 1000)]
    panel = curve_panel("wide", points, LINEAR)

    assert (panel.is_log_x, panel.is_log_y) == (True, True)


def test_a_long_series_keeps_its_spikes() -> None:
    seconds = np.full(100_000, 0.01)
    seconds[70_001] = 0.5
    panel = observation_panel("", CallSeries(np.arange(100_000.0), seconds), (), LINEAR)
    (trace,) = panel.traces

    assert len(trace.x) == MAX_MARKS
    assert trace.y.max() == 0.5


def test_a_size_sweep_is_a_power_law_on_log_axes() -> None:
    size = np.array([512.0, 1024.0, 2048.0])
    panel = observation_panel("", SizeSweep(size, 1e-12 * size**3, size * 1e-6), (), LINEAR)

    assert (panel.is_log_x, panel.is_log_y) == (True, True)
    assert len(panel.traces) == 2


def test_the_svg_says_what_it_shows_and_loads_nothing() -> None:
    svg = to_svg([saturated_panel()])
    texts = texts_of(svg)

    for label in ("what it took", "knee: 1,138 epochs", "epochs", "8 s", "2,000"):
        assert label in texts
    assert "href" not in svg
    assert "<script" not in svg


def test_the_svg_is_labelled_in_the_readers_language() -> None:
    assert "实际耗时" in texts_of(to_svg([saturated_panel(Language.ZH)]))


@pytest.mark.parametrize(
    ("seconds", "label"), [(2e-6, "2 µs"), (0.02, "20 ms"), (20.0, "20 s"), (20_000.0, "20,000 s")]
)
def test_times_are_labelled_with_their_unit(seconds: float, label: str) -> None:
    points = [CurvePoint(1, seconds / 2), CurvePoint(2, seconds)]

    assert label in texts_of(to_svg([curve_panel("", points, LINEAR)]))


def test_several_panels_stand_below_each_other() -> None:
    one, two = (ElementTree.fromstring(to_svg([saturated_panel()] * count)) for count in (1, 2))

    assert float(two.attrib["height"]) > 1.8 * float(one.attrib["height"])


def test_the_png_is_large_enough_to_print() -> None:
    png = to_png([saturated_panel()])

    assert png.startswith(b"\x89PNG")
    # Width in pixels stands at byte 16: two for each of the picture's 620 and its labels.
    assert int.from_bytes(png[16:20]) > 1500


def test_a_picture_goes_where_its_name_says(tmp_path: Path) -> None:
    for name in ("out.svg", "out.PNG"):
        write_picture([saturated_panel()], tmp_path / name)

    assert (tmp_path / "out.svg").read_text().startswith("<svg")
    assert (tmp_path / "out.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        write_picture([saturated_panel()], tmp_path / "missing" / "out.svg")


def test_only_the_picture_module_loads_altair() -> None:
    program = (
        "import sys, bench_core.report.run_text, bench_core.report.run_html, bench_core.report.run_json;"
        "print({'altair', 'vl_convert'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"
