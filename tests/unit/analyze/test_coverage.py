"""Stated intervals hold what they say: queues of random parameters, eight separate samples each. About 4 s."""

import numpy as np
import pytest

from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.simulate import SimulatedQueue, simulate_curve
from bench_core.model.diagnosis import Verdict

QUEUES = 250
# Eight counts around the knee, half of them below it.
PLACES = np.array([0.1, 0.25, 0.5, 0.8, 1.1, 1.3, 1.6, 2.0])


def random_queue(rng: np.random.Generator, *, phases_differ: bool) -> SimulatedQueue:
    enqueue_s = 10 ** rng.uniform(-5, -3)
    capacity = int(rng.integers(50, 2000))
    return SimulatedQueue(
        capacity=capacity,
        enqueue_s=enqueue_s,
        device_s=enqueue_s * 10 ** rng.uniform(0.5, 3),
        enqueuing_ratio=rng.uniform(1, 2) if phases_differ else 1.0,
        draining_ratio=rng.uniform(0.8, 1) if phases_differ else 1.0,
        startup_s=rng.choice([0.0, rng.uniform(0, 0.5) * enqueue_s * capacity]),
        noise_fraction=0.03,
    )


@pytest.mark.slow
@pytest.mark.parametrize("phases_differ", [False, True])
def test_capacity_knee_and_device_cost_lie_in_their_own_intervals_93_times_in_100(phases_differ: bool) -> None:
    rng = np.random.default_rng(7)
    found, capacity_held, knee_held, cost_held = 0, 0, 0, 0
    for _ in range(QUEUES):
        queue = random_queue(rng, phases_differ=phases_differ)
        knee = queue.capacity / (1 - queue.enqueue_s / (queue.device_s * queue.enqueuing_ratio))
        counts = sorted({int(count) for count in np.round(knee * PLACES)})
        diagnosis = diagnose(simulate_curve(queue, counts, rng))
        if diagnosis.verdict is not Verdict.QUEUE_SATURATION or diagnosis.queue_capacity_interval is None:
            continue
        found += 1
        low, high = diagnosis.queue_capacity_interval
        capacity_held += low <= queue.capacity <= high
        assert diagnosis.knee_interval is not None
        knee_held += diagnosis.knee_interval[0] <= knee <= diagnosis.knee_interval[1]
        cheapest = float(diagnosis.evidence["steady_low_s_per_epoch"])
        cost_held += cheapest <= queue.device_s <= float(diagnosis.evidence["steady_high_s_per_epoch"])

    assert found >= 0.98 * QUEUES
    assert capacity_held >= 0.93 * found
    assert knee_held >= 0.95 * found
    assert cost_held >= 0.93 * found
