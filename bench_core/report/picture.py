"""Panels drawn: SVG for a page, PNG for a forum post; made offline by Altair and vl-convert."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import altair as alt
import numpy as np
import vl_convert

from bench_core.model.errors import UserError
from bench_core.report.panels import Column, Ink, Panel, Trace

_WIDTH = 620
_HEIGHT = 380
_PNG_SCALE = 2.0
_DOT = 46.0
# A line through hundreds of calls is a scribble; their dots are the picture.
_DENSE = 200
# Ticks at 1, 2 and 5 would crowd more decades than this.
_DECADES_WITH_STEPS = 2.5
# 0.02 as `20 ms`: the prefix of Vega's own format stands before the unit.
_DURATION = (
    "datum.value === 0 ? '0' : datum.value >= 1 ? format(datum.value, ',') + ' s'"
    " : replace(format(datum.value, '~s'), /([mµnp]?)$/, ' $1s')"
)
_GAP_POINTS = 120
_LABEL_HEIGHT = 36.0
_LABEL_CHARACTERS = 22

# Okabe and Ito's palette, told apart under every common colour blindness and in print: blue and vermilion.
_COLOURS = {Ink.STOPWATCH: "#0072B2", Ink.TOOK: "#D55E00", Ink.FITTED: "#D55E00", Ink.DISPROVEN: "#666666"}
_DASHES = {Ink.STOPWATCH: [1, 0], Ink.TOOK: [1, 0], Ink.FITTED: [7, 4], Ink.DISPROVEN: [2, 3]}
_GAP = "#F3D9C6"
_TEXT = "#222222"
_MUTED = "#666666"
_FONT = "DejaVu Sans, Noto Sans CJK SC, Microsoft YaHei, PingFang SC, Helvetica, Arial, sans-serif"


def to_svg(panels: Sequence[Panel]) -> str:
    """The panels below each other as one self-contained SVG."""
    return str(vl_convert.vegalite_to_svg(_specification(panels)))


def to_png(panels: Sequence[Panel]) -> bytes:
    """The panels below each other as a PNG of twice screen resolution."""
    return bytes(vl_convert.vegalite_to_png(_specification(panels), scale=_PNG_SCALE))


def write_picture(panels: Sequence[Panel], path: Path) -> None:
    """Draw the panels into a file whose name ends in .svg or .png.

    Raises:
        UserError: the file cannot be written.
    """
    data = to_png(panels) if path.suffix.lower() == ".png" else to_svg(panels).encode()
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error


def _specification(panels: Sequence[Panel]) -> dict[str, Any]:
    charts = [_panel(panel) for panel in panels]
    chart = charts[0] if len(charts) == 1 else alt.vconcat(*charts, spacing=36)
    configured = (
        chart.configure(font=_FONT, background="white", padding=16)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12,
            titleFontSize=13,
            titleFontWeight="normal",
            titleColor=_TEXT,
            labelColor=_TEXT,
            gridColor="#E6E6E6",
            domainColor="#999999",
            tickColor="#999999",
        )
        .configure_title(fontSize=15, anchor="start", frame="group", color=_TEXT, offset=14, subtitleColor=_MUTED)
    )
    specification: dict[str, Any] = configured.to_dict()
    return specification


def _panel(panel: Panel) -> Any:
    layers: list[alt.Chart] = []
    if panel.gap_label is not None:
        layers += _gap(panel, panel.gap_label)
    if panel.knee is not None:
        layers += _knee(panel, *panel.knee)
    for trace in panel.traces:
        layers += _line(panel, trace)
    layers += _line_labels(panel)
    return alt.layer(*layers).properties(title=panel.title, width=_WIDTH, height=_HEIGHT)


def _line(panel: Panel, trace: Trace) -> list[alt.Chart]:
    base = alt.Chart(_rows(trace.x, trace.y)).encode(_x(panel), _y(panel))
    line = base.mark_line(color=_COLOURS[trace.ink], strokeWidth=2.5, strokeDash=_DASHES[trace.ink])
    dots = base.mark_point(color=_COLOURS[trace.ink], filled=True, size=_DOT, opacity=1)
    if len(trace.x) > _DENSE:
        return [dots.mark_point(color=_COLOURS[trace.ink], filled=True, size=_DOT / 4, opacity=0.6)]
    return [line, dots] if trace.is_marked else [line]


def _line_labels(panel: Panel) -> list[alt.Chart]:
    """Each line's name at its right end, beside the axes, pushed apart where two ends meet."""
    ends = sorted(panel.traces, key=lambda trace: float(trace.y[-1]), reverse=True)
    layers = []
    floor = -np.inf
    for trace in ends:
        height = _pixels_from_top(panel, float(trace.y[-1]))
        placed = max(height, floor)
        floor = placed + _LABEL_HEIGHT
        text = {
            "x": float(trace.x[-1]),
            "y": float(trace.y[-1]),
            "label": "\n".join(wrap(trace.label, _LABEL_CHARACTERS)),
        }
        mark = alt.Chart(_data([text])).mark_text(
            align="left",
            baseline="middle",
            dx=12,
            dy=placed - height,
            lineBreak="\n",
            fontSize=13,
            fontWeight="bold",
            color=_COLOURS[trace.ink],
            clip=False,
        )
        layers.append(mark.encode(_x(panel), _y(panel), text="label:N"))
    return layers


