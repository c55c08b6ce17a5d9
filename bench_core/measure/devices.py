"""Which devices this host has, without touching CUDA: GPUs through NVML or nvidia-smi, the CPU through psutil."""

import hashlib
import platform
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_core.measure import nvidia_smi
from bench_core.model.case import DeviceKind, DeviceRequest
from bench_core.model.errors import DeviceError
from bench_core.model.run import DeviceIdentity


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU as its driver reports it."""

    index: int
    uuid: str
    name: str
    memory_bytes: int


@contextmanager
def nvml() -> Iterator[Any]:
    """The NVML library, initialised; None where there is no NVIDIA driver."""
    try:
        import pynvml
    except ImportError:
        yield None
        return
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:  # no library, no driver, or no right to use it
        yield None
        return
    try:
        yield pynvml
    finally:
        pynvml.nvmlShutdown()


def list_gpus() -> tuple[Gpu, ...]:
    """Every NVIDIA GPU of this host, in the driver's order."""
    with nvml() as library:
        if library is None:
            rows = nvidia_smi.query("gpu", ("index", "uuid", "name", "memory.total"))
            return tuple(Gpu(int(row[0]), row[1], row[2], int(row[3]) * nvidia_smi.MIB) for row in rows)
        return tuple(_gpu(library, index) for index in range(library.nvmlDeviceGetCount()))


def driver_versions() -> tuple[str | None, str | None]:
    """Driver and CUDA versions, for example ("550.54.15", "12.4"); None without a driver."""
    with nvml() as library:
        if library is None:
            return None, None
        cuda = library.nvmlSystemGetCudaDriverVersion()
        return str(library.nvmlSystemGetDriverVersion()), f"{cuda // 1000}.{cuda % 1000 // 10}"


def resolve(device: str) -> DeviceRequest:
    """The device a name means on this host; `auto` is the first GPU, else `cpu-async`.

    Raises:
        DeviceError: a GPU that is not there, or a system that cannot measure.
    """
    if platform.system() != "Linux":
        raise DeviceError("Measuring needs Linux (or WSL2); diagnose, sql and report work here.")
    gpus = list_gpus()
    if device == "auto":
        return DeviceRequest(DeviceKind.GPU) if gpus else DeviceRequest.parse("cpu-async")
    request = DeviceRequest.parse(device)
    if request.kind is DeviceKind.GPU and request.index >= len(gpus):
        there = ", ".join(f"gpu:{gpu.index} ({gpu.name})" for gpu in gpus) or "no NVIDIA GPU"
        raise DeviceError(f"{device} is not there: this host has {there}; cpu and cpu-async always are")
    return request


def identify(request: DeviceRequest) -> DeviceIdentity:
    """The physical device behind a request; `cpu` and `cpu-async` are the same one."""
    if request.kind is DeviceKind.GPU:
        gpu = list_gpus()[request.index]
        return DeviceIdentity(str(request), gpu.uuid, gpu.name, gpu.memory_bytes)
    import psutil

    return DeviceIdentity(str(request), _cpu_uuid(), cpu_model(), psutil.virtual_memory().total)


def cpu_model() -> str:
    """The processor's name, `AMD EPYC 7B13` for example."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _cpu_uuid() -> str:
    """Stable for a host: its machine id, hashed because machine-id(5) asks not to publish it."""
    try:
        identity = Path("/etc/machine-id").read_text().strip()
    except OSError:
        identity = socket.gethostname()
    return "CPU-" + hashlib.sha256(f"cliffwatch {identity}".encode()).hexdigest()[:16]


def _gpu(library: Any, index: int) -> Gpu:
    handle = library.nvmlDeviceGetHandleByIndex(index)
    return Gpu(
        index,
        str(library.nvmlDeviceGetUUID(handle)),
        str(library.nvmlDeviceGetName(handle)),
        int(library.nvmlDeviceGetMemoryInfo(handle).total),
    )
