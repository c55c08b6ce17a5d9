"""A run as the JSON object of `cliffwatch run --json`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from bench_core.model.curve import CurvePoint
from bench_core.model.hypothesis import HypothesisTest, MitigationEffect
from bench_core.report.curve_table import RunCurve
from bench_core.report.diagnosis_json import diagnosis_json, plain
from bench_core.report.language import Language
from bench_core.report.messages import tell


def run_json(
    run_id: str,
    warehouse: str,
    curves: Sequence[RunCurve],
    failed_cases: Sequence[Mapping[str, Any]],
    timing: Mapping[str, float],
    hypotheses: Sequence[HypothesisTest] = (),
    effects: Sequence[MitigationEffect] = (),
    language: Language = Language.EN,
) -> dict[str, Any]:
    """Plain values under the names the records use; what is not known, or is no finite number, is None.

    Args:
        run_id: of the run.
        warehouse: its folder.
        curves: every curve with its points and diagnosis.
        failed_cases: cases without a measurement, as plain values.
        timing: `wall_time_s` from the first case until the findings were stored, `measured_time_s` summed over the
            recorded samples, without warm-up, calibration or proof.
        hypotheses: the usual explanations, tested.
        effects: each mitigation against the control.
        language: of the messages.
    """
    found = {
        "run_id": run_id,
        "warehouse": warehouse,
        "curves": [_curve(run_curve, language) for run_curve in curves],
        "failed_cases": [dict(case) for case in failed_cases],
        "timing": dict(timing),
        "hypotheses": [asdict(test) for test in hypotheses],
        "mitigation_effects": [asdict(effect) for effect in effects],
    }
    return {name: plain(value) for name, value in found.items()}


def _curve(run_curve: RunCurve, language: Language) -> dict[str, Any]:
    curve, points, diagnosis = run_curve
    key = curve.key
    names = ("device", "precision", "mitigation", "strategy", "settings", "shape")
    return {
        **{name: None if key is None else getattr(key, name) for name in names},
        "proof": None if curve.proof is None else plain(asdict(curve.proof)),
        "points": [_point(point) for point in points],
        "flop_per_epoch": curve.work.flop_per_epoch,
        "ceiling_flop_per_s": curve.work.ceiling_flop_per_s,
        **diagnosis_json(diagnosis, str(tell(diagnosis, language=language))),
    }


def _point(point: CurvePoint) -> dict[str, Any]:
    return {
        "epoch_count": point.epoch_count,
        "enqueue_time_s": point.enqueue_time_s,
        "wall_time_s": point.wall_time_s,
        "fitted_wall_time_s": point.fitted_wall_time_s,
    }
