"""The explanations the question was given, each held against what its own control measured.

H1 the graph grows with every call; H2 memory fragments; H3 the scheduler is overloaded; H4 resources run out; and
H0, a bounded queue that fills. Each names what would have to be seen if it were true, so each can be refuted.
"""

import math
from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np

from bench_core.model.curve import CurveSample
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.hypothesis import (
    ControlEvidence,
    HypothesisTest,
    HypothesisVerdict,
    ResizedQueue,
    SampleState,
)
from bench_core.model.proof import ProofVerdict
from bench_core.model.units import format_count, format_duration

SUPPORTED, REFUTED, UNDECIDED = HypothesisVerdict.SUPPORTED, HypothesisVerdict.REFUTED, HypothesisVerdict.UNDECIDED

METHOD_VERSION = "1"

# A graph that grows with every call is traced, or gains nodes, about once an epoch; a first call with a new input
# signature traces once and never again. A tenth lies far from both.
GROWTH_AN_EPOCH = 0.1
# Memory that grows by less than this over all epochs of a case is not what makes late epochs 50 times dearer.
FLAT_MEMORY_FRACTION = 0.1
LEAKING_MEMORY_FRACTION = 0.5
# Between the first and the last quarter of the calls before the knee. On two loaded cores quiet queues stay below
# 1.5; a scheduler that slows down by what the question saw would show a factor above 50.
FLAT_CALL_COST_RATIO = 2.0
SAME_COST_RATIO = 1.5
# Calls this close to the knee already wait now and then.
BEFORE_KNEE_FRACTION = 0.8
LEAST_CALLS = 16
# Knees of one queue, measured twice on a loaded machine, differ by up to 10 % (docs/method.md, "Hypotheses").
LEAST_KNEE_LOG_SPREAD = math.log(1.1)

Finding = tuple[HypothesisVerdict, str, dict[str, float | str]]


def judge_hypotheses(evidence: ControlEvidence) -> tuple[HypothesisTest, ...]:
    """H0 to H4 against one control, in that order."""
    tests: dict[str, Callable[[ControlEvidence], Finding]] = {
        "H0": _bounded_queue,
        "H1": _graph_growth,
        "H2": _fragmentation,
        "H3": _scheduler_overload,
        "H4": _resources_run_out,
    }
    return tuple(
        HypothesisTest(name, verdict, sentence, values, METHOD_VERSION)
        for name, (verdict, sentence, values) in ((name, test(evidence)) for name, test in tests.items())
    )


def _bounded_queue(evidence: ControlEvidence) -> Finding:
    """H0 by intervention: with another capacity the knee moves in proportion and the cost of an epoch stays."""
    own = evidence.diagnosis
    if own.verdict is not Verdict.QUEUE_SATURATION or own.knee_epoch_count is None:
        if own.verdict in (Verdict.GROWING_COST, Verdict.LINEAR):
            return REFUTED, f"The control's curve has no knee: it is {own.verdict}.", {"control": str(own.verdict)}
        return UNDECIDED, "No knee was seen in the control, so there is nothing to move.", {"control": str(own.verdict)}
    moved = [each for each in evidence.resized if each.diagnosis.knee_epoch_count is not None]
    if not moved:
        sentence = "Nobody changed the capacity: measure the control with launch_queue:0.5x too."
        return UNDECIDED, sentence, {"knee_epoch_count": own.knee_epoch_count}
    return _moved_knee(evidence, moved[0])


