"""A run as the JSON object of `cliffwatch run --json`."""

from collections.abc import Mapping, Sequence
from typing import Any

from bench_core.model.curve import CurvePoint
from bench_core.report.curve_table import RunCurve
from bench_core.report.diagnosis_json import plain
from bench_core.report.language import Language
from bench_core.report.messages import tell


def run_json(
    run_id: str,
    warehouse: str,
    curves: Sequence[RunCurve],
    failed_cases: Sequence[Mapping[str, Any]],
    *,
    wall_time_s: float,
    measured_time_s: float,
    language: Language = Language.EN,
) -> dict[str, Any]:
    """Plain values; what is not known, or is no finite number, is None.

    Args:
        run_id: of the run.
        warehouse: its folder.
        curves: every curve with its points and diagnosis.
        failed_cases: cases without a measurement, as plain values.
        wall_time_s: from the first case until the findings were stored.
        measured_time_s: summed wall time of the recorded samples, without warm-up, calibration or proof.
        language: of the messages.
    """
    found = {
        "run_id": run_id,
        "warehouse": warehouse,
        "curves": [_curve(run_curve, language) for run_curve in curves],
        "failed_cases": [dict(case) for case in failed_cases],
        "timing": {"wall_time_s": wall_time_s, "measured_time_s": measured_time_s},
    }
    return {name: plain(value) for name, value in found.items()}


def _curve(run_curve: RunCurve, language: Language) -> dict[str, Any]:
    curve, points, diagnosis = run_curve
    key = curve.key
    names = ("device", "precision", "mitigation", "strategy", "settings", "shape")
    return {
        **{name: None if key is None else getattr(key, name) for name in names},
        "points": [_point(point) for point in points],
        "knee_epoch_count": diagnosis.knee_epoch_count,
        "knee_interval": diagnosis.knee_interval,
        "queue_capacity": diagnosis.queue_capacity,
        "queue_capacity_interval": diagnosis.queue_capacity_interval,
        "enqueue_s_per_epoch": diagnosis.enqueue_s_per_epoch,
        "steady_s_per_epoch": diagnosis.steady_s_per_epoch,
        "flop_per_s": diagnosis.flop_per_s,
        "ceiling_flop_per_s": curve.work.ceiling_flop_per_s,
        "peak_fraction": diagnosis.peak_fraction,
        "ran_as": diagnosis.ran_as,
        "verdict": diagnosis.verdict.value,
        "also": [verdict.value for verdict in diagnosis.also],
        "confidence": diagnosis.confidence,
        "evidence": diagnosis.evidence,
        "message": str(tell(diagnosis, language=language)),
    }


def _point(point: CurvePoint) -> dict[str, Any]:
    return {
        "epoch_count": point.epoch_count,
        "enqueue_time_s": point.enqueue_time_s,
        "wall_time_s": point.wall_time_s,
        "fitted_wall_time_s": point.fitted_wall_time_s,
    }
