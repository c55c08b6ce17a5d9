"""A diagnosis held against what any device could do: an impossible rate outweighs every fit."""

from dataclasses import replace

from bench_core.analyze.candidate import with_also
from bench_core.analyze.next_steps import next_step
from bench_core.analyze.rates import Rate, rate_of
from bench_core.model.curve import Work
from bench_core.model.diagnosis import Diagnosis, Verdict

# Computing in a lower precision speeds a card up by at most 8 (fp32 to TF32 on Hopper: 7.4). A drained sample further
# above its limit than that did not do the work in any precision.
_LARGEST_PRECISION_SPEEDUP = 8.0

# Device work this far under the peak, in epochs this short, waits for the host: launches take 2 to 65 us in the
# public cases.
_HOST_BOUND_PEAK_FRACTION = 0.01
_HOST_BOUND_S_PER_EPOCH = 1e-3


def hold_to_rate(diagnosis: Diagnosis, work: Work, *, fastest_s_per_epoch: float, epoch_count: float) -> Diagnosis:
    """The diagnosis with what its cost per epoch means as a rate, and the verdict that an impossible rate forces.

    Args:
        diagnosis: by the fit alone.
        work: what is known of the work and the device.
        fastest_s_per_epoch: the shortest time an epoch seemed to take.
        epoch_count: the largest number of epochs timed as one.
    """
    is_queue = diagnosis.verdict is Verdict.QUEUE_SATURATION
    s_per_epoch = diagnosis.steady_s_per_epoch or (None if is_queue else fastest_s_per_epoch)
    rate = rate_of(s_per_epoch, work)
    stated = replace(
        diagnosis,
        flop_per_s=rate.flop_per_s,
        peak_fraction=rate.peak_fraction,
        ran_as=rate.ran_as,
        evidence={**diagnosis.evidence, **_rate_evidence(rate), **_apparent_rate(fastest_s_per_epoch, work)},
    )
    if is_queue:
        return with_also(stated, Verdict.UNSYNCHRONIZED)
    if rate.is_impossible:
        return _impossible(stated, rate, work, epoch_count)
    if work.is_synchronized is False and diagnosis.verdict in (Verdict.LINEAR, Verdict.WORK_ELIMINATED, Verdict.WARMUP):
        return _unsynchronized(stated)
    return with_also(stated, *_host_bound(rate, s_per_epoch))


def _rate_evidence(rate: Rate) -> dict[str, float]:
    values = {"bytes_per_s": rate.bytes_per_s, "limit_flop_per_s": rate.limit_flop_per_s if rate.flop_per_s else None}
    return {name: value for name, value in values.items() if value is not None}


def _apparent_rate(fastest_s_per_epoch: float, work: Work) -> dict[str, float]:
    """The rate the fastest reading would mean if it had been waited for."""
    fastest = rate_of(fastest_s_per_epoch, work)
    return {} if fastest.flop_per_s is None else {"apparent_flop_per_s": fastest.flop_per_s}


def _impossible(diagnosis: Diagnosis, rate: Rate, work: Work, count: float) -> Diagnosis:
    """A rate no device reaches: work not waited for, or, where somebody waited, not done."""
    if work.is_synchronized is True:
        eliminated = (rate.excess or 0.0) > _LARGEST_PRECISION_SPEEDUP or diagnosis.verdict is Verdict.WORK_ELIMINATED
        verdict = Verdict.WORK_ELIMINATED if eliminated else Verdict.IMPLAUSIBLE_RATE
        also, step = (
            Verdict.IMPLAUSIBLE_RATE,
            next_step("keep_result", epoch_count=count, doubled_epoch_count=2 * count),
        )
    elif work.is_synchronized is False:
        verdict, also, step = Verdict.UNSYNCHRONIZED, Verdict.IMPLAUSIBLE_RATE, next_step("synchronize")
    else:
        verdict, also, step = Verdict.IMPLAUSIBLE_RATE, Verdict.UNSYNCHRONIZED, next_step("synchronize")
    evidence = dict(diagnosis.evidence) | ({} if rate.excess is None else {"excess_ratio": rate.excess})
    changed = replace(diagnosis, verdict=verdict, also=(), evidence=evidence, next_step=step, confidence=1.0)
    return with_also(changed, also)


def _unsynchronized(diagnosis: Diagnosis) -> Diagnosis:
    """Readings nobody waited for: their slope is the cost of enqueuing, whatever else it may be."""
    return replace(
        diagnosis,
        verdict=Verdict.UNSYNCHRONIZED,
        also=(),
        enqueue_s_per_epoch=diagnosis.steady_s_per_epoch,
        steady_s_per_epoch=None,
        next_step=next_step("synchronize"),
    )


def _host_bound(rate: Rate, s_per_epoch: float | None) -> tuple[Verdict, ...]:
    slow = rate.peak_fraction is not None and rate.peak_fraction < _HOST_BOUND_PEAK_FRACTION
    return (Verdict.HOST_BOUND,) if slow and s_per_epoch is not None and s_per_epoch < _HOST_BOUND_S_PER_EPOCH else ()