def _moved_knee(evidence: ControlEvidence, resized: ResizedQueue) -> Finding:
    own, other = evidence.diagnosis, resized.diagnosis
    assert own.knee_epoch_count is not None
    assert other.knee_epoch_count is not None
    low, high = _knee_ratio_interval(evidence, resized)
    values: dict[str, float | str] = {
        "capacity_factor": resized.factor,
        "knee_epoch_count": own.knee_epoch_count,
        "resized_knee_epoch_count": other.knee_epoch_count,
        "knee_ratio": other.knee_epoch_count / own.knee_epoch_count,
        "knee_ratio_low": low,
        "knee_ratio_high": high,
    }
    cost_ratio = _ratio(other.steady_s_per_epoch, own.steady_s_per_epoch)
    if cost_ratio is not None:
        values["steady_cost_ratio"] = cost_ratio
    knees = f"from {format_count(own.knee_epoch_count)} to {format_count(other.knee_epoch_count)} epochs"
    if low <= 1 <= high:
        return UNDECIDED, "The knee did not move with the capacity: the driver may have ignored the change.", values
    if not low <= resized.factor <= high:
        return REFUTED, f"The knee moved {knees}, not by the factor {resized.factor:g} of the capacity.", values
    if cost_ratio is not None and not 1 / SAME_COST_RATIO < cost_ratio < SAME_COST_RATIO:
        return UNDECIDED, f"The knee moved {knees} with the capacity, but the cost of an epoch moved too.", values
    return (
        SUPPORTED,
        f"With {resized.factor:g} times the capacity the knee moved {knees}; an epoch costs the same.",
        values,
    )


def _knee_ratio_interval(evidence: ControlEvidence, resized: ResizedQueue) -> tuple[float, float]:
    """95 % interval of the ratio of two knees: their own relative half-widths, independent of each other."""
    half_widths = [_log_half_width(each) for each in (evidence.diagnosis, resized.diagnosis)]
    spread = max(LEAST_KNEE_LOG_SPREAD, math.hypot(*half_widths))
    ratio = _ratio(resized.diagnosis.knee_epoch_count, evidence.diagnosis.knee_epoch_count)
    assert ratio is not None
    return ratio * math.exp(-spread), ratio * math.exp(spread)


def _log_half_width(diagnosis: Diagnosis) -> float:
    if diagnosis.knee_interval is None:
        return 0.0
    low, high = diagnosis.knee_interval
    return math.log(high / low) / 2


def _graph_growth(evidence: ControlEvidence) -> Finding:
    growths = {
        "graph_traces_per_epoch": _growth_an_epoch(evidence.record.states, lambda state: state.graph_trace_count),
        "graph_nodes_per_epoch": _growth_an_epoch(evidence.record.states, lambda state: state.graph_node_count),
    }
    known = {name: growth for name, growth in growths.items() if growth is not None}
    values: dict[str, float | str] = dict(known)
    if not known:
        return UNDECIDED, "Nobody counted traces or nodes over more than one sample.", values
    if max(known.values()) >= GROWTH_AN_EPOCH:
        return SUPPORTED, f"The graph grows: {max(known.values()):.2g} traces or nodes an epoch.", values
    epochs = format_count(max(state.epochs_so_far for state in evidence.record.states))
    return REFUTED, f"The graph is traced once and has as many nodes after {epochs} epochs as at first.", values


def _fragmentation(evidence: ControlEvidence) -> Finding:
    slopes = [_memory_growth_fraction(states) for states in _by_case(evidence.record.states)]
    fractions = [slope for slope in slopes if slope is not None]
    if not fractions:
        return UNDECIDED, "Nobody read the memory over more than one sample.", {}
    growth = max(fractions)
    cost_ratio = max(_cost_growth(states) for states in _by_case(evidence.record.states))
    values: dict[str, float | str] = {"memory_growth_fraction": growth, "late_cost_ratio": cost_ratio}
    if growth < FLAT_MEMORY_FRACTION:
        return REFUTED, f"Memory in use stays the same over all epochs (it grew by {max(growth, 0.0):.1%}).", values
    if growth > LEAKING_MEMORY_FRACTION and cost_ratio > SAME_COST_RATIO:
        sentence = f"Memory grew by {growth:.0%} and late epochs cost {cost_ratio:.2g} times the first."
        return SUPPORTED, sentence, values
    return UNDECIDED, f"Memory grew by {growth:.0%}, without late epochs costing more in proportion.", values


