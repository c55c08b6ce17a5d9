"""What a picture shows, as numbers: lines against epochs, calls or sizes, a gap between two of them, and marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bench_core.model.curve import CallSeries, CurvePoint, Observations, ScalingCurve, SizeSweep
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.proof import ProofVerdict
from bench_core.model.units import format_count
from bench_core.report.language import Language

Column = npt.NDArray[np.float64]

# A picture is some 700 pixels wide: more marks than this hide each other and make the file large.
MAX_MARKS = 1500
# Beyond a factor of 50 the small counts of a linear axis are one blot at its left end.
_LOG_X_FROM = 50.0
_LOG_Y_FROM = 30.0


class Ink(StrEnum):
    """What a line stands for; the picture gives each one colour and stroke."""

    STOPWATCH = "stopwatch"
    TOOK = "took"
    FITTED = "fitted"
    DISPROVEN = "disproven"


@dataclass(frozen=True, slots=True)
class Trace:
    """One line; x strictly increasing, shape (n,), y of the same shape in seconds.

    Attributes:
        is_marked: whether each reading gets a dot; fitted values get none.
    """

    label: str
    ink: Ink
    x: Column
    y: Column
    is_marked: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    Attributes:
        gap_label: what lies between the first two traces, written into it; None where nothing is hidden.
        knee: where to draw an upright line, with its label.
    """

    title: str
    x_title: str
    y_title: str
    traces: tuple[Trace, ...]
    is_log_x: bool
    is_log_y: bool
    gap_label: str | None = None
    knee: tuple[float, str] | None = None


# Verdicts of a time that belongs to other work than was asked for, or to none.
_DISBELIEVED = (Verdict.WORK_ELIMINATED, Verdict.IMPLAUSIBLE_RATE)
_NOT_DISPROVEN = (None, ProofVerdict.PROVEN.value, ProofVerdict.UNPROVEN.value)

_WORDS = {
    Language.EN: {
        "stopwatch": "what an unsynchronized stopwatch shows",
        "took": "what it took",
        "fitted": "what it takes (fitted)",
        "disproven": "disproven: no time of this work",
        "gap": "hidden from the stopwatch",
        "knee": "knee: {epoch_count} epochs",
        "epochs": "epochs",
        "time": "time",
        "call": "call",
        "time_per_call": "time of one call",
        "size": "problem size",
        "calls": "one call",
        "second": "synchronized, or the other device",
    },
    Language.ZH: {
        "stopwatch": "未同步的计时显示",
        "took": "实际耗时",
        "fitted": "实际耗时（拟合）",
        "disproven": "已被否定：不是这项计算的耗时",
        "gap": "计时没有看到的部分",
        "knee": "拐点：{epoch_count} 次",
        "epochs": "次数（epoch）",
        "time": "时间",
        "call": "第几次调用",
        "time_per_call": "单次调用时间",
        "size": "问题规模",
        "calls": "单次调用",
        "second": "同步后的时间，或另一设备",
    },
}


def curve_panel(
    title: str, points: Sequence[CurvePoint], diagnosis: Diagnosis, language: Language = Language.EN
) -> Panel:
    """Both curves of one case against epochs: the stopwatch's readings and what the epochs took.

    Args:
        title: what tells this curve from the others of its picture.
        points: rows of the curve, at least one.
        diagnosis: its knee is marked; where nobody waited, its cost per epoch gives the line of what it took; where it
            says that the work was not done, no line claims to be what the work took.
        language: of the labels.
    """
    words = _WORDS[language]
    shown = _trace(words["stopwatch"], Ink.STOPWATCH, [(each.epoch_count, each.enqueue_time_s) for each in points])
    took = _took(points, diagnosis, words)
    traces = tuple(trace for trace in (shown, took) if trace is not None)
    return Panel(
        title,
        words["epochs"],
        words["time"],
        traces,
        *_scales(traces, is_log_y_needed=False),
        gap_label=words["gap"] if took and took.ink is not Ink.DISPROVEN and _has_gap(shown, took) else None,
        knee=_knee(diagnosis, words),
    )


