"""How the same epochs are issued. A strategy is one function here and one line in bench_core.model.mitigation.

A strategy receives its work and returns an Issuer: how to issue a number of epochs as calls. What the last call
returns (a product, a checksum or nothing) is what the proof looks at; the timed region drops the rest.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import tensorflow as tf

from bench_core.measure.worker.errors import UnsupportedError
from bench_core.measure.worker.tuning import largest_divisor, tune_window

Tensor = Any
Function = Any  # a tf.function

# At 32 epochs a matmul the enqueueing, a tenth of an epoch where the shape is calibrated, is 0.3 % of the work.
MAX_MERGED_EPOCHS = 32
# Operands and products merged may take this share of the memory that is free, leaving room for the allocator.
MERGED_MEMORY_FRACTION = 0.25


@dataclass(frozen=True, slots=True)
class Work:
    """What a strategy issues.

    Attributes:
        left: A, shape (rows, inner), on the device.
        right: B, shape (inner, units), on the device.
        drain: waits until the device is idle.
        argument: what follows the strategy's colon, "" without one.
        free_bytes: device memory beyond the operands that may be used.
    """

    left: Tensor
    right: Tensor
    drain: Callable[[], Any]
    argument: str = ""
    free_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Issued:
    """The calls of one sample: `call` repeated call_count times runs matmul_count matmuls."""

    call: Callable[[], Any]
    call_count: int
    matmul_count: int


@dataclass(frozen=True, slots=True)
class Issuer:
    """A strategy ready to issue epochs.

    Attributes:
        function: the tf.function behind it, for counting its traces.
        issue: the calls that make up a number of epochs.
        arguments: what it is called with, for looking at the graph it made; empty where that changes.
        tuned: what the strategy chose for itself.
    """

    function: Function
    issue: Callable[[int], Issued]
    arguments: tuple[Tensor, ...] = ()
    tuned: Mapping[str, int] = field(default_factory=dict)

    def trace_count(self) -> int:
        """How often the function has been traced."""
        return int(self.function.experimental_get_tracing_count())

    def node_count(self) -> int | None:
        """Nodes of the graph that is called; looking it up traces nothing, because these inputs have been traced."""
        if not self.arguments or not self.trace_count():
            return None
        return len(self.function.get_concrete_function(*self.arguments).graph.get_operations())


Strategy = Callable[[Work], Issuer]


def none(work: Work) -> Issuer:
    """The question's loop: one call of a compiled function an epoch."""
    return _call_an_epoch(work, tf.function(_matmul))


def sync_each(work: Work) -> Issuer:
    """The same loop, waiting for the device after every call."""
    return _synchronized_window(work, 1)


def sync_every(work: Work) -> Issuer:
    """The same loop, waiting after every K calls; without K the smallest window that costs nothing is taken."""
    if work.argument:
        return _synchronized_window(work, _positive(work.argument, "sync_every"))
    step = tf.function(_matmul)
    window = tune_window(lambda: step(work.left, work.right), work.drain)
    issuer = _synchronized_window(work, window)
    return replace(issuer, tuned={"window": window})


def graph_loop(work: Work) -> Issuer:
    """Exactly as was suggested: the loop inside the function, each product dropped."""
    return _one_call(work, tf.function(_dropping_range))


def graph_loop_kept(work: Work) -> Issuer:
    """The same loop, each epoch waiting for one element of the product before; returns the sum of those elements."""
    return _one_call(work, tf.function(_keeping_range))


def while_loop(work: Work) -> Issuer:
    """The loop as tf.while_loop, each product dropped."""

    def loop(x: Tensor, y: Tensor, epoch_count: Tensor) -> None:
        def body(epoch: Tensor) -> Tensor:
            tf.matmul(x, y)
            return epoch + 1

        tf.while_loop(lambda epoch: epoch < epoch_count, body, [tf.constant(0)])

    return _one_call(work, tf.function(loop))


