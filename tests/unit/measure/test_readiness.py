import psutil
import pytest

from bench_core.measure.readiness import device_warnings
from bench_core.model.case import DeviceKind
from bench_core.model.run import DeviceIdentity

CPU = DeviceIdentity("cpu", "CPU-1", "EPYC", 2**34)


@pytest.mark.parametrize(("percent", "is_warned"), [(5.0, False), (90.0, True)])
def test_a_busy_cpu_is_a_warning_before_the_run(
    monkeypatch: pytest.MonkeyPatch, percent: float, is_warned: bool
) -> None:
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: percent)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    # 5 % of two cores is 0.1, under the half core that disturbs; 90 % is 1.8.
    warnings = device_warnings(DeviceKind.CPU, CPU)

    assert bool(warnings) is is_warned
    assert all("1.8 cores" in warning for warning in warnings)
