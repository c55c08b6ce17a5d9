"""How epochs reach the device, and the real wait for it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context, executor

from bench_core.model.case import DeviceKind, DeviceRequest

Drain = Callable[[], Any]


def select_device(request: DeviceRequest, device_uuid: str) -> None:
    """Let this process see the one device it measures; must run before TensorFlow touches any."""
    is_gpu = request.kind is DeviceKind.GPU
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = device_uuid if is_gpu else "-1"


@contextmanager
def open_queue(request: DeviceRequest) -> Iterator[Drain]:
    """Issue everything within on the device; yields the call that waits until it is idle.

    On a GPU the default executor dispatches synchronously and CUDA queues the launches, so the wait is
    sync_devices(). On the CPU the executor itself is the queue, or there is none.
    """
    device = "/GPU:0" if request.kind is DeviceKind.GPU else "/CPU:0"
    with _executor(request) as drain, tf.device(device):
        yield drain


@contextmanager
def _executor(request: DeviceRequest) -> Iterator[Drain]:
    if request.kind is not DeviceKind.CPU_ASYNC:
        with nullcontext():
            yield tf.test.experimental.sync_devices
        return
    queue = executor.new_executor(
        enable_async=True, enable_streaming_enqueue=True, in_flight_nodes_limit=request.queue_capacity
    )
    with context.executor_scope(queue):
        try:
            yield queue.wait
        finally:
            queue.wait()
