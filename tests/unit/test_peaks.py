"""Peaks are the makers' published ones, and a name never finds the wrong card."""

import pytest

from bench_core.analyze.peaks import Card, card_names, find_card, near_names

# Published TFLOP/s at the boost clock: fp32, tf32, fp16 (dense tensor cores where there are any), bf16.
# TITAN V: the maker prints 110 for its tensor cores, which is their rate at 1,343 MHz; at its boost clock of 1,455
# it is 119.2.
PUBLISHED = {
    "GeForce GTX 980": (4.98, None, None, None),
    "GeForce GTX 980 Ti": (6.06, None, None, None),
    "GeForce GTX 1050 Ti": (2.14, None, None, None),
    "GeForce GTX 1060 3GB": (3.9, None, None, None),
    "GeForce GTX 1060 6GB": (4.4, None, None, None),
    "GeForce GTX 1070": (6.5, None, None, None),
    "GeForce GTX 1070 Ti": (8.2, None, None, None),
    "GeForce GTX 1080": (8.9, None, None, None),
    "GeForce GTX 1080 Ti": (11.3, None, None, None),
    "TITAN X (Pascal)": (11.0, None, None, None),
    "TITAN Xp": (12.1, None, None, None),
    "Tesla P4": (5.5, None, None, None),
    "Tesla P40": (11.8, None, None, None),
    "Tesla P100-PCIE": (9.3, None, 18.7, None),
    "Tesla P100-SXM2": (10.6, None, 21.2, None),
    "TITAN V": (14.9, None, 119.2, None),
    "Tesla V100-PCIE": (14.0, None, 112.0, None),
    "Tesla V100-SXM2": (15.7, None, 125.0, None),
    "GeForce GTX 1650": (2.98, None, 5.97, None),
    "GeForce GTX 1660 Ti": (5.4, None, 10.9, None),
    "GeForce RTX 2060": (6.5, None, 51.6, None),
    "GeForce RTX 2070": (7.5, None, 59.7, None),
    "GeForce RTX 2080": (10.1, None, 80.5, None),
    "GeForce RTX 2080 Ti": (13.4, None, 107.6, None),
    "TITAN RTX": (16.3, None, 130.5, None),
    "Tesla T4": (8.1, None, 65.0, None),
    "NVIDIA A100": (19.5, 156.0, 312.0, 312.0),
    "NVIDIA A30": (10.3, 82.0, 165.0, 165.0),
    "NVIDIA A10": (31.2, 62.5, 125.0, 125.0),
    "NVIDIA A40": (37.4, 74.8, 149.7, 149.7),
    "NVIDIA RTX A4000": (19.2, 38.3, 76.7, 76.7),
    "NVIDIA RTX A5000": (27.8, 55.5, 111.1, 111.1),
    "NVIDIA RTX A6000": (38.7, 77.4, 154.8, 154.8),
    "GeForce RTX 3060": (12.7, 12.7, 51.0, 25.5),
    "GeForce RTX 3060 Ti": (16.2, 16.2, 64.8, 32.4),
    "GeForce RTX 3070": (20.3, 20.3, 81.3, 40.6),
    "GeForce RTX 3070 Ti": (21.7, 21.7, 87.0, 43.5),
    "GeForce RTX 3080": (29.8, 29.8, 119.0, 59.5),
    "GeForce RTX 3080 Ti": (34.1, 34.1, 136.0, 68.0),
    "GeForce RTX 3090": (35.6, 35.6, 142.0, 71.0),
    "GeForce RTX 3090 Ti": (40.0, 40.0, 160.0, 80.0),
    "GeForce RTX 4060": (15.1, 15.1, 60.5, 30.2),
    "GeForce RTX 4060 Ti": (22.1, 22.1, 88.2, 44.1),
    "GeForce RTX 4070": (29.1, 29.1, 116.6, 58.3),
    "GeForce RTX 4070 Ti": (40.1, 40.1, 160.4, 80.2),
    "GeForce RTX 4080": (48.7, 48.7, 194.9, 97.5),
    "GeForce RTX 4090": (82.6, 82.6, 330.3, 165.2),
    "NVIDIA RTX 6000 Ada Generation": (91.1, 182.1, 364.2, 364.2),
    "NVIDIA L4": (30.3, 60.0, 121.0, 121.0),
    "NVIDIA L40S": (91.6, 183.0, 362.0, 362.0),
    "NVIDIA H100 PCIe": (51.2, 378.0, 756.0, 756.0),
    "NVIDIA H100 SXM": (66.9, 494.5, 989.0, 989.0),
    "NVIDIA H200": (66.9, 494.5, 989.0, 989.0),
}


