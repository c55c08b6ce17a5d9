from pathlib import Path

import pytest

from bench_core.measure.devices import Gpu, list_gpus
from bench_core.measure.nvidia_smi import SmiProbe, query

# What the command prints for a card that is throttled by power (0x4) while idle is reported too (0x1), and whose
# temperature sensor is missing.
SCRIPT = """#!/bin/sh
case "$*" in
  *query-compute-apps*) printf '41\\n42\\n' ;;
  *memory.used*) echo '1024, 1560, 7001, [N/A], 139.50, 0x0000000000000005' ;;
  *) echo '0, GPU-1, NVIDIA RTX A4000, 16376' ;;
esac
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "nvidia-smi"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return path


def test_gpus_are_found_without_the_library(command: Path) -> None:
    assert list_gpus() == (Gpu(0, "GPU-1", "NVIDIA RTX A4000", 16376 * 2**20),)


def test_a_reading_leaves_out_what_the_card_does_not_report(command: Path) -> None:
    reading = SmiProbe("GPU-1").read(pid=42)

    assert reading.device_memory_bytes == 1024 * 2**20
    assert (reading.sm_clock_mhz, reading.memory_clock_mhz, reading.power_w) == (1560, 7001, 139.5)
    assert reading.temperature_celsius is None
    assert reading.throttle_reasons == "SwPowerCap"
    assert reading.other_process_count == 1


def test_a_command_that_fails_is_no_gpu(command: Path) -> None:
    command.write_text("#!/bin/sh\nexit 9\n")

    assert query("gpu", ("index",)) == []
    assert list_gpus() == ()