def _gap(panel: Panel, label: str) -> list[alt.Chart]:
    """The area between the two lines, with its name where there is room for it."""
    shown, took = panel.traces[:2]
    first, last = max(shown.x[0], took.x[0]), min(shown.x[-1], took.x[-1])
    spread = np.geomspace(first, last, _GAP_POINTS) if panel.is_log_x else np.linspace(first, last, _GAP_POINTS)
    x = np.unique(np.concatenate([spread, shown.x, took.x]).clip(first, last))
    low = _drawn_at(panel, shown, x)
    high = np.maximum(_drawn_at(panel, took, x), low)
    rows = [{"x": a, "y": b, "top": c} for a, b, c in zip(x.tolist(), low.tolist(), high.tolist(), strict=True)]
    area = alt.Chart(_data(rows)).mark_area(color=_GAP, opacity=0.75)
    layers = [area.encode(_x(panel), _y(panel), y2="top:Q")]
    place = int(np.searchsorted(x, panel.knee[0]).clip(0, len(x) - 1)) if panel.knee else int(np.argmax(high / low))
    bottom, top = float(low[place]), float(high[place])
    if _pixels_from_top(panel, bottom) - _pixels_from_top(panel, top) >= 2 * _LABEL_HEIGHT:
        at = panel.knee[0] if panel.knee else float(x[place])
        layers.append(_gap_label(panel, at, _between(panel, bottom, top), label))
    return layers


def _drawn_at(panel: Panel, trace: Trace, x: Column) -> Column:
    """Where the straight pieces of a line are drawn at x, shape of x."""
    if panel.is_log_x and panel.is_log_y:
        return np.exp(np.interp(np.log(x), np.log(trace.x), np.log(trace.y)))
    return np.interp(x, trace.x, trace.y)


def _gap_label(panel: Panel, x: float, y: float, label: str) -> Any:
    row = {"x": x, "y": y, "label": "\n".join(wrap(label, 14))}
    mark = alt.Chart(_data([row])).mark_text(
        align="right", baseline="middle", dx=-10, lineBreak="\n", fontSize=12, color="#8A4B1F"
    )
    return mark.encode(_x(panel), _y(panel), text="label:N")


def _knee(panel: Panel, count: float, label: str) -> list[alt.Chart]:
    rule = alt.Chart(_data([{"x": count, "label": label}])).encode(_x(panel))
    line = rule.mark_rule(color=_MUTED, strokeWidth=1.2, strokeDash=[3, 3])
    text = rule.mark_text(align="left", baseline="top", dx=6, fontSize=12, color=_MUTED).encode(
        text="label:N", y=alt.value(2)
    )
    return [line, text]


def _x(panel: Panel) -> alt.X:
    low, high = _domain([trace.x for trace in panel.traces], is_log=panel.is_log_x)
    axis = _axis(low, high, "format(datum.value, ',')", is_log=panel.is_log_x, is_grid=False)
    return alt.X("x:Q", title=panel.x_title, scale=_scale(low, high, is_log=panel.is_log_x), axis=axis)


def _y(panel: Panel) -> alt.Y:
    low, high = _domain([trace.y for trace in panel.traces], is_log=panel.is_log_y)
    axis = _axis(low, high, _DURATION, is_log=panel.is_log_y, is_grid=True)
    return alt.Y("y:Q", title=panel.y_title, scale=_scale(low, high, is_log=panel.is_log_y), axis=axis)


def _axis(low: float, high: float, label: str, *, is_log: bool, is_grid: bool) -> alt.Axis:
    if is_log:
        return alt.Axis(labelExpr=label, grid=is_grid, values=_log_ticks(low, high))
    return alt.Axis(labelExpr=label, grid=is_grid, tickCount=7)


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten; 2 and 5 times them too where there are few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if math.log10(high / low) < _DECADES_WITH_STEPS else (1,)
    ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def _scale(low: float, high: float, *, is_log: bool) -> alt.Scale:
    return alt.Scale(type="log" if is_log else "linear", domain=[low, high], nice=False, zero=False)


def _domain(columns: Sequence[Column], *, is_log: bool) -> tuple[float, float]:
    low, high = min(float(each.min()) for each in columns), max(float(each.max()) for each in columns)
    if is_log:
        return low / 1.25, high * 1.25
    return 0.0, high * 1.04


def _pixels_from_top(panel: Panel, y: float) -> float:
    low, high = _domain([trace.y for trace in panel.traces], is_log=panel.is_log_y)
    if panel.is_log_y:
        low, high, y = np.log(low), np.log(high), np.log(y)
    return float(_HEIGHT * (high - y) / (high - low))


def _between(panel: Panel, low: float, high: float) -> float:
    """The value drawn a little below halfway, where a gap that opens to the right is widest."""
    share = 0.4
    return float(low * (high / low) ** share) if panel.is_log_y else low + share * (high - low)


def _rows(x: Column, y: Column) -> Any:
    return _data([{"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)])


def _data(rows: Sequence[Mapping[str, Any]]) -> Any:
    # Altair's schema classes have untyped constructors.
    return alt.Data(values=list(rows))  # type: ignore[no-untyped-call]