def while_loop_kept(work: Work) -> Issuer:
    """The same loop, each epoch waiting for one element of the product before; returns the sum of those elements."""

    def loop(x: Tensor, y: Tensor, epoch_count: Tensor) -> Tensor:
        def body(epoch: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
            return epoch + 1, total + _element_after(total, x, y)

        start = [tf.constant(0), tf.zeros((), tf.float64)]
        return tf.while_loop(lambda epoch, _: epoch < epoch_count, body, start)[1]

    return _one_call(work, tf.function(loop))


def merged(work: Work) -> Issuer:
    """As many epochs in one larger matmul as memory allows: A stacked, so the FLOP are exactly the same."""
    rows, inner = work.left.shape
    units = work.right.shape[1]
    bytes_an_epoch = work.left.dtype.size * rows * (inner + 2 * units)
    limit = min(MAX_MERGED_EPOCHS, max(1, int(MERGED_MEMORY_FRACTION * work.free_bytes / bytes_an_epoch)))
    step = tf.function(_matmul)
    stacks: dict[int, Tensor] = {}

    def issue(epoch_count: int) -> Issued:
        together = largest_divisor(epoch_count, limit)
        if together not in stacks:
            stacks.clear()
            stacks[together] = tf.tile(work.left, [together, 1])
            work.drain()  # stacking is no part of the sample that follows
        stacked = stacks[together]
        count = epoch_count // together
        return Issued(lambda: step(stacked, work.right), count, count)

    return Issuer(step, issue, tuned={"max_merged_epochs": limit})


def xla_call(work: Work) -> Issuer:
    """The Python loop of a function compiled by XLA."""
    return _call_an_epoch(work, tf.function(_matmul, jit_compile=True))


def xla(work: Work) -> Issuer:
    """The graph loop compiled by XLA, each product dropped."""
    return _one_call(work, tf.function(_dropping_range, jit_compile=True))


def xla_kept(work: Work) -> Issuer:
    """The kept graph loop compiled by XLA, with an operand that depends on the epoch before.

    XLA ignores control dependencies and would hoist the product out of the loop, so the dependency is in the data: a
    zero made from the total is added to the smaller operand (docs/method.md, "What keeping costs").
    """
    return _one_call(work, tf.function(_chained_range, jit_compile=True))


def _matmul(x: Tensor, y: Tensor) -> Tensor:
    return tf.matmul(x, y)


def _dropping_range(x: Tensor, y: Tensor, epoch_count: Tensor) -> None:
    for _ in tf.range(epoch_count):
        tf.matmul(x, y)


def _keeping_range(x: Tensor, y: Tensor, epoch_count: Tensor) -> Tensor:
    total = tf.zeros((), tf.float64)
    for _ in tf.range(epoch_count):
        total += _element_after(total, x, y)
    return total


def _chained_range(x: Tensor, y: Tensor, epoch_count: Tensor) -> Tensor:
    total = tf.zeros((), tf.float64)
    is_left_smaller = x.shape[0] < y.shape[1]
    for _ in tf.range(epoch_count):
        zero = tf.cast(total * 0, x.dtype)
        product = tf.matmul(x + zero, y) if is_left_smaller else tf.matmul(x, y + zero)
        total += tf.cast(product[0, 0], tf.float64)
    return total


def _element_after(total: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """One element of a product that is begun only once the total of the epochs before is there.

    One element is carried, never the product: carrying the product keeps two of them alive.
    """
    with tf.control_dependencies([total]):
        product = tf.matmul(x, y)
    return tf.cast(product[0, 0], tf.float64)


def _call_an_epoch(work: Work, step: Function) -> Issuer:
    def call() -> Tensor:
        return step(work.left, work.right)

    return Issuer(step, lambda epoch_count: Issued(call, epoch_count, epoch_count), (work.left, work.right))


def _one_call(work: Work, loop: Function) -> Issuer:
    def issue(epoch_count: int) -> Issued:
        # A tensor, not a Python number: a number would be traced anew for every epoch count.
        count = tf.constant(epoch_count)
        return Issued(lambda: loop(work.left, work.right, count), 1, epoch_count)

    return Issuer(loop, issue, (work.left, work.right, tf.constant(1)))


def _synchronized_window(work: Work, window: int) -> Issuer:
    step = tf.function(_matmul)

    def issue(epoch_count: int) -> Issued:
        issued = 0

        def call() -> Tensor:
            nonlocal issued
            product = step(work.left, work.right)
            issued += 1
            if issued % window == 0:
                work.drain()
            return product

        return Issued(call, epoch_count, epoch_count)

    return Issuer(step, issue, (work.left, work.right))


def _positive(argument: str, name: str) -> int:
    if not argument.isdigit() or int(argument) < 1:
        raise UnsupportedError(f"{name}:{argument}: need a whole number of at least 1 after the colon")
    return int(argument)


STRATEGIES: dict[str, Strategy] = {
    strategy.__name__: strategy
    for strategy in (
        none,
        sync_each,
        sync_every,
        graph_loop,
        graph_loop_kept,
        while_loop,
        while_loop_kept,
        merged,
        xla_call,
        xla,
        xla_kept,
    )
}
