"""Which samples were taken while the device was not theirs alone, or was throttled."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bench_core.model.result import Sample
from bench_core.model.telemetry import TelemetryReading

# Cores taken by other processes: half a core of two slows a matmul on all cores down by about a fifth, a whole one by
# three quarters (docs/method.md, "Disturbed samples").
OTHER_CPU_FRACTION = 0.5
# The scheduler leaves a busy process its share however many others want the core.
MOST_TAKEN_FRACTION = 0.9


def label_samples(samples: Iterable[Sample], readings: Sequence[TelemetryReading]) -> tuple[Sample, ...]:
    """The samples, each with what disturbed it according to the readings taken while it ran."""
    return tuple(replace(sample, disturbed_by=disturbance(_during(sample, readings))) for sample in samples)


def disturbance(readings: Sequence[TelemetryReading]) -> str | None:
    """What disturbed a sample, in words; None when nothing was seen (also where there was no reading)."""
    reasons = {reading.throttle_reasons for reading in readings if reading.throttle_reasons}
    if reasons:
        return f"throttled: {', '.join(sorted(reasons))}"
    if any(reading.other_process_count for reading in readings):
        return "another process on the device"
    others = [reading.other_cpu_fraction for reading in readings if reading.other_cpu_fraction is not None]
    if others and sum(others) / len(others) > OTHER_CPU_FRACTION:
        return f"other processes took {sum(others) / len(others):.1f} cores"
    return None


def missing_rate_fraction(readings: Sequence[TelemetryReading], core_count: int) -> float:
    """How much faster than measured a CPU could have been without the cores that others took; 0 where nobody looked.

    With half of the cores taken the rate may be half of what the device can do: a fraction of 1.
    """
    others = [reading.other_cpu_fraction for reading in readings if reading.other_cpu_fraction is not None]
    taken = min(sum(others) / len(others) / core_count, MOST_TAKEN_FRACTION) if others else 0.0
    return taken / (1 - taken)


def _during(sample: Sample, readings: Sequence[TelemetryReading]) -> list[TelemetryReading]:
    end_ns = sample.started_at_ns + sample.wall_time_ns
    return [reading for reading in readings if sample.started_at_ns <= reading.read_at_ns <= end_ns]
