"""What the device can do, found out before a sweep: a shape that shows the queue, and the ceiling."""

import statistics
from collections.abc import Iterator

from bench_core.measure.worker.bench import NS_PER_S, Bench, open_bench
from bench_core.model.case import Case, DeviceKind, DeviceRequest, Operands, Precision
from bench_core.model.mitigation import Mitigation
from bench_core.model.run import Ceiling
from bench_core.model.shape import Shape

# An epoch this many times its enqueueing puts the knee well inside a table of twice the queue capacity; nearer, the
# knee moves out of it.
EPOCH_PER_ENQUEUE = 10.0
PROBE_SHAPE = Shape(256, 784, 512)
PROBE_EPOCHS = 60
PROBE_SAMPLES = 5
ROW_STEP = 32
MAX_ROWS = 60_000

# Square matmuls large enough to reach a device's best rate and small enough to finish in a moment.
CEILING_SQUARES = {DeviceKind.CPU: (512, 1024), DeviceKind.CPU_ASYNC: (512, 1024), DeviceKind.GPU: (4096, 8192)}
CEILING_BATCHES = 12
CEILING_BATCH_S = 0.05
# A dozen batches of an epoch longer than this would hold the sweep up for half a minute.
CEILING_EPOCH_S = 2.0
# Clocks move this much between one tenth of a second and the next on a quiet machine, so no ceiling is known better.
MIN_UNCERTAINTY_FRACTION = 0.05


def calibrate_shape(device: DeviceRequest, precision: Precision, operands: Operands) -> Shape:
    """A shape whose epoch costs about ten times its enqueueing on this device.

    On a synchronous device enqueueing is measured through the asynchronous executor: it is the host's cost that counts.
    """
    queued = DeviceRequest.parse("cpu-async") if device.kind is DeviceKind.CPU else device
    probe = Case(queued, PROBE_SHAPE, precision, Mitigation(), PROBE_EPOCHS, operands)
    with open_bench(probe, 0) as bench:
        for _ in bench.warm_up(PROBE_EPOCHS):
            pass
        enqueue_s, epoch_s = _probe(bench)
    flop = PROBE_SHAPE.flop_per_epoch / epoch_s * EPOCH_PER_ENQUEUE * enqueue_s
    return shape_of(flop)


def shape_of(flop: float) -> Shape:
    """The shape of about that many FLOP, `rows x 784 x 512` up to MNIST's 60,000 rows, then with more units."""
    inner, units = PROBE_SHAPE.inner, PROBE_SHAPE.units
    rows = ROW_STEP * max(2, round(flop / (2 * inner * units * ROW_STEP)))
    if rows <= MAX_ROWS:
        return Shape(rows, inner, units)
    return Shape(MAX_ROWS, inner, units * max(1, round(flop / (2 * inner * units * MAX_ROWS))))


def measure_ceiling(device: DeviceRequest, precision: Precision, shape: Shape, operands: Operands) -> Ceiling:
    """The best synchronised matmul rate over a few squares and, where that takes moments, the sweep's shape."""
    squares = (Shape(side, side, side) for side in CEILING_SQUARES[device.kind])
    best = max((_shape_ceiling(device, precision, square, operands) for square in squares), key=_rate)
    if shape.flop_per_epoch / best.flop_per_s > CEILING_EPOCH_S:
        return best
    return max(best, _shape_ceiling(device, precision, shape, operands), key=_rate)


def _rate(ceiling: Ceiling) -> float:
    return ceiling.flop_per_s


def _probe(bench: Bench) -> tuple[float, float]:
    """Medians of the host's cost of one call and the device's cost of one epoch, in seconds.

    The host's cost is a sample's mean: single calls are mostly fast and now and then slow, and a loop pays for both.
    """
    samples = [bench.sample(PROBE_EPOCHS, sample_index=0, is_warmup=False) for _ in range(PROBE_SAMPLES)]
    enqueue_ns = statistics.median(sample.enqueue_time_ns for sample in samples)
    epoch_ns = statistics.median(sample.wall_time_ns for sample in samples)
    return enqueue_ns / PROBE_EPOCHS / NS_PER_S, epoch_ns / PROBE_EPOCHS / NS_PER_S


def _shape_ceiling(device: DeviceRequest, precision: Precision, shape: Shape, operands: Operands) -> Ceiling:
    case = Case(device, shape, precision, Mitigation(), 1, operands)
    with open_bench(case, 0) as bench:
        for _ in bench.warm_up(1):
            pass
        rates = list(_batch_rates(bench, shape))
    best, middle = max(rates), statistics.median(rates)
    return Ceiling(best, max(MIN_UNCERTAINTY_FRACTION, best / middle - 1), str(shape))


def _batch_rates(bench: Bench, shape: Shape) -> Iterator[float]:
    once = bench.sample(1, sample_index=0, is_warmup=False).wall_time_ns / NS_PER_S
    count = max(1, int(CEILING_BATCH_S / once))
    for _ in range(CEILING_BATCHES):
        sample = bench.sample(count, sample_index=0, is_warmup=False)
        yield shape.flop_per_epoch * count * NS_PER_S / sample.wall_time_ns
