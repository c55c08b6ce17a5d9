"""What the device and the measuring process looked like at one moment, sampled from outside the timed path."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TelemetryReading:
    """One reading; None where this device or system does not tell.

    Attributes:
        read_at_ns: Unix time in nanoseconds, to line readings up with samples.
        device_memory_bytes: memory in use on the device.
        sm_clock_mhz: clock of the streaming multiprocessors, or of the CPU.
        memory_clock_mhz: clock of the device's memory.
        temperature_celsius: of the device.
        power_w: drawn by the device.
        throttle_reasons: the driver's reasons for lowering clocks, joined by commas; empty when there are none.
        resident_bytes: memory of the measuring process.
        process_cpu_fraction: CPU time of the measuring process, 1.0 is one core.
        other_cpu_fraction: CPU time of all other processes, 1.0 is one core.
        load_average: the system's one-minute load.
        other_process_count: other processes on the GPU.
    """

    read_at_ns: int
    device_memory_bytes: int | None = None
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_celsius: float | None = None
    power_w: float | None = None
    throttle_reasons: str | None = None
    resident_bytes: int | None = None
    process_cpu_fraction: float | None = None
    other_cpu_fraction: float | None = None
    load_average: float | None = None
    other_process_count: int | None = None
