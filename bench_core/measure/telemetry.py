"""Samples the device and the measuring process from this process, never from the one that times."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

from bench_core.measure.devices import nvml
from bench_core.measure.nvidia_smi import SmiProbe, throttle_names
from bench_core.model.case import DeviceKind
from bench_core.model.run import DeviceIdentity
from bench_core.model.telemetry import TelemetryReading

PERIOD_S = 0.1

PidOf = Callable[[], int | None]


class Probe(Protocol):
    """Reads one device."""

    def read(self, pid: int | None) -> TelemetryReading:
        """One reading, now; pid is the process that measures, None between cases."""


class TelemetrySampler:
    """A thread that reads a probe ten times a second while it is open; `take` hands over what has been read.

    Use as a context manager.
    """

    def __init__(self, probe: Probe, pid_of: PidOf, *, period_s: float = PERIOD_S) -> None:
        self._probe = probe
        self._pid_of = pid_of
        self._period_s = period_s
        self._readings: list[TelemetryReading] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def take(self) -> tuple[TelemetryReading, ...]:
        """Readings since the last take."""
        taken, self._readings = self._readings, []
        return tuple(taken)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.wait(self._period_s):
            self._readings.append(self._probe.read(self._pid_of()))


class CpuProbe:
    """The CPU: memory and CPU time of the measuring process, and what all others take."""

    def __init__(self) -> None:
        import psutil

        self._psutil = psutil
        self._last = _CpuTimes(0.0, 0.0, None, 0.0)

    def read(self, pid: int | None) -> TelemetryReading:
        """One reading; fractions are of the time since the reading before, so the first has none."""
        now, resident_bytes = self._times(pid)
        before, self._last = self._last, now
        process, other = now.fractions_since(before)
        frequency = self._psutil.cpu_freq()
        return TelemetryReading(
            read_at_ns=time.time_ns(),
            sm_clock_mhz=frequency.current if frequency else None,
            resident_bytes=resident_bytes,
            process_cpu_fraction=process,
            other_cpu_fraction=other,
            load_average=os.getloadavg()[0],
        )

    def _times(self, pid: int | None) -> "tuple[_CpuTimes, int | None]":
        total = self._psutil.cpu_times()
        busy_s = sum(total) - total.idle - getattr(total, "iowait", 0.0) - getattr(total, "guest", 0.0)
        now_s = time.monotonic()
        if pid is not None:
            try:
                process = self._psutil.Process(pid)
                own, memory = process.cpu_times(), process.memory_info()
                return _CpuTimes(now_s, busy_s, pid, own.user + own.system), int(memory.rss)
            except self._psutil.NoSuchProcess:
                pass  # it ended between the two looks: a reading without it
        return _CpuTimes(now_s, busy_s, None, 0.0), None


class _CpuTimes:
    """CPU seconds spent so far by everyone and by the measuring process."""

    def __init__(self, now_s: float, busy_s: float, pid: int | None, process_s: float) -> None:
        self.now_s, self.busy_s, self.pid, self.process_s = now_s, busy_s, pid, process_s

    def fractions_since(self, before: "_CpuTimes") -> tuple[float | None, float | None]:
        """Cores taken since then by the process and by all others; None where the process changed between."""
        if self.pid is None or before.pid != self.pid:
            return None, None
        elapsed_s = self.now_s - before.now_s
        process = (self.process_s - before.process_s) / elapsed_s
        other = (self.busy_s - before.busy_s) / elapsed_s - process
        return process, max(0.0, other)


class GpuProbe:
    """An NVIDIA GPU, through NVML."""

    def __init__(self, library: Any, device_uuid: str) -> None:
        self._nvml = library
        self._handle = library.nvmlDeviceGetHandleByUUID(device_uuid)

    def read(self, pid: int | None) -> TelemetryReading:
        """One reading; what this card does not report is None."""
        library, handle = self._nvml, self._handle
        memory = self._ask(library.nvmlDeviceGetMemoryInfo, handle)
        power_mw = self._ask(library.nvmlDeviceGetPowerUsage, handle)
        reasons = self._ask(library.nvmlDeviceGetCurrentClocksThrottleReasons, handle)
        processes = self._ask(library.nvmlDeviceGetComputeRunningProcesses, handle)
        return TelemetryReading(
            read_at_ns=time.time_ns(),
            device_memory_bytes=int(memory.used) if memory else None,
            sm_clock_mhz=self._ask(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_SM),
            memory_clock_mhz=self._ask(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_MEM),
            temperature_celsius=self._ask(library.nvmlDeviceGetTemperature, handle, library.NVML_TEMPERATURE_GPU),
            power_w=None if power_mw is None else power_mw / 1000,
            throttle_reasons=None if reasons is None else throttle_names(reasons),
            other_process_count=None if processes is None else sum(process.pid != pid for process in processes),
            load_average=os.getloadavg()[0],
        )

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except self._nvml.NVMLError:  # not every card reports every figure
            return None


@contextmanager
def open_probe(kind: DeviceKind, identity: DeviceIdentity) -> Iterator[Probe]:
    """The probe of a device."""
    if kind is not DeviceKind.GPU:
        yield CpuProbe()
        return
    with nvml() as library:
        yield GpuProbe(library, identity.device_uuid) if library else SmiProbe(identity.device_uuid)
