"""What this machine can measure, what it cannot, and why: one finding a line."""

import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import Gpu, cpu_model, driver_versions, list_gpus, nvml, resolve
from bench_core.model.case import DeviceKind, Operands, Precision
from bench_core.model.errors import UserError
from bench_core.model.shape import Shape
from bench_core.model.units import format_bytes, format_rate

PACKAGES = ("cliffwatch", "numpy", "scipy", "prefect", "duckdb", "pyarrow", "altair", "vl-convert-python")
TENSORFLOW_PACKAGES = ("tensorflow", "tensorflow-cpu")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
# Large enough for a CPU's best rate and small enough for any device; the ceiling is taken over other shapes too.
PROBE_SHAPE = Shape(512, 784, 512)


class Level(StrEnum):
    """How much a finding matters."""

    FINE = "fine"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    topic: str
    level: Level
    message: str

    def to_json(self) -> dict[str, str]:
        """Plain values."""
        return {"topic": self.topic, "level": self.level.value, "message": self.message}


def examine(*, measures: bool) -> Iterator[Finding]:
    """Look at everything; `measures` also loads TensorFlow and finds each device's ceiling."""
    yield from _installed()
    yield from _system()
    yield from _processor()
    for gpu in list_gpus():
        yield from _gpu(gpu)
    yield from _prefect()
    if measures and platform.system() == "Linux":
        for device in ("cpu-async", *(f"gpu:{gpu.index}" for gpu in list_gpus())):
            yield from _ceilings(device)


def _installed() -> Iterator[Finding]:
    versions = {name: _version(name) for name in PACKAGES}
    listed = ", ".join(f"{name} {found}" for name, found in versions.items() if found)
    yield Finding("installed", Level.FINE, f"Python {platform.python_version()}, {listed}")
    for name, found in versions.items():
        if found is None:
            yield Finding("installed", Level.PROBLEM, f"{name} is missing: install cliffwatch again")
    tensorflow = next((f"{name} {_version(name)}" for name in TENSORFLOW_PACKAGES if _version(name)), None)
    if tensorflow:
        yield Finding("installed", Level.FINE, tensorflow)
    else:
        message = "no TensorFlow: diagnose, sql and report work, run does not; install the extra `cpu` or `cuda`"
        yield Finding("installed", Level.PROBLEM, message)


def _system() -> Iterator[Finding]:
    if platform.system() == "Linux":
        yield Finding("system", Level.FINE, platform.platform())
    else:
        message = f"{platform.platform()}: measuring needs Linux or WSL2; diagnose, sql and report work here"
        yield Finding("system", Level.PROBLEM, message)


def _processor() -> Iterator[Finding]:
    import psutil

    memory = format_bytes(psutil.virtual_memory().total)
    count = os.cpu_count() or 1
    yield Finding("cpu", Level.FINE, f"{cpu_model()}, {count} logical processors, {memory}")
    load, _, _ = os.getloadavg()
    if load > 0.5 * count:
        message = f"other processes are busy (load {load:.1f} on {count} processors): timings will be slow and spread"
        yield Finding("cpu", Level.NOTE, message)
    yield _cpu_clock()


def _cpu_clock() -> Finding:
    try:
        governor = GOVERNOR.read_text().strip()
    except OSError:
        message = "the clock's governor cannot be seen (usual in a virtual machine): the clock may float"
        return Finding("cpu", Level.NOTE, message)
    if governor == "performance":
        return Finding("cpu", Level.FINE, "clock governor performance")
    message = f"clock governor {governor}: the clock floats; `sudo cpupower frequency-set -g performance` holds it"
    return Finding("cpu", Level.NOTE, message)


def _gpu(gpu: Gpu) -> Iterator[Finding]:
    topic = f"gpu:{gpu.index}"
    driver, cuda = driver_versions()
    memory = format_bytes(gpu.memory_bytes)
    yield Finding(topic, Level.FINE, f"{gpu.name}, {memory}, driver {driver}, CUDA {cuda}, {gpu.uuid}")
    with nvml() as library:
        handle = library.nvmlDeviceGetHandleByUUID(gpu.uuid)
        yield from _gpu_processes(topic, library, handle)
        yield _gpu_clock(topic, library, handle)


def _gpu_processes(topic: str, library: Any, handle: Any) -> Iterator[Finding]:
    running = library.nvmlDeviceGetComputeRunningProcesses(handle)
    if running:
        ids = ", ".join(str(process.pid) for process in running)
        yield Finding(topic, Level.NOTE, f"in use by other processes ({ids}): rates will be lower and spread")


def _gpu_clock(topic: str, library: Any, handle: Any) -> Finding:
    try:
        now = library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_SM)
        highest = library.nvmlDeviceGetMaxClockInfo(handle, library.NVML_CLOCK_SM)
    except library.NVMLError as error:
        return Finding(topic, Level.NOTE, f"clocks cannot be read ({error})")
    message = (
        f"SM clock {now} of at most {highest} MHz; it floats unless it was locked: `sudo nvidia-smi -i "
        f"{topic.removeprefix('gpu:')} -lgc MHZ,MHZ` locks it, `-rgc` lets it go"
    )
    return Finding(topic, Level.NOTE, message)


def _prefect() -> Iterator[Finding]:
    from flows.prefect_session import configured_api_url
    from flows.temporary_server import answers

    api_url = configured_api_url()
    if api_url is None:
        yield Finding("prefect", Level.FINE, "no server configured: run starts a temporary one")
    elif answers(api_url):
        yield Finding("prefect", Level.FINE, f"the server at {api_url} answers")
    else:
        yield Finding("prefect", Level.PROBLEM, f"the configured server at {api_url} does not answer")


def _ceilings(device: str) -> Iterator[Finding]:
    try:
        request = resolve(device)
        with MeasureClient(request) as client:
            client.acquire_device()
            for precision in Precision:
                if precision is Precision.TF32 and request.kind is not DeviceKind.GPU:
                    message = "tf32 is a mode of NVIDIA tensor cores; there are none here"
                    yield Finding(device, Level.NOTE, message)
                else:
                    yield _ceiling(client, device, precision)
    except UserError as error:
        yield Finding(device, Level.PROBLEM, str(error))


def _ceiling(client: MeasureClient, device: str, precision: Precision) -> Finding:
    try:
        ceiling = client.measure_ceiling(precision, Operands(), PROBE_SHAPE)
    except UserError as error:
        return Finding(device, Level.PROBLEM, str(error))
    return Finding(device, Level.FINE, f"{precision} ceiling {format_rate(ceiling.flop_per_s)} ({ceiling.shape})")


def has_problem(findings: Iterable[Finding]) -> bool:
    """Whether something would not work."""
    return any(finding.level is Level.PROBLEM for finding in findings)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
