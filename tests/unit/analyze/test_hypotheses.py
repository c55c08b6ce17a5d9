"""Simulated devices on which each hypothesis in turn is true, and the table that must say so."""

from dataclasses import replace

import numpy as np
import pytest

from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.hypotheses import judge_hypotheses
from bench_core.analyze.simulate import SimulatedQueue, simulate_sample
from bench_core.model.curve import CurveKey, CurveSample, ScalingCurve
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.hypothesis import ControlEvidence, ControlRecord, HypothesisVerdict, ResizedQueue, SampleState

SUPPORTED, REFUTED, UNDECIDED = HypothesisVerdict.SUPPORTED, HypothesisVerdict.REFUTED, HypothesisVerdict.UNDECIDED

KEY = CurveKey("run", "cpu-async", "fp32", "none", "none", (), "512x784x512")
QUEUE = SimulatedQueue(capacity=1000, enqueue_s=2e-4, device_s=2e-3)
COUNTS = (100, 400, 1000, 2000)


def queue_curve(queue: SimulatedQueue) -> ScalingCurve:
    rng = np.random.default_rng(1)
    return ScalingCurve(tuple(simulate_sample(queue, count, rng) for count in COUNTS for _ in range(3)), key=KEY)


def synchronous_curve(costs_s: np.ndarray) -> ScalingCurve:
    """A device without a queue, on which call i costs costs_s[i]."""
    samples = []
    for count in COUNTS:
        ends = np.cumsum(costs_s[:count])
        samples += [CurveSample(count, float(ends[-1]), 1e-4, ends) for _ in range(3)]
    return ScalingCurve(tuple(samples), key=KEY)


def states(
    *, traces_per_epoch: float = 0.0, bytes_per_epoch: float = 0.0, cost_growth: float = 0.0
) -> tuple[SampleState, ...]:
    """Five samples of 400 epochs of one case."""
    return tuple(
        SampleState(
            case_id="case",
            epochs_so_far=epochs,
            wall_s_per_epoch=2e-3 * (1 + cost_growth * epochs),
            memory_bytes=int(2e8 + bytes_per_epoch * epochs),
            graph_trace_count=int(1 + traces_per_epoch * epochs),
            graph_node_count=4,
        )
        for epochs in range(400, 2400, 400)
    )


def evidence(curve: ScalingCurve, **more: object) -> ControlEvidence:
    """A control whose record is in order but for what is given."""
    resized_queues = more.pop("resized", ())
    record = ControlRecord(**{"states": states(), "executed_matmuls": 20, "expected_matmuls": 20} | more)  # type: ignore[arg-type]
    return ControlEvidence(curve, diagnose(curve), record, resized_queues)  # type: ignore[arg-type]


def verdicts(given: ControlEvidence) -> dict[str, HypothesisVerdict]:
    return {test.hypothesis: test.verdict for test in judge_hypotheses(given)}


def resized(factor: float, queue: SimulatedQueue) -> tuple[ResizedQueue, ...]:
    return (ResizedQueue(factor, diagnose(queue_curve(queue))),)


def test_on_a_bounded_queue_only_the_queue_explains_the_curve() -> None:
    given = evidence(queue_curve(QUEUE), resized=resized(0.5, replace(QUEUE, capacity=500)))

    assert verdicts(given) == {"H0": SUPPORTED, "H1": REFUTED, "H2": REFUTED, "H3": REFUTED, "H4": REFUTED}


def test_both_knees_are_in_the_evidence() -> None:
    given = evidence(queue_curve(QUEUE), resized=resized(0.5, replace(QUEUE, capacity=500)))
    h0 = judge_hypotheses(given)[0]

    # K = Q / (1 - d/s): 1000 / 0.9 = 1111 and 500 / 0.9 = 556.
    assert h0.evidence["knee_epoch_count"] == pytest.approx(1111, rel=0.03)
    assert h0.evidence["resized_knee_epoch_count"] == pytest.approx(556, rel=0.03)


def test_a_driver_that_ignores_the_change_leaves_the_queue_undecided() -> None:
    given = evidence(queue_curve(QUEUE), resized=resized(0.5, QUEUE))

    assert verdicts(given)["H0"] is UNDECIDED


def test_a_knee_that_moves_in_another_proportion_refutes_the_queue() -> None:
    given = evidence(queue_curve(QUEUE), resized=resized(0.25, replace(QUEUE, capacity=700)))

    assert verdicts(given)["H0"] is REFUTED


def test_without_intervention_the_queue_is_only_a_guess() -> None:
    assert verdicts(evidence(queue_curve(QUEUE)))["H0"] is UNDECIDED


def test_a_retracing_function_supports_graph_growth() -> None:
    # Every call traces anew, and each trace is dearer than the one before.
    curve = synchronous_curve(2e-3 + 2e-6 * np.arange(2000))
    found = verdicts(evidence(curve, states=states(traces_per_epoch=1.0)))

    assert found["H1"] is SUPPORTED
    assert found["H0"] is REFUTED


def test_a_leaking_allocator_supports_fragmentation() -> None:
    # 0.4 MB an epoch on top of 200 MB: 160 MB at 400 epochs, 800 MB at 2,000, and epochs that cost twice as much.
    curve = synchronous_curve(np.full(2000, 2e-3))
    found = verdicts(evidence(curve, states=states(bytes_per_epoch=4e5, cost_growth=1e-3)))

    assert found["H2"] is SUPPORTED
    assert found["H1"] is REFUTED


def test_memory_that_grows_while_epochs_cost_the_same_decides_nothing() -> None:
    curve = synchronous_curve(np.full(2000, 2e-3))

    assert verdicts(evidence(curve, states=states(bytes_per_epoch=4e5)))["H2"] is UNDECIDED


def test_a_growing_cost_of_launching_supports_scheduler_overload() -> None:
    # A call costs 0.2 ms at first and 1.2 ms after 2,000: the last quarter 1.075 / 0.325 = 3.3 times the first.
    found = verdicts(evidence(synchronous_curve(2e-4 + 5e-7 * np.arange(2000))))

    assert found["H3"] is SUPPORTED
    assert found["H1"] is REFUTED


@pytest.mark.parametrize("lost", [{"executed_matmuls": 18}, {"lost_case_count": 1}])
def test_lost_work_supports_exhausted_resources(lost: dict[str, int]) -> None:
    assert verdicts(evidence(queue_curve(QUEUE), **lost))["H4"] is SUPPORTED


def test_a_clock_too_coarse_for_the_first_calls_decides_nothing() -> None:
    coarse = synchronous_curve(np.where(np.arange(2000) < 500, 0.0, 1e-3))

    assert verdicts(evidence(coarse))["H3"] is UNDECIDED


def test_memory_that_was_not_in_use_at_first_is_compared_from_when_it_was() -> None:
    first, *others = states()
    given = evidence(queue_curve(QUEUE), states=(replace(first, memory_bytes=0), *others))

    assert verdicts(given)["H2"] is REFUTED


def test_what_nobody_recorded_is_undecided() -> None:
    bare = ControlEvidence(
        ScalingCurve((CurveSample(100, 0.1, 0.1),), key=KEY), Diagnosis(Verdict.INCONCLUSIVE, confidence=0.0)
    )

    assert set(verdicts(bare).values()) == {UNDECIDED}


def test_every_finding_is_a_sentence_with_its_method() -> None:
    for test in judge_hypotheses(evidence(queue_curve(QUEUE))):
        assert test.sentence.endswith(".")
        assert test.method_version
