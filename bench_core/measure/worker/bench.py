"""A child's workbench: operands on the device, one strategy ready to issue epochs, and the wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from bench_core.measure.worker.memory import allocator_bytes, free_bytes, resident_bytes
from bench_core.measure.worker.operands import host_operands
from bench_core.measure.worker.queue import open_queue
from bench_core.measure.worker.sampling import affordable_epoch_count, stop_reason, warmup_epoch_count, warmup_is_over
from bench_core.measure.worker.settings import apply_settings
from bench_core.measure.worker.strategies import STRATEGIES, Issuer, Strategy, Work
from bench_core.measure.worker.timing import time_sample
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
FIRST, ONE = np.array([0, 0], np.int32), np.array([1, 1], np.int32)


@dataclass(slots=True)
class Bench:
    """Everything a sample needs, set up outside the timed region.

    Attributes:
        element: what one epoch adds to a kept checksum, learnt from the first single epoch.
        s_per_epoch: wall time of an epoch in the latest sample; None before the first.
    """

    strategy: Strategy
    work: Work
    issuer: Issuer
    element: float | None = None
    s_per_epoch: float | None = None
    _graph: tuple[int, int | None] = (0, None)

    @property
    def ran_on(self) -> str:
        """The device TensorFlow reports for the operand."""
        return str(self.work.left.device)

    def sample(self, epoch_count: int, *, sample_index: int, is_warmup: bool) -> Sample:
        """Issue the epochs, drain, record the clock; then look, untimed, at what the last call returned."""
        issued = self.issuer.issue(epoch_count)
        started_at_ns = time.time_ns()
        timed = time_sample(issued.call, self.work.drain, call_count=issued.call_count, clock=time.perf_counter_ns)
        lag_ns, checksum_rel_error = self._look_at(timed.last, epoch_count)
        self.s_per_epoch = (timed.enqueue_ns + timed.drain_ns) / NS_PER_S / epoch_count
        in_use_bytes, peak_bytes = allocator_bytes(self.work.left.device)
        trace_count, node_count = self._measure_graph()
        return Sample(
            sample_index=sample_index,
            epoch_count=epoch_count,
            is_warmup=is_warmup,
            started_at_ns=started_at_ns,
            enqueue_time_ns=timed.enqueue_ns,
            drain_time_ns=timed.drain_ns,
            call_end_ns=timed.call_end_ns if issued.call_count == epoch_count else None,
            finish_lag_ns=lag_ns,
            checksum_rel_error=checksum_rel_error,
            resident_bytes=resident_bytes(),
            allocator_bytes=in_use_bytes,
            allocator_peak_bytes=peak_bytes,
            graph_trace_count=trace_count,
            graph_node_count=node_count,
        )

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

    def _measure_graph(self) -> tuple[int, int | None]:
        """Traces so far and nodes of the latest graph, which are counted anew only after another trace."""
        trace_count = self.issuer.trace_count()
        if trace_count != self._graph[0]:
            self._graph = trace_count, self.issuer.node_count()
        return self._graph

    def _look_at(self, last: Any, epoch_count: int) -> tuple[int | None, float | None]:
        """How long a value of the last epoch was still awaited, and the error of a checksum over all of them."""
        if last is None:
            return None, None
        value, first_ns = _fetch(last)
        # Asked again there is certainly nothing left to wait for: what that takes is the asking's own cost.
        _, again_ns = _fetch(last)
        lag_ns = max(0, first_ns - again_ns)
        if last.shape.rank != 0:
            return lag_ns, None
        if self.element is None and epoch_count == 1:
            self.element = value
        return lag_ns, value / (epoch_count * self.element) - 1 if self.element else None


def _fetch(last: Any) -> tuple[float, int]:
    """One element of a product, or a checksum, and the nanoseconds until it was there."""
    asked_ns = time.perf_counter_ns()
    # Not last[0, 0]: that makes three constants first, and this happens twice a sample.
    element = last if last.shape.rank == 0 else tf.raw_ops.Slice(input=last, begin=FIRST, size=ONE)
    value = float(element.numpy().item())
    return value, time.perf_counter_ns() - asked_ns


@contextmanager
def open_bench(case: Case, memory_bytes: int) -> Iterator[Bench]:
    """Set up for every case that shares this one's curve; the process must not have touched a device yet.

    Raises:
        UnsupportedError: a strategy or setting that this device or TensorFlow has not.
    """
    case = apply_settings(case)
    with open_queue(case.device) as drain:
        left, right = device_operands(case.operands, case.shape, case.precision)
        strategy = STRATEGIES[case.mitigation.strategy_name]
        work = Work(left, right, drain, case.mitigation.strategy_argument, free_bytes(left.device, memory_bytes))
        yield Bench(strategy, work, strategy(work))


def device_operands(operands: Operands, shape: Shape, precision: Precision) -> tuple[Any, Any]:
    """A (rows, inner) and B (inner, units) in the storage type of the precision, where the current device is."""
    held = tf.constant if operands.hold is Hold.CONSTANT else tf.Variable
    left, right = (held(tf.cast(matrix, DTYPES[precision])) for matrix in host_operands(operands, shape))
    return left, right


@dataclass(frozen=True, slots=True)
class Measured:
    """How the sampling of a case went.

    Attributes:
        epoch_count: epochs of a sample: the case's, or fewer where one sample alone would have overrun the budget.
    """

    stopped_by: StoppedBy
    epoch_count: int


def measure(bench: Bench, epoch_count: int, plan: SamplingPlan, *, is_warm: bool) -> Iterator[Sample | Measured]:
    """Yield warm-up samples, then samples until the plan is satisfied, last how it went."""
    index = 0
    if not is_warm:
        for sample in bench.warm_up(epoch_count):
            yield sample
            index += 1
    affordable = affordable_epoch_count(epoch_count, bench.s_per_epoch or 0.0, plan)
    wall_time_s: list[float] = []
    while (stopped_by := stop_reason(wall_time_s, plan)) is None:
        sample = bench.sample(affordable, sample_index=index, is_warmup=False)
        wall_time_s.append(sample.wall_time_ns / NS_PER_S)
        yield sample
        index += 1
    yield Measured(stopped_by, affordable)
