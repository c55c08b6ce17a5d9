"""A child's workbench: operands on the device, one strategy ready to issue epochs, and the wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from bench_core.measure.worker.operands import host_operands
from bench_core.measure.worker.queue import Drain, open_queue
from bench_core.measure.worker.sampling import stop_reason, warmup_epoch_count, warmup_is_over
from bench_core.measure.worker.strategies import STRATEGIES, Issue
from bench_core.measure.worker.timing import SampleTime, time_sample
from bench_core.model.case import Case, Hold, Operands, Precision, SamplingPlan
from bench_core.model.result import Sample, StoppedBy
from bench_core.model.shape import Shape

DTYPES = {
    Precision.FP32: tf.float32,
    Precision.TF32: tf.float32,
    Precision.FP16: tf.float16,
    Precision.BF16: tf.bfloat16,
}
NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything a sample needs, set up outside the timed region.

    Attributes:
        ran_on: the device TensorFlow reports for the operand.
    """

    issue: Issue
    drain: Drain
    ran_on: str

    def sample(self, epoch_count: int, *, sample_index: int, is_warmup: bool) -> Sample:
        """Issue the epochs, drain, and record the clock."""
        call, call_count = self.issue(epoch_count)
        started_at_ns = time.time_ns()
        timed = time_sample(call, self.drain, call_count=call_count, clock=time.perf_counter_ns)
        return _as_sample(timed, epoch_count, sample_index, is_warmup, started_at_ns)

    def warm_up(self, epoch_count: int) -> Iterator[Sample]:
        """Samples from the first call on, until the cost per epoch shows no trend."""
        yield self.sample(1, sample_index=0, is_warmup=True)  # traces the function and sets the libraries up
        second = self.sample(1, sample_index=1, is_warmup=True)
        yield second
        count = warmup_epoch_count(second.wall_time_ns / NS_PER_S, epoch_count)
        costs: list[float] = []
        while not warmup_is_over(costs):
            sample = self.sample(count, sample_index=len(costs) + 2, is_warmup=True)
            costs.append(sample.wall_time_ns / count)
            yield sample


@contextmanager
def open_bench(case: Case) -> Iterator[Bench]:
    """Set up for every case that shares this one's curve."""
    tf.config.experimental.enable_tensor_float_32_execution(case.precision is Precision.TF32)
    with open_queue(case.device) as drain:
        left, right = device_operands(case.operands, case.shape, case.precision)
        strategy = STRATEGIES[case.mitigation.strategy]
        yield Bench(strategy(left, right), drain, left.device)


def device_operands(operands: Operands, shape: Shape, precision: Precision) -> tuple[Any, Any]:
    """A (rows, inner) and B (inner, units) in the storage type of the precision, where the current device is."""
    held = tf.constant if operands.hold is Hold.CONSTANT else tf.Variable
    left, right = (held(tf.cast(matrix, DTYPES[precision])) for matrix in host_operands(operands, shape))
    return left, right


def measure(bench: Bench, epoch_count: int, plan: SamplingPlan, *, is_warm: bool) -> Iterator[Sample | StoppedBy]:
    """Yield warm-up samples, then samples until the plan is satisfied, last the reason it stopped."""
    index = 0
    if not is_warm:
        for sample in bench.warm_up(epoch_count):
            yield sample
            index += 1
    wall_time_s: list[float] = []
    while (stopped_by := stop_reason(wall_time_s, plan)) is None:
        sample = bench.sample(epoch_count, sample_index=index, is_warmup=False)
        wall_time_s.append(sample.wall_time_ns / NS_PER_S)
        yield sample
        index += 1
    yield stopped_by


def _as_sample(timed: SampleTime, epoch_count: int, sample_index: int, is_warmup: bool, started_at_ns: int) -> Sample:
    has_trace = len(timed.call_end_ns) == epoch_count
    return Sample(
        sample_index,
        epoch_count,
        is_warmup,
        started_at_ns,
        timed.enqueue_ns,
        timed.drain_ns,
        timed.call_end_ns if has_trace else None,
    )
