"""GPUs through the nvidia-smi command, for systems where its library cannot be loaded (WSL2 keeps it off the path)."""

import os
import shutil
import subprocess
import time

from bench_core.model.telemetry import TelemetryReading

MIB = 2**20
# A driver that does not answer within this has other problems than ours.
TIMEOUT_S = 10.0
# Bits of the active throttle reasons that lower clocks below what the work asked for (nvml.h).
THROTTLE_BITS = {
    0x04: "SwPowerCap",
    0x08: "HwSlowdown",
    0x20: "SwThermalSlowdown",
    0x40: "HwThermalSlowdown",
    0x80: "HwPowerBrakeSlowdown",
}
READING_FIELDS = (
    "memory.used",
    "clocks.sm",
    "clocks.mem",
    "temperature.gpu",
    "power.draw",
    "clocks_throttle_reasons.active",
)


def query(what: str, fields: tuple[str, ...], *, device_uuid: str | None = None) -> list[list[str]]:
    """Rows of nvidia-smi's CSV for `--query-WHAT`; none where there is no command or it fails."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    arguments = [command, f"--query-{what}={','.join(fields)}", "--format=csv,noheader,nounits"]
    if device_uuid is not None:
        arguments += ["-i", device_uuid]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [[value.strip() for value in line.split(",")] for line in done.stdout.splitlines() if line.strip()]


class SmiProbe:
    """An NVIDIA GPU, through nvidia-smi."""

    def __init__(self, device_uuid: str) -> None:
        self._device_uuid = device_uuid

    def read(self, pid: int | None) -> TelemetryReading:
        """One reading; what this card does not report is None."""
        rows = query("gpu", READING_FIELDS, device_uuid=self._device_uuid) or [[""] * len(READING_FIELDS)]
        memory_mib, sm_mhz, memory_mhz, celsius, power_w, _ = (_number(value) for value in rows[0])
        pids = [row[0] for row in query("compute-apps", ("pid",), device_uuid=self._device_uuid)]
        return TelemetryReading(
            read_at_ns=time.time_ns(),
            device_memory_bytes=None if memory_mib is None else round(memory_mib * MIB),
            sm_clock_mhz=sm_mhz,
            memory_clock_mhz=memory_mhz,
            temperature_celsius=celsius,
            power_w=power_w,
            throttle_reasons=_reasons(rows[0][-1]),
            load_average=os.getloadavg()[0],
            other_process_count=sum(other != str(pid) for other in pids),
        )


def throttle_names(active: int) -> str:
    """The throttle reasons among the bits the driver reports, joined by commas; idle and settings are none."""
    return ",".join(name for bit, name in THROTTLE_BITS.items() if active & bit)


def _number(text: str) -> float | None:
    """A figure, or None for what nvidia-smi writes instead, `[N/A]` for example."""
    try:
        return float(text)
    except ValueError:
        return None


def _reasons(text: str) -> str | None:
    return throttle_names(int(text, 16)) if text.startswith("0x") else None
