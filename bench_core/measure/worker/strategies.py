"""How the same epochs are issued. A strategy is one function here and one line in bench_core.model.mitigation.

A strategy receives the operands on the device and returns how to issue a number of epochs: the call to repeat, and how
often. What the call returns is dropped by the timed region and looked at by the proof.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

Tensor = Any
Call = Callable[[], Any]
# Epoch count -> the call, and how many of it make up a sample.
Issue = Callable[[int], tuple[Call, int]]
Strategy = Callable[[Tensor, Tensor], Issue]


def none(left: Tensor, right: Tensor) -> Issue:
    """The question's loop: one call of a compiled function an epoch."""
    step = tf.function(lambda x, y: tf.matmul(x, y))
    return lambda epoch_count: (lambda: step(left, right), epoch_count)


def graph_loop(left: Tensor, right: Tensor) -> Issue:
    """Exactly as was suggested: the loop inside the function, each product dropped."""

    def loop(x: Tensor, y: Tensor, epoch_count: Tensor) -> None:
        for _ in tf.range(epoch_count):
            tf.matmul(x, y)

    return _one_call(tf.function(loop), left, right)


def graph_loop_kept(left: Tensor, right: Tensor) -> Issue:
    """The same loop, each epoch waiting for one element of the product before; returns the sum of those elements.

    One element is carried, never the product: carrying the product keeps two of them alive.
    """

    def loop(x: Tensor, y: Tensor, epoch_count: Tensor) -> Tensor:
        total = tf.zeros((), x.dtype)
        for _ in tf.range(epoch_count):
            with tf.control_dependencies([total]):
                product = tf.matmul(x, y)
            total += product[0, 0]
        return total

    return _one_call(tf.function(loop), left, right)


def _one_call(loop: Callable[[Tensor, Tensor, Tensor], Any], left: Tensor, right: Tensor) -> Issue:
    def issue(epoch_count: int) -> tuple[Call, int]:
        # A tensor, not a Python number: a number would be traced anew for every epoch count.
        count = tf.constant(epoch_count)
        return lambda: loop(left, right, count), 1

    return issue


STRATEGIES: dict[str, Strategy] = {strategy.__name__: strategy for strategy in (none, graph_loop, graph_loop_kept)}
