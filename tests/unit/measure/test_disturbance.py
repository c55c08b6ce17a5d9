import pytest

from bench_core.measure.disturbance import label_samples, missing_rate_fraction
from bench_core.model.result import Sample
from bench_core.model.telemetry import TelemetryReading

SAMPLE = Sample(0, 10, False, started_at_ns=1_000, enqueue_time_ns=100, drain_time_ns=900)  # until 2,000


def label(*readings: TelemetryReading) -> str | None:
    return label_samples([SAMPLE], readings)[0].disturbed_by


def test_a_quiet_sample_is_not_labelled() -> None:
    assert label(TelemetryReading(1_500, other_cpu_fraction=0.1, throttle_reasons="", other_process_count=0)) is None


def test_the_drivers_reason_is_named() -> None:
    assert label(TelemetryReading(1_500, throttle_reasons="SwThermalSlowdown")) == "throttled: SwThermalSlowdown"


def test_another_process_on_the_card_is_named() -> None:
    assert label(TelemetryReading(1_500, other_process_count=1)) == "another process on the device"


def test_cores_taken_by_others_are_averaged_over_the_sample() -> None:
    readings = [TelemetryReading(at, other_cpu_fraction=cores) for at, cores in ((1_200, 0.2), (1_800, 1.4))]

    assert label(*readings) == "other processes took 0.8 cores"


def test_what_happened_before_or_after_does_not_count() -> None:
    assert label(TelemetryReading(999, other_process_count=1), TelemetryReading(2_001, other_process_count=1)) is None


@pytest.mark.parametrize(("cores", "fraction"), [(0.0, 0.0), (1.0, 1.0), (0.5, 1 / 3)])
def test_cores_taken_by_others_widen_the_ceiling(cores: float, fraction: float) -> None:
    # Of two cores, one taken leaves half of the rate (it may be twice as high), a half leaves three quarters.
    readings = [TelemetryReading(1, other_cpu_fraction=cores), TelemetryReading(2)]

    assert missing_rate_fraction(readings, core_count=2) == pytest.approx(fraction)


def test_a_ceiling_nobody_watched_is_not_widened() -> None:
    assert missing_rate_fraction([], core_count=2) == 0.0
