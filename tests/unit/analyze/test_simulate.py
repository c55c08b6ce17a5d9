"""The simulated queue obeys the arithmetic it is there to test."""

import numpy as np
import pytest

from bench_core.analyze.simulate import SimulatedQueue, simulate_sample, simulate_series

QUIET = SimulatedQueue(capacity=100, enqueue_s=1.0, device_s=5.0)


def test_the_host_is_first_held_up_at_capacity_over_one_less_the_cost_ratio() -> None:
    trace = simulate_sample(QUIET, 300).call_end_s
    assert trace is not None

    # K = 100 / (1 - 1/5) = 125: call 126 is the first to cost more than enqueuing.
    costs = np.diff(trace, prepend=0.0)
    assert np.flatnonzero(costs > 1.5)[0] == pytest.approx(125, abs=1)
    assert costs[200:].tolist() == [5.0] * 100


def test_what_is_left_at_the_end_is_the_capacity() -> None:
    sample = simulate_sample(QUIET, 300)

    # 100 epochs of 5 s, less what the device did of the oldest.
    assert sample.drain_time_s == pytest.approx(100 * 5.0, abs=5.0)


def test_the_device_is_never_idle_and_does_every_epoch_once() -> None:
    # The first epoch is enqueued after 1 s; from then on 300 x 5 s.
    assert simulate_sample(QUIET, 300).wall_time_s == pytest.approx(1 + 300 * 5.0)


def test_below_the_knee_the_stopwatch_sees_enqueuing_alone() -> None:
    assert simulate_sample(QUIET, 100).enqueue_time_s == pytest.approx(100.0)


def test_a_dearer_device_while_enqueuing_leaves_more_in_the_queue() -> None:
    slow = SimulatedQueue(capacity=100, enqueue_s=1.0, device_s=5.0, enqueuing_ratio=2.0)
    trace = simulate_sample(slow, 300).call_end_s
    assert trace is not None

    # K = 100 / (1 - 1/10) = 111
    assert np.flatnonzero(np.diff(trace) > 1.5)[0] == pytest.approx(111, abs=2)


def test_draining_may_cost_less() -> None:
    quick = SimulatedQueue(capacity=100, enqueue_s=1.0, device_s=5.0, draining_ratio=0.8)

    assert simulate_sample(quick, 300).drain_time_s == pytest.approx(100 * 4.0, abs=5.0)


def test_a_synchronised_series_shows_every_epoch_whole() -> None:
    quiet = SimulatedQueue(capacity=100, enqueue_s=1.0, device_s=5.0, noise_fraction=0.0)
    series = simulate_series(quiet, 4, np.random.default_rng(0), is_synchronized=True)

    assert series.seconds.tolist() == [6.0] * 4
