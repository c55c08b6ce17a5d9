import os
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from bench_core.measure.telemetry import CpuProbe, GpuProbe, TelemetrySampler
from bench_core.model.telemetry import TelemetryReading


class CountingProbe:
    def __init__(self) -> None:
        self.read_by: list[str] = []

    def read(self, pid: int | None) -> TelemetryReading:
        self.read_by.append(threading.current_thread().name)
        return TelemetryReading(time.time_ns(), resident_bytes=pid)


def test_the_sampler_reads_the_pid_of_the_moment_in_a_thread_of_its_own() -> None:
    probe = CountingProbe()
    with TelemetrySampler(probe, lambda: 42, period_s=0.001) as sampler:
        while len(probe.read_by) < 3:
            time.sleep(0.001)
        first = sampler.take()
    assert {reading.resident_bytes for reading in first} == {42}
    assert set(probe.read_by) == {"telemetry"}


def test_readings_are_handed_over_once() -> None:
    with TelemetrySampler(CountingProbe(), lambda: None, period_s=0.001) as sampler:
        taken = sampler.take()
        later = sampler.take()
    assert not {reading.read_at_ns for reading in taken} & {reading.read_at_ns for reading in later}


def test_the_cpu_probe_tells_this_process_from_all_others() -> None:
    probe = CpuProbe()
    probe.read(os.getpid())
    deadline_s = time.process_time() + 0.3
    while time.process_time() < deadline_s:
        pass
    reading = probe.read(os.getpid())
    assert reading.process_cpu_fraction is not None
    assert reading.process_cpu_fraction > 0.1  # it was busy all the time it was allowed to run
    assert reading.resident_bytes is not None
    assert reading.resident_bytes > 1_000_000


def test_the_cpu_probe_says_nothing_of_a_process_that_is_gone() -> None:
    reading = CpuProbe().read(2**22 + 1)  # above the largest pid Linux gives
    assert (reading.resident_bytes, reading.process_cpu_fraction) == (None, None)


class FakeNvml:
    """A card that is throttled by power and reports no temperature."""

    class NVMLError(Exception):
        pass

    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:
        return uuid

    def nvmlDeviceGetMemoryInfo(self, handle: str) -> Any:
        return SimpleNamespace(used=123)

    def nvmlDeviceGetPowerUsage(self, handle: str) -> int:
        return 139_500

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: str) -> int:
        return 4 | 1  # power cap, and idle, which is none

    def nvmlDeviceGetComputeRunningProcesses(self, handle: str) -> list[Any]:
        return [SimpleNamespace(pid=7), SimpleNamespace(pid=8)]

    def nvmlDeviceGetClockInfo(self, handle: str, kind: int) -> int:
        return {1: 1560, 2: 7001}[kind]

    def nvmlDeviceGetTemperature(self, handle: str, sensor: int) -> int:
        raise self.NVMLError


def test_the_gpu_probe_reads_what_the_card_reports_and_leaves_the_rest_out() -> None:
    reading = GpuProbe(FakeNvml(), "GPU-1").read(pid=7)

    assert reading.device_memory_bytes == 123
    assert reading.power_w == pytest.approx(139.5)  # NVML reports milliwatts
    assert (reading.sm_clock_mhz, reading.memory_clock_mhz) == (1560, 7001)
    assert reading.throttle_reasons == "SwPowerCap"
    assert reading.other_process_count == 1  # pid 8 is not ours
    assert reading.temperature_celsius is None