def card(name: str) -> Card:
    found = find_card(name)
    assert found is not None, name
    return found


def test_the_table_holds_every_card_that_has_published_figures_and_no_other() -> None:
    assert set(card_names()) == set(PUBLISHED)
    assert len(PUBLISHED) >= 24


@pytest.mark.parametrize("name", PUBLISHED)
def test_sms_times_flop_per_clock_times_boost_is_within_two_percent_of_the_published_peak(name: str) -> None:
    peaks = card(name).peak_flop_per_s
    published = dict(zip(("fp32", "tf32", "fp16", "bf16"), PUBLISHED[name], strict=True))

    assert {precision for precision, peak in published.items() if peak} == set(peaks)
    for precision, peak in peaks.items():
        assert peak == pytest.approx((published[precision] or 0) * 1e12, rel=0.02), precision


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("NVIDIA RTX A4000", "NVIDIA RTX A4000"),
        ("rtx a4000", "NVIDIA RTX A4000"),
        ("A4000", "NVIDIA RTX A4000"),
        ("RTXA4000", "NVIDIA RTX A4000"),
        ("NVIDIA RTX A4000 16 GB", "NVIDIA RTX A4000"),
        ("NVIDIA Corporation GA104GL [RTX A4000] (rev a1)", "NVIDIA RTX A4000"),
        ("GeForce RTX 3090", "GeForce RTX 3090"),
        ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"),
        ("3090", "GeForce RTX 3090"),
        ("rtx3090", "GeForce RTX 3090"),
        ("nvidia-geforce-rtx-4090", "GeForce RTX 4090"),
        ("GTX 1080Ti", "GeForce GTX 1080 Ti"),
        ("3080 ti", "GeForce RTX 3080 Ti"),
        ("GeForce GTX 1060 6GB", "GeForce GTX 1060 6GB"),
        ("A100-SXM4-40GB", "NVIDIA A100"),
        ("NVIDIA A100 80GB PCIe", "NVIDIA A100"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 PCIe"),
        ("h100sxm5", "NVIDIA H100 SXM"),
        ("Tesla T4", "Tesla T4"),
        ("T4", "Tesla T4"),
        ("Tesla V100-SXM2-16GB", "Tesla V100-SXM2"),
        ("TITAN Xp", "TITAN Xp"),
        ("NVIDIA TITAN X (Pascal)", "TITAN X (Pascal)"),
    ],
)
def test_a_card_is_found_by_the_names_drivers_and_people_use(said: str, meant: str) -> None:
    assert card(said).name == meant


@pytest.mark.parametrize(
    "said",
    [
        "RTX 3080 SUPER",  # no such table row: not an RTX 3080
        "RTX 3080 Laptop GPU",  # fewer SMs than the desktop card
        "GTX 1070 Max-Q",
        "RTX 3080 12GB",  # 70 SMs where the 10 GB card has 68
        "RTX 5090",
        "RTX 4000",  # Turing's Quadro, not the A4000
        "RTX 6000",  # Turing's Quadro, neither the A6000 nor the Ada card
        "A10G",
        "A1000",
        "H100",  # PCIe or SXM: a third apart
        "H100 NVL",
        "V100",  # PCIe or SXM2
        "GTX 1060",  # 3 GB or 6 GB
        "TITAN X",  # Maxwell or Pascal
        "A4000 and T4",
        "Radeon RX 7900 XTX",
        "nvidia gpu",
        "",
    ],
)
def test_a_card_that_is_not_in_the_table_or_not_named_fully_is_not_guessed(said: str) -> None:
    assert find_card(said) is None


def test_every_card_is_found_by_its_own_name_alone() -> None:
    assert [card(name).name for name in card_names()] == list(card_names())


def test_near_names_of_an_unknown_card_begin_with_what_it_could_have_been() -> None:
    assert set(near_names("H100")[:2]) == {"NVIDIA H100 PCIe", "NVIDIA H100 SXM"}
    assert near_names("RTX 3080 SUPER")[0] == "GeForce RTX 3080"
    assert near_names("A10G")[0] == "NVIDIA A10"
    assert near_names("Radeon") == ()


def test_a_precision_without_hardware_is_absent() -> None:
    assert "tf32" not in card("Tesla T4").peak_flop_per_s
    assert "bf16" not in card("V100 SXM2").peak_flop_per_s