def observation_panel(
    title: str,
    observations: Observations,
    points: Sequence[CurvePoint],
    diagnosis: Diagnosis,
    language: Language = Language.EN,
) -> Panel:
    """The picture of one diagnosed table.

    Args:
        title: shown above it.
        observations: what was diagnosed.
        points: rows of a scaling curve; not looked at for the other kinds.
        diagnosis: what was found.
        language: of the labels.
    """
    if isinstance(observations, ScalingCurve):
        return curve_panel(title, points, diagnosis, language)
    words = _WORDS[language]
    x = observations.index if isinstance(observations, CallSeries) else observations.size
    x_title = words["call"] if isinstance(observations, CallSeries) else words["size"]
    traces = [_thinned(Trace(words["calls"], Ink.STOPWATCH, x, observations.seconds))]
    if observations.synchronized_s is not None:
        traces.append(_thinned(Trace(words["second"], Ink.TOOK, x, observations.synchronized_s)))
    is_sweep = isinstance(observations, SizeSweep)
    scales = _scales(tuple(traces), is_log_y_needed=True)
    # A size sweep is a power law, which is straight on two log axes.
    is_log_x = bool(x[0] > 0) if is_sweep else False
    return Panel(title, x_title, words["time_per_call"], tuple(traces), is_log_x, is_sweep or scales[1])


def _took(points: Sequence[CurvePoint], diagnosis: Diagnosis, words: dict[str, str]) -> Trace | None:
    waited = [(each.epoch_count, each.wall_time_s) for each in points]
    if diagnosis.verdict in _DISBELIEVED or diagnosis.evidence.get("proof_verdict") not in _NOT_DISPROVEN:
        return _trace(words["disproven"], Ink.DISPROVEN, waited)
    measured = _trace(words["took"], Ink.TOOK, waited)
    if measured is not None and len(measured.x) > 1:
        return measured
    fitted = [(each.epoch_count, each.fitted_wall_time_s or each.wall_time_s) for each in points]
    s_per_epoch = diagnosis.steady_s_per_epoch
    if diagnosis.verdict is Verdict.QUEUE_SATURATION and s_per_epoch and measured is None:
        start_s = diagnosis.intercept_s or 0.0
        fitted = [(each.epoch_count, start_s + s_per_epoch * each.epoch_count) for each in points]
    return _trace(words["fitted"], Ink.FITTED, fitted, is_marked=False)


def _trace(label: str, ink: Ink, pairs: Sequence[tuple[int, float | None]], *, is_marked: bool = True) -> Trace | None:
    known = sorted((count, seconds) for count, seconds in pairs if seconds is not None and seconds > 0)
    if not known:
        return None
    counts, seconds = zip(*known, strict=True)
    return _thinned(Trace(label, ink, np.array(counts, dtype=np.float64), np.array(seconds), is_marked))


def _thinned(trace: Trace) -> Trace:
    """Evenly fewer marks; the slowest of each stretch stays, as spikes are what such a picture is looked at for."""
    if len(trace.x) <= MAX_MARKS:
        return trace
    stretches = np.array_split(np.arange(len(trace.x)), MAX_MARKS)
    kept = np.array([stretch[np.argmax(trace.y[stretch])] for stretch in stretches])
    return Trace(trace.label, trace.ink, trace.x[kept], trace.y[kept], trace.is_marked)


def _has_gap(shown: Trace | None, took: Trace | None) -> bool:
    if shown is None or took is None:
        return False
    at_shown = np.interp(shown.x, took.x, took.y)
    # Under a tenth nothing would be seen between the lines.
    return bool((at_shown > 1.1 * shown.y).any())


def _knee(diagnosis: Diagnosis, words: dict[str, str]) -> tuple[float, str] | None:
    count = diagnosis.knee_epoch_count
    return None if count is None else (count, words["knee"].format(epoch_count=format_count(count)))


def _scales(traces: Sequence[Trace], *, is_log_y_needed: bool) -> tuple[bool, bool]:
    """Whether x and y are logarithmic. Totals need both together: a line through the origin stays straight."""
    x = np.concatenate([trace.x for trace in traces])
    y = np.concatenate([trace.y for trace in traces])
    is_log_x = bool(x.min() > 0 and x.max() / x.min() > _LOG_X_FROM)
    is_log_y = bool(y.max() / y.min() > _LOG_Y_FROM)
    return is_log_x, (is_log_y if is_log_y_needed else is_log_x)
