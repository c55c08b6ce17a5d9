"""Every public report with a usable table gets a verdict that is right for it."""

import json
import subprocess
import sys

import pytest
from public_reports import REPORTS, Report
from timings import calls, sizes, totals

from bench_core.analyze.diagnose import diagnose
from bench_core.model.diagnosis import Diagnosis, Verdict

CERTAIN = [report for report in REPORTS if report.is_certain]


def diagnosis_of(report: Report) -> Diagnosis:
    if report.kind == "epochs":
        return diagnose(totals(report.x, report.seconds))
    return diagnose(calls(report.seconds, report.x) if report.kind == "index" else sizes(report.x, report.seconds))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_the_verdict_is_an_accepted_one(report: Report) -> None:
    verdict = diagnosis_of(report).verdict

    assert verdict in report.accepted, f"{report.cause}: {report.derivation}"


def test_nine_in_ten_of_the_certain_causes_are_found() -> None:
    decided = [report for report in CERTAIN if diagnosis_of(report).verdict is not Verdict.INCONCLUSIVE]

    assert len(CERTAIN) == 14
    assert len(decided) >= 0.9 * len(CERTAIN)


@pytest.mark.parametrize("report", CERTAIN, ids=lambda report: report.name)
def test_two_percent_of_noise_change_no_certain_verdict_to_a_wrong_one(report: Report) -> None:
    # Every reading off by up to 2 %, in a fixed pattern.
    factors = [1.02, 0.98, 1.01, 0.99, 1.0, 0.985, 1.015]
    seconds = tuple(value * factors[i % len(factors)] for i, value in enumerate(report.seconds))
    moved = Report(report.name, report.kind, report.x, seconds, report.accepted, True, report.cause, report.derivation)

    assert diagnosis_of(moved).verdict in report.accepted | {Verdict.INCONCLUSIVE}


def test_the_figures_of_the_verdicts_are_those_derived_beside_the_tables() -> None:
    found = {report.derivation: diagnosis_of(report) for report in REPORTS}
    by_start = {key[:20]: value for key, value in found.items()}

    knee = by_start["Line of the last fou"]
    assert knee.knee_epoch_count == pytest.approx(1033, rel=0.005)
    assert by_start["1,000 calls at 4.5 u"].queue_capacity == pytest.approx(976, rel=0.005)
    assert by_start["Flat to call 200, 20"].queue_capacity == pytest.approx(199, rel=0.005)
    assert by_start["(440 - 40) + (70 - 4"].intercept_s == pytest.approx(430)
    assert by_start["1.3256 - 0.0210 = 1."].intercept_s == pytest.approx(1.3046, rel=0.001)
    assert by_start["8.08 s against 0.146"].evidence["period_calls"] == 6
    assert by_start["4.55 us + bytes / 86"].evidence["crossover_size"] == pytest.approx(393e3, rel=0.1)
    assert by_start["(3.51 - 2.30) / 9,90"].evidence["s_per_size_unit"] == pytest.approx(1.22e-4, rel=0.01)


def test_the_command_says_the_same_of_a_pasted_table() -> None:
    report = REPORTS[0]
    table = "\n".join(["epochs  seconds", *(f"{x}  {s}" for x, s in zip(report.x, report.seconds, strict=True))])

    run = subprocess.run(
        [sys.executable, "-m", "flows.cli", "diagnose", "-", "--json"], input=table, capture_output=True, text=True
    )

    assert json.loads(run.stdout)["verdict"] == diagnosis_of(report).verdict
