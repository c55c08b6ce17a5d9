"""What a reading depends on besides the case, as a value two runs can be compared by."""

import os
import platform
from dataclasses import fields

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import cpu_model, driver_versions
from bench_core.model.case import DeviceKind
from bench_core.model.run import Environment

# Variables that change how TensorFlow, its thread pools, BLAS or CUDA execute the same matmul.
_PREFIXES = ("TF_", "XLA_", "CUDA_", "NVIDIA_", "CUBLAS_", "OMP_", "MKL_", "ONEDNN_", "KMP_")


def describe_environment(client: MeasureClient) -> Environment:
    """The environment the client measures in; waits until its worker process has loaded TensorFlow."""
    import psutil

    info = client.worker_info()
    driver_version, cuda_version = driver_versions() if client.device.kind is DeviceKind.GPU else (None, None)
    return Environment(
        host=platform.node(),
        os=platform.platform(),
        cpu_model=cpu_model(),
        logical_cpu_count=os.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        python_version=info.python_version,
        numpy_version=info.numpy_version,
        tensorflow_version=info.tensorflow_version,
        driver_version=driver_version,
        cuda_version=cuda_version,
        variables=tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith(_PREFIXES))),
    )


def differences(before: Environment, now: Environment) -> tuple[str, ...]:
    """What changed between two environments, one sentence each."""
    changed = (field.name for field in fields(Environment) if getattr(before, field.name) != getattr(now, field.name))
    return tuple(f"{name} was {getattr(before, name)!r} and is {getattr(now, name)!r}" for name in changed)
