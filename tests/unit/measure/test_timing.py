from bench_core.measure.worker.timing import SampleTime, time_sample


class FakeDevice:
    """Enqueuing an epoch costs the host 5 ns; the drain costs 100 ns for every epoch still queued."""

    def __init__(self) -> None:
        self.now_ns = 1_000
        self.queued = 0

    def clock(self) -> int:
        return self.now_ns

    def epoch(self) -> str:
        self.now_ns += 5
        self.queued += 1
        return f"product {self.queued}"

    def drain(self) -> None:
        self.now_ns += 100 * self.queued
        self.queued = 0


def test_enqueue_and_drain_are_timed_apart() -> None:
    device = FakeDevice()

    sample = time_sample(device.epoch, device.drain, call_count=3, clock=device.clock)

    # 3 epochs x 5 ns to enqueue, 3 x 100 ns to drain; the clock after each call is 5, 10, 15.
    assert sample == SampleTime(enqueue_ns=15, drain_ns=300, call_end_ns=(5, 10, 15))


def test_only_what_the_last_call_returned_is_kept() -> None:
    device = FakeDevice()

    assert time_sample(device.epoch, device.drain, call_count=3, clock=device.clock).last == "product 3"


def test_a_stall_inside_a_call_is_enqueue_time() -> None:
    device = FakeDevice()

    def stalling_epoch() -> None:
        if device.queued == 2:  # a queue of two is full: the host waits 100 ns for a place
            device.now_ns += 100
            device.queued -= 1
        device.epoch()

    sample = time_sample(stalling_epoch, device.drain, call_count=4, clock=device.clock)

    # Calls return at 5, 10, 10+100+5, 115+100+5; two epochs are left to drain.
    assert sample.call_end_ns == (5, 10, 115, 220)
    assert (sample.enqueue_ns, sample.drain_ns) == (220, 200)
