"""Whether a device is quiet before a sweep begins; what is not becomes a warning at the top of its report."""

import os

import psutil

from bench_core.measure.disturbance import OTHER_CPU_FRACTION, disturbance
from bench_core.measure.telemetry import open_probe
from bench_core.model.case import DeviceKind
from bench_core.model.run import DeviceIdentity

LOOK_S = 0.2


def device_warnings(kind: DeviceKind, identity: DeviceIdentity) -> tuple[str, ...]:
    """What would disturb a measurement that began now, a sentence each."""
    if kind is DeviceKind.GPU:
        with open_probe(kind, identity) as probe:
            disturbed_by = disturbance([probe.read(None)])
        return (f"Warning: before the run began: {disturbed_by}.",) if disturbed_by else ()
    busy_cores = psutil.cpu_percent(interval=LOOK_S) / 100 * (os.cpu_count() or 1)
    if busy_cores <= OTHER_CPU_FRACTION:
        return ()
    return (f"Warning: before the run began other processes were using {busy_cores:.1f} cores: expect spread.",)
