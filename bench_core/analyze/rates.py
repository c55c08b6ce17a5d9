"""What a time means as a rate, and whether any device could run at it."""

from dataclasses import dataclass

from bench_core.analyze.peaks import find_card
from bench_core.model.curve import Work

# Above the nominal peak by this much is still possible: clocks boost beyond the data sheet. 13 % was seen and
# legitimate (peaks.BOOST_HEADROOM_FRACTION); a fifth is the limit before calling a time impossible.
POSSIBLE_PEAK_FRACTION = 1.2
# What decides between two precisions, both possible: no legitimate reading was more than 13 % above its peak.
PLAUSIBLE_PEAK_FRACTION = 1.15

# Queued epochs overlap on the host's side, so their slope is about 0.8 of a synchronised epoch's cost (measured on
# TensorFlow's CPU executor): a rate up to 1/0.8 of a synchronised ceiling is pipelining, not missing work.
PIPELINING_RATIO = 1.25

# Where nobody said what the device is: no single device on sale has reached these (10 PFLOP/s dense at 16 bits;
# 10 TB/s of memory), with working sets too large for a cache.
_ANY_DEVICE_FLOP_PER_S = 1e16
_ANY_DEVICE_BYTES_PER_S = 1e13
_BEYOND_ANY_CACHE_BYTES = 2**28

# Precisions a device may compute in when asked for one, in the order a rate is held against them.
_COMPUTED_IN = {
    "fp32": ("fp32", "tf32"),
    "tf32": ("tf32",),
    "fp16": ("fp16",),
    "bf16": ("bf16",),
    None: ("fp32", "tf32", "fp16"),
}


@dataclass(frozen=True, slots=True)
class Rate:
    """One epoch's time as a rate.

    Attributes:
        limit_flop_per_s: the highest rate that is still possible; None if nothing is known to hold it against.
        peak_fraction: share of the peak of `ran_as`; None without a peak.
        ran_as: the slowest precision the rate is compatible with; None if no peak tells, or the rate is impossible.
    """

    flop_per_s: float | None = None
    bytes_per_s: float | None = None
    limit_flop_per_s: float | None = None
    peak_fraction: float | None = None
    ran_as: str | None = None
    is_impossible: bool = False

    @property
    def excess(self) -> float | None:
        """How many times above the limit; None without one."""
        if self.flop_per_s is None or self.limit_flop_per_s is None:
            return None
        return self.flop_per_s / self.limit_flop_per_s


def rate_of(s_per_epoch: float | None, work: Work) -> Rate:
    """The rate one epoch's time means, against what is known of the device."""
    if not s_per_epoch or s_per_epoch <= 0:
        return Rate()
    flop_per_s = work.flop_per_epoch / s_per_epoch if work.flop_per_epoch else None
    bytes_per_s = work.bytes_per_epoch / s_per_epoch if work.bytes_per_epoch else None
    peaks = _peaks(work)
    ran_as, peak = _precision_that_fits(flop_per_s, peaks)
    limit = _limit(work, peaks)
    is_impossible = (flop_per_s is not None and flop_per_s > limit) or _exceeds_any_memory(work, bytes_per_s)
    return Rate(
        flop_per_s=flop_per_s,
        bytes_per_s=bytes_per_s,
        limit_flop_per_s=limit,
        peak_fraction=flop_per_s / peak if flop_per_s and peak else None,
        ran_as=None if is_impossible else ran_as,
        is_impossible=is_impossible,
    )


def _peaks(work: Work) -> dict[str, float]:
    """Peaks of the precisions the work may have run in, slowest first."""
    if work.peak_flop_per_s:
        return {work.precision or "": work.peak_flop_per_s}
    card = find_card(work.gpu) if work.gpu else None
    if card is None:
        return {}
    names = _COMPUTED_IN.get(work.precision, _COMPUTED_IN[None])
    known = {name: card.peak_flop_per_s[name] for name in names if name in card.peak_flop_per_s}
    # A card without a path of its own for a precision computes it in fp32.
    return known or {"fp32": card.peak_flop_per_s["fp32"]}


def _precision_that_fits(flop_per_s: float | None, peaks: dict[str, float]) -> tuple[str | None, float | None]:
    if flop_per_s is None or not peaks:
        return None, None
    for name, peak in peaks.items():
        if flop_per_s <= PLAUSIBLE_PEAK_FRACTION * peak:
            return name or None, peak
    name = max(peaks, key=lambda each: peaks[each])
    return name or None, peaks[name]


def _limit(work: Work, peaks: dict[str, float]) -> float:
    """The ceiling found in the same run where there is one, else the data sheet, else what no device reaches."""
    if work.ceiling_flop_per_s:
        return work.ceiling_flop_per_s * PIPELINING_RATIO * (1.0 + work.ceiling_uncertainty_fraction)
    if peaks:
        return POSSIBLE_PEAK_FRACTION * max(peaks.values())
    return _ANY_DEVICE_FLOP_PER_S


def _exceeds_any_memory(work: Work, bytes_per_s: float | None) -> bool:
    if bytes_per_s is None or work.bytes_per_epoch is None:
        return False
    return work.bytes_per_epoch > _BEYOND_ANY_CACHE_BYTES and bytes_per_s > _ANY_DEVICE_BYTES_PER_S
