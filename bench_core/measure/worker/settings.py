"""How the process is prepared before TensorFlow touches a device. A setting is one function here and one line in
bench_core.model.mitigation.
"""

import os
import re
from collections.abc import Callable
from dataclasses import replace

import tensorflow as tf

from bench_core.measure.worker.errors import UnsupportedError
from bench_core.model.case import Case, DeviceKind, Precision

# Applies one setting with its argument; returns the case as it is to be measured.
Setting = Callable[[Case, str], Case]


def apply_settings(case: Case) -> Case:
    """Prepare this process for the case's settings.

    Raises:
        UnsupportedError: a setting that means nothing on this device, with the reason.
    """
    _set_precision(case.precision is Precision.TF32)
    for setting in case.mitigation.settings:
        name, _, argument = setting.partition(":")
        case = SETTINGS[name](case, argument)
    return case


def memory_growth(case: Case, argument: str) -> Case:
    """GPU memory taken as needed instead of all at once."""
    _need_gpu(case, "memory_growth", "TensorFlow's CPU allocator always takes memory as it needs it")
    for device in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(device, True)
    return case


def cuda_malloc_async(case: Case, argument: str) -> Case:
    """CUDA's own asynchronous allocator."""
    _need_gpu(case, "cuda_malloc_async", "it is an allocator of the CUDA driver")
    os.environ["TF_GPU_ALLOCATOR"] = "cuda_malloc_async"
    return case


def launch_queue(case: Case, argument: str) -> Case:
    """Another capacity of the launch queue: a factor, on cpu-async also a number of epochs."""
    factor = re.fullmatch(r"(\d+(?:\.\d+)?)x", argument)
    if case.device.kind is DeviceKind.GPU:
        if not factor:
            raise UnsupportedError(f"launch_queue:{argument}: CUDA scales its queue by a factor such as 0.5x or 4x")
        os.environ["CUDA_SCALE_LAUNCH_QUEUES"] = argument
        return case
    if case.device.queue_capacity is None:
        raise UnsupportedError("launch_queue: the synchronous CPU executor has no queue; use cpu-async")
    capacity = round(float(factor[1]) * case.device.queue_capacity) if factor else _whole(argument)
    if capacity < 1:
        raise UnsupportedError(f"launch_queue:{argument}: need a capacity of at least 1, or a factor such as 0.5x")
    return replace(case, device=replace(case.device, queue_capacity=capacity))


def tf32(case: Case, argument: str) -> Case:
    """Whether fp32 matmuls may run as tf32."""
    _need_gpu(case, "tf32", "it is a mode of NVIDIA tensor cores")
    if argument not in ("on", "off"):
        raise UnsupportedError(f"tf32:{argument}: need tf32:on or tf32:off")
    _set_precision(argument == "on")
    return case


def threads(case: Case, argument: str) -> Case:
    """Threads of one matmul on the CPU."""
    if case.device.kind is DeviceKind.GPU:
        raise UnsupportedError("threads: a matmul on the GPU uses no threads of the host")
    if _whole(argument) < 1:
        raise UnsupportedError(f"threads:{argument}: need a whole number of at least 1")
    tf.config.threading.set_intra_op_parallelism_threads(int(argument))
    return case


def tensorflow(case: Case, argument: str) -> Case:
    """Nothing left to do: this worker process is the one with that TensorFlow.

    Raises:
        UnsupportedError: it is not.
    """
    if tf.__version__ != argument:
        raise UnsupportedError(f"tensorflow:{argument}: this worker process has {tf.__version__}")
    return case


def _set_precision(may_run_as_tf32: bool) -> None:
    tf.config.experimental.enable_tensor_float_32_execution(may_run_as_tf32)


def _need_gpu(case: Case, name: str, because: str) -> None:
    if case.device.kind is not DeviceKind.GPU:
        raise UnsupportedError(f"{name} means nothing on {case.device}: {because}")


def _whole(argument: str) -> int:
    return int(argument) if argument.isdigit() else 0


SETTINGS: dict[str, Setting] = {
    setting.__name__: setting for setting in (memory_growth, cuda_malloc_async, launch_queue, tf32, threads, tensorflow)
}
