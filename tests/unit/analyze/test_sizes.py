"""Seconds against problem size: latency and work, and times that do not depend on the work."""

import numpy as np
import pytest
from timings import sizes

from bench_core.analyze.diagnose import diagnose
from bench_core.model.curve import Work
from bench_core.model.diagnosis import Verdict

SQUARES = np.array([128, 256, 512, 1024, 2048, 4096, 8192], float)


def test_latency_and_work_are_told_apart_with_their_crossover() -> None:
    diagnosis = diagnose(sizes(SQUARES, 2e-5 + 1e-13 * SQUARES**3))

    assert diagnosis.verdict is Verdict.SIZE_SCALING
    assert diagnosis.evidence["size_exponent"] == 3
    assert diagnosis.intercept_s == pytest.approx(2e-5, rel=0.01)
    # 1e-13 N^3 = 2e-5 at N = 585.
    assert diagnosis.evidence["crossover_size"] == pytest.approx(585, rel=0.01)
    assert diagnosis.also == (Verdict.HOST_BOUND,)


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0])
def test_noisy_sweeps_keep_their_exponent(exponent: float) -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        seconds = 2e-5 * (1 + (SQUARES / 512) ** exponent) * np.exp(rng.normal(0, 0.1, len(SQUARES)))
        diagnosis = diagnose(sizes(SQUARES, seconds))
        assert diagnosis.verdict is Verdict.SIZE_SCALING
        assert diagnosis.evidence["size_exponent"] == pytest.approx(exponent, abs=0.4)


def test_time_that_does_not_depend_on_the_size_is_the_hosts() -> None:
    rng = np.random.default_rng(4)
    level = 3e-5 * np.exp(rng.normal(0, 0.05, len(SQUARES)))

    waited = diagnose(sizes(SQUARES, level, work=Work(is_synchronized=True)))
    unknown = diagnose(sizes(SQUARES, level))

    assert waited.verdict is Verdict.HOST_BOUND
    assert waited.also == ()
    assert unknown.verdict is Verdict.HOST_BOUND
    assert unknown.also == (Verdict.UNSYNCHRONIZED,)
    assert diagnose(sizes(SQUARES, level, work=Work(is_synchronized=False))).verdict is Verdict.UNSYNCHRONIZED


def test_flat_times_over_32_times_the_size_are_the_hosts_and_have_no_crossover() -> None:
    # Between 0.20 and 0.21 ms throughout, as a clock with two digits shows it: no work is seen.
    diagnosis = diagnose(sizes([16, 32, 64, 128, 256, 512], [2.1e-4, 2e-4, 2.05e-4, 2.1e-4, 2.08e-4, 2.06e-4]))

    assert diagnosis.verdict is Verdict.HOST_BOUND
    assert diagnosis.also == (Verdict.UNSYNCHRONIZED,)
    assert "crossover_size" not in diagnosis.evidence


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1])
def test_noise_around_a_level_is_not_taken_for_work(noise: float) -> None:
    rng = np.random.default_rng(5)
    seen = [diagnose(sizes(SQUARES, 2e-4 * np.exp(rng.normal(0, noise, len(SQUARES))))).verdict for _ in range(100)]

    assert seen.count(Verdict.SIZE_SCALING) <= 2
    assert seen.count(Verdict.HOST_BOUND) >= 80


def test_a_crossover_far_from_the_sizes_is_not_reported() -> None:
    # 0.2 ms + 50 us at 512: by the root of the size both cost the same at 512 x 4^2 = 8,192, sixteen times too far.
    far = np.array([16, 32, 64, 128, 256, 512], float)

    diagnosis = diagnose(sizes(far, 2e-4 + 5e-5 * np.sqrt(far / 512)))

    assert diagnosis.verdict is Verdict.SIZE_SCALING
    assert "crossover_size" not in diagnosis.evidence
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.values["size"] <= 40 * 512


def test_time_that_stops_growing_with_the_work_was_not_waited_for() -> None:
    seconds = np.minimum(1e-7 * SQUARES**1.5, 5e-3)

    diagnosis = diagnose(sizes(SQUARES, seconds))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    # 1e-7 N^1.5 = 5 ms at N = 1357: from 2,048 on.
    assert diagnosis.evidence["level_from_size"] == 2048


def test_a_jump_faster_than_any_work_is_a_change_of_path_and_stays_open() -> None:
    # From 1 to 2 rows 23 times the time: no power up to the cube does that.
    diagnosis = diagnose(sizes([1, 2, 4, 8, 16], [8.2e-5, 1.9e-3, 1.8e-3, 1.8e-3, 1.84e-3]))

    assert diagnosis.verdict is Verdict.INCONCLUSIVE


def test_time_that_falls_with_the_size_is_no_size_scaling() -> None:
    assert diagnose(sizes([1, 24, 48], [10.37, 0.53, 0.47])).verdict is Verdict.INCONCLUSIVE


def test_two_sizes_fit_every_law() -> None:
    assert diagnose(sizes([1, 2], [0.005, 0.010])).verdict is Verdict.INCONCLUSIVE


def test_a_synchronised_column_that_grows_alone_shows_dispatch() -> None:
    diagnosis = diagnose(sizes(SQUARES, np.full(7, 3e-5), 3e-5 + 1e-13 * SQUARES**3))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    assert Verdict.SIZE_SCALING in diagnosis.also


@pytest.mark.parametrize("is_gpu_first", [False, True])
def test_a_device_that_stays_level_while_another_shows_the_work_grow_did_not_show_its_work(is_gpu_first: bool) -> None:
    # 4,000 times the time on one device, 1.25 times on the other.
    cpu_s, gpu_s = [0.001, 0.008, 0.06, 0.5, 4.0], [0.0004, 0.0004, 0.0004, 0.0005, 0.0005]
    columns = (gpu_s, cpu_s) if is_gpu_first else (cpu_s, gpu_s)

    diagnosis = diagnose(sizes([256, 512, 1024, 2048, 4096], *columns, is_second_synchronized=False))

    assert diagnosis.verdict is Verdict.HOST_BOUND
    assert diagnosis.also == (Verdict.UNSYNCHRONIZED,)
    assert diagnosis.evidence["other_growth_ratio"] == 4000


def test_two_devices_that_both_follow_the_size_accuse_nobody() -> None:
    work = SQUARES**3

    diagnosis = diagnose(sizes(SQUARES, 1e-13 * work, 1e-11 * work, is_second_synchronized=False))

    assert diagnosis.verdict is Verdict.SIZE_SCALING
    assert diagnosis.also == ()


def test_the_work_of_the_largest_size_is_held_against_the_peak() -> None:
    # 2 x 8192^3 FLOP in 1 ms are 1,100 TFLOP/s.
    work = Work(flop_per_epoch=2 * 8192**3, gpu="RTX A4000")

    assert diagnose(sizes(SQUARES, 1e-3 * SQUARES / 8192, work=work)).verdict is Verdict.IMPLAUSIBLE_RATE