def _scheduler_overload(evidence: ControlEvidence) -> Finding:
    growth = _call_cost_growth(evidence)
    if growth is None:
        return UNDECIDED, "There is no trace long enough to show the cost of single calls.", {}
    values: dict[str, float | str] = {"call_cost_growth_ratio": growth}
    if evidence.diagnosis.enqueue_s_per_epoch is not None:
        values["enqueue_s_per_epoch"] = evidence.diagnosis.enqueue_s_per_epoch
    if growth >= FLAT_CALL_COST_RATIO:
        return (
            SUPPORTED,
            f"A call costs the host {growth:.2g} times as much late as early, before any queue fills.",
            values,
        )
    cost = evidence.diagnosis.enqueue_s_per_epoch
    each = f" ({format_duration(cost)})" if cost else ""
    if evidence.diagnosis.knee_epoch_count is None:
        return REFUTED, f"The last calls cost the host what the first did{each}.", values
    sentence = f"Up to the knee the last calls cost the host what the first did{each}; after it the host waits."
    return REFUTED, sentence, values


def _resources_run_out(evidence: ControlEvidence) -> Finding:
    executed, expected = evidence.record.executed_matmuls, evidence.record.expected_matmuls
    values: dict[str, float | str] = {"lost_case_count": float(evidence.record.lost_case_count)}
    if executed is not None and expected is not None:
        values |= {"executed_matmuls": float(executed), "expected_matmuls": float(expected)}
        if executed < expected:
            return SUPPORTED, f"Work was lost: {executed} of {expected} matmuls ran.", values
    if evidence.record.lost_case_count:
        return (
            SUPPORTED,
            f"{evidence.record.lost_case_count} cases of the control crashed or ran out of memory.",
            values,
        )
    if executed is None:
        return UNDECIDED, "Nobody counted the matmuls that ran.", values
    if evidence.curve.proof_verdict not in (None, ProofVerdict.PROVEN):
        return UNDECIDED, f"The control's own proof says {evidence.curve.proof_verdict}.", values
    if evidence.diagnosis.knee_epoch_count is None:
        return REFUTED, "Nothing runs out and nothing is lost: every matmul that was counted ran.", values
    if evidence.diagnosis.queue_capacity is not None:
        values["queue_capacity"] = evidence.diagnosis.queue_capacity
    return REFUTED, "Nothing runs out and nothing is lost: every matmul ran, and the host waits for a place.", values


def _by_case(states: Sequence[SampleState]) -> list[list[SampleState]]:
    ordered = sorted(states, key=lambda state: (state.case_id, state.epochs_so_far))
    return [list(group) for _, group in groupby(ordered, key=lambda state: state.case_id)]


def _growth_an_epoch(states: Sequence[SampleState], count_of: Callable[[SampleState], int | None]) -> float | None:
    """The largest growth of a count over any case, divided by the epochs it took."""
    growths = []
    for case in _by_case(states):
        known = [(state.epochs_so_far, count) for state in case if (count := count_of(state)) is not None]
        if len(known) > 1:
            (first_epoch, first), (last_epoch, last) = known[0], known[-1]
            growths.append((last - first) / (last_epoch - first_epoch))
    return max(growths, default=None)


def _memory_growth_fraction(states: Sequence[SampleState]) -> float | None:
    """What memory grew by from the first to the last sample of a case, as a share of the first that used any."""
    known = [state.memory_bytes for state in states if state.memory_bytes]
    return None if len(known) < 2 else known[-1] / known[0] - 1


def _cost_growth(states: Sequence[SampleState]) -> float:
    return states[-1].wall_s_per_epoch / states[0].wall_s_per_epoch


def _call_cost_growth(evidence: ControlEvidence) -> float | None:
    """What calls cost the host in the last quarter before the knee, over the first quarter: median over traces."""
    knee = evidence.diagnosis.knee_epoch_count
    ratios = [ratio for sample in evidence.curve.samples if (ratio := _quarters_ratio(sample, knee)) is not None]
    return float(np.median(ratios)) if ratios else None


def _quarters_ratio(sample: CurveSample, knee_epoch_count: float | None) -> float | None:
    if sample.call_end_s is None:
        return None
    free = len(sample.call_end_s)
    if knee_epoch_count is not None:
        free = min(free, int(BEFORE_KNEE_FRACTION * knee_epoch_count))
    if free < LEAST_CALLS:
        return None
    quarter = free // 4
    ends = sample.call_end_s[:free]
    first = ends[quarter - 1] / quarter
    last = (ends[-1] - ends[-1 - quarter]) / quarter
    # A clock may be too coarse to see the first calls.
    return float(last / first) if first > 0 else None


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or not denominator else numerator / denominator
