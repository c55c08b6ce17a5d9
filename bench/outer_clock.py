"""An independent loop to hold our estimates against: TensorFlow and timeit, nothing of ours.

Started by bench/estimates.py. Reads `DEVICE EPOCHS` lines, answers with the seconds of that loop.
"""

import sys
import timeit
from functools import partial

import tensorflow as tf
from tensorflow.python.eager import context, executor


def main(rows: int, inner: int, units: int) -> None:
    """Answer until the input ends."""
    left = tf.constant(tf.random.normal((rows, inner)))
    right = tf.constant(tf.random.normal((inner, units)))
    queue = executor.new_executor(enable_async=True, enable_streaming_enqueue=True, in_flight_nodes_limit=1024)

    # The question's own function. tf.function(tf.matmul) would be another: binding its ten defaulted arguments costs
    # the host 0.4 ms a call more (docs/performance.md).
    step = tf.function(lambda x, y: tf.matmul(x, y))

    def synchronized(epoch_count: int) -> None:
        # The default executor on the CPU returns from a call when its matmul is done; the wait at the end makes sure.
        for _ in range(epoch_count):
            step(left, right)
        tf.test.experimental.sync_devices()

    def asynchronous(epoch_count: int) -> None:
        with context.executor_scope(queue):
            for _ in range(epoch_count):
                step(left, right)
            queue.wait()

    synchronized(10)
    asynchronous(10)
    print("ready", flush=True)
    for line in sys.stdin:
        device, epochs = line.split()
        loop = synchronized if device == "cpu" else asynchronous
        print(timeit.timeit(partial(loop, int(epochs)), number=1), flush=True)


if __name__ == "__main__":
    main(*(int(size) for size in sys.argv[1].split("x")))
