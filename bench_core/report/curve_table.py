"""One scaling curve as rows to read: what a stopwatch shows, what it took, and what that means per epoch."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench_core.model.curve import CurvePoint, ScalingCurve
from bench_core.model.diagnosis import Diagnosis
from bench_core.model.units import format_count, format_duration, format_rate

RunCurve = tuple[ScalingCurve, tuple[CurvePoint, ...], Diagnosis]

UNKNOWN = "-"


@dataclass(frozen=True, slots=True)
class CurveRow:
    """One epoch count, ready to be read; `UNKNOWN` where nobody measured.

    Attributes:
        shows: what a stopwatch without synchronization shows.
        took: wall time.
        is_fitted: whether `took`, and what follows from it, is fitted and not measured.
    """

    epoch_count: str
    shows: str
    took: str
    per_epoch: str
    rate: str
    is_fitted: bool

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """The five columns."""
        return self.epoch_count, self.shows, self.took, self.per_epoch, self.rate


def curve_rows(points: Sequence[CurvePoint], flop_per_epoch: float | None) -> list[CurveRow]:
    """The points of a curve as rows."""
    return [_row(point, flop_per_epoch) for point in points]


def curve_title(curve: ScalingCurve) -> str:
    """`none, fp32, 512x784x512 on cpu-async`; empty for a curve of no run."""
    key = curve.key
    return "" if key is None else f"{key.mitigation}, {key.precision}, {key.shape} on {key.device}"


def _row(point: CurvePoint, flop_per_epoch: float | None) -> CurveRow:
    took_s = point.wall_time_s if point.wall_time_s is not None else point.fitted_wall_time_s
    # A fitted line can start below zero, where it says nothing.
    took_s = took_s if took_s is not None and took_s > 0 else None
    is_fitted = point.wall_time_s is None and took_s is not None
    per_epoch_s = took_s / point.epoch_count if took_s else None
    return CurveRow(
        format_count(point.epoch_count),
        _duration(point.enqueue_time_s),
        _duration(took_s),
        _duration(per_epoch_s),
        UNKNOWN if per_epoch_s is None or flop_per_epoch is None else format_rate(flop_per_epoch / per_epoch_s),
        is_fitted,
    )


def _duration(seconds: float | None) -> str:
    return UNKNOWN if seconds is None else format_duration(seconds)
