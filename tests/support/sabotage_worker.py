"""A worker process with strategies that cheat, registered under the names in SABOTAGE (JSON: name -> kind)."""

import json
import os
import signal

import tensorflow as tf

from bench_core.measure.worker import __main__ as worker
from bench_core.measure.worker.strategies import STRATEGIES, Issued, Issuer, Work, graph_loop, none, while_loop


def skips_the_last_tenth(work: Work) -> Issuer:
    """Sums one element of nine tenths of the products, scaled so that the sum looks complete for a few epochs."""

    def loop(x: tf.Tensor, y: tf.Tensor, epoch_count: tf.Tensor) -> tf.Tensor:
        total = tf.zeros((), tf.float64)
        for _ in tf.range(epoch_count - epoch_count // 10):
            with tf.control_dependencies([total]):
                product = tf.matmul(x, y)
            total += tf.cast(product[0, 0], tf.float64)
        return total

    function = tf.function(loop)
    return Issuer(function, lambda count: Issued(lambda: function(work.left, work.right, tf.constant(count)), 1, count))


def never_drains(work: Work) -> Issuer:
    """The control, with the wait taken away from the timed region by lying about when the device is idle."""
    honest = none(work)
    # The bench drains through its own Work; the cheat replaces that method where the bench will look it up.
    object.__setattr__(work, "drain", lambda: None)
    return honest


def returns_a_stale_product(work: Work) -> Issuer:
    """Multiplies in every epoch, and returns a product made before it began."""
    stale = tf.matmul(work.left, work.right)
    function = tf.function(lambda x, y: tf.matmul(x, y))

    def call() -> tf.Tensor:
        function(work.left, work.right)
        return stale

    return Issuer(function, lambda count: Issued(call, count, count))


def runs_in_lower_precision(work: Work) -> Issuer:
    """Multiplies in bf16 and returns the type that was asked for."""

    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.cast(tf.matmul(tf.cast(x, tf.bfloat16), tf.cast(y, tf.bfloat16)), x.dtype)

    function = tf.function(step)
    return Issuer(function, lambda count: Issued(lambda: function(work.left, work.right), count, count))


def dies(work: Work) -> Issuer:
    """Takes its process down."""
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def never_returns(work: Work) -> Issuer:
    """Sleeps for ever in native code's place."""
    while True:
        signal.pause()


KINDS = {
    kind.__name__: kind
    for kind in (
        skips_the_last_tenth,
        never_drains,
        returns_a_stale_product,
        runs_in_lower_precision,
        dies,
        never_returns,
        graph_loop,
        while_loop,
    )
}
STRATEGIES.update({name: KINDS[kind] for name, kind in json.loads(os.environ["SABOTAGE"]).items()})
worker.main()
