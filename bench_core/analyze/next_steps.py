"""The measurements that settle what a diagnosis leaves open, and the values each of their sentences needs."""

from collections.abc import Mapping

from bench_core.model.diagnosis import NextStep

# Kind of next step -> names of the values its sentence is given. bench_core.report.messages has a sentence for each.
VALUES: Mapping[str, tuple[str, ...]] = {
    # Nothing is open.
    "none": (),
    # A count inside the bracket of the knee.
    "measure_between": ("low_epoch_count", "high_epoch_count", "epoch_count"),
    # The same at more counts (calls, sizes), up to the one named.
    "measure_more": ("reading_count", "up_to"),
    # Wait for the device before each reading of the clock: a queue's knee or an illusion vanishes.
    "synchronize": (),
    # Resize the launch queue: a knee that moves in proportion is proof of cause.
    "resize_queue": ("queue_capacity", "knee_epoch_count"),
    # Make every epoch depend on the one before, and double the count: the time must double.
    "keep_result": ("epoch_count", "doubled_epoch_count"),
    # FLOP of one epoch and the card's name, to hold the rate against a peak.
    "state_work": (),
    # Leave out the first calls and time the rest.
    "skip_warmup": ("call_count",),
    # Log traces, graph nodes and memory against calls: what grows with the cost is its cause.
    "log_growth": ("up_to",),
    # Log clock, temperature and power: throttling shows where the time rises.
    "log_clocks": ("call_index",),
    # Log inputs and state of each call: the two populations differ in something.
    "label_calls": ("fast_s", "slow_s"),
    # Look for what happens every so many calls (checkpoint, logging, collection).
    "find_period": ("period_calls",),
    # A size so large that the device, not the host, decides.
    "enlarge_work": ("size",),
}


def next_step(kind: str, **values: float | str) -> NextStep:
    """A next step with exactly the values its sentence needs.

    Raises:
        ValueError: an unknown kind, or other values than VALUES lists for it.
    """
    if set(values) != set(VALUES.get(kind, (None,))):
        raise ValueError(f"{kind!r} needs {VALUES.get(kind)}, got {tuple(values)}")
    return NextStep(kind, values)
