"""Rates against peaks: what is possible, what ran, and what no device can do."""

import pytest

from bench_core.analyze.rates import rate_of
from bench_core.model.curve import Work


@pytest.mark.parametrize(
    ("precision", "tera", "ran_as"),
    [
        # RTX A4000: fp32 19.2, TF32 38.3, fp16 76.7 TFLOP/s.
        ("fp32", 15.0, "fp32"),
        ("fp32", 23.3, "tf32"),
        (None, 23.3, "tf32"),
        (None, 60.0, "fp16"),
        ("fp16", 60.0, "fp16"),
        # 8 % above the nominal fp32 peak is a boosting clock.
        ("fp32", 20.7, "fp32"),
    ],
)
def test_the_slowest_precision_that_allows_the_rate_is_what_ran(
    precision: str | None, tera: float, ran_as: str
) -> None:
    rate = rate_of(1.0, Work(flop_per_epoch=tera * 1e12, precision=precision, gpu="RTX A4000"))

    assert rate.ran_as == ran_as
    assert not rate.is_impossible


def test_a_card_that_boosts_13_percent_above_nominal_is_believed() -> None:
    # 12.79 TFLOP/s on a GTX 1080 Ti of nominally 11.3: seen, and legitimate.
    rate = rate_of(1.0, Work(flop_per_epoch=12.79e12, precision="fp32", gpu="GTX 1080 Ti"))

    assert not rate.is_impossible
    assert rate.peak_fraction == pytest.approx(1.13, abs=0.01)


def test_fp16_on_a_card_without_tensor_cores_is_held_against_fp32() -> None:
    rate = rate_of(1.0, Work(flop_per_epoch=12.69e12, precision="fp16", gpu="GTX 1080 Ti"))

    assert rate.ran_as == "fp32"
    assert not rate.is_impossible


def test_a_third_above_the_peak_is_impossible() -> None:
    rate = rate_of(1.0, Work(flop_per_epoch=1.3e12, peak_flop_per_s=1e12))

    assert rate.is_impossible
    assert rate.ran_as is None
    assert rate.excess == pytest.approx(1.3 / 1.2)


def test_a_ceiling_of_the_same_run_outweighs_the_data_sheet() -> None:
    # 10 % uncertainty and the pipelining of queued epochs: up to 1.25 x 1.1 = 1.375 times the ceiling.
    work = Work(flop_per_epoch=1.4e11, gpu="RTX A4000", ceiling_flop_per_s=1e11, ceiling_uncertainty_fraction=0.1)

    assert rate_of(1.0, work).is_impossible
    assert not rate_of(1.1, work).is_impossible


def test_what_no_device_on_sale_reaches_needs_no_card() -> None:
    assert rate_of(1.0, Work(flop_per_epoch=1e17)).is_impossible
    # 768 MB in 16 us are 48 TB/s.
    assert rate_of(1.6e-5, Work(bytes_per_epoch=768e6)).is_impossible
    # 1 MB stays in a cache.
    assert not rate_of(1e-8, Work(bytes_per_epoch=1e6)).is_impossible


def test_nothing_known_says_nothing() -> None:
    rate = rate_of(1.0, Work())

    assert rate.flop_per_s is None
    assert rate.excess is None
    assert not rate.is_impossible
