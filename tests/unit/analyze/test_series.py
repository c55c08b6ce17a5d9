"""One call after the other: each verdict from series of its kind, and no verdict from healthy ones."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from timings import calls

from bench_core.analyze.diagnose import diagnose
from bench_core.analyze.simulate import SimulatedQueue, simulate_series
from bench_core.model.curve import Work
from bench_core.model.diagnosis import Verdict

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Array]


def share(verdict: Verdict, draw: Draw, index: Array | None = None, work: Work | None = None, draws: int = 60) -> float:
    """Share of drawn series that get the verdict."""
    rng = np.random.default_rng(20260102)
    seen = Counter(diagnose(calls(draw(rng), index, work=work)).verdict for _ in range(draws))
    return seen[verdict] / draws


def noisy(factor: Array | float, count: int | None = None, noise: float = 0.03) -> Draw:
    """10 ms a call times the factor, with noise."""
    shape = np.broadcast_to(np.asarray(factor, float), (count,) if count else np.shape(factor))
    return lambda rng: 1e-2 * shape * np.exp(rng.normal(0, noise, len(shape)))


@pytest.mark.parametrize("count", [3, 5, 10, 30, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_healthy_series_is_linear_99_times_in_100_at_3_percent_noise(count: int) -> None:
    assert share(Verdict.LINEAR, noisy(1.0, count), draws=200) >= 0.99


def test_a_few_late_calls_are_labelled_and_change_nothing() -> None:
    rng = np.random.default_rng(1)
    seconds = noisy(1.0, 100)(rng)
    seconds[[20, 55, 81]] *= 7

    diagnosis = diagnose(calls(seconds))

    assert diagnosis.verdict is Verdict.LINEAR
    assert diagnosis.evidence["outlier_count"] == 3
    assert diagnosis.steady_s_per_epoch == pytest.approx(1e-2, rel=0.02)


@pytest.mark.parametrize("warm", [[100.0], [50.0, 7.0], [1.4, 1.4, 1.4, 1.4, 1.4]])
def test_dear_first_calls_are_a_warm_up(warm: list[float]) -> None:
    assert share(Verdict.WARMUP, noisy(np.array([*warm, *[1.0] * 25]))) >= 0.97


def test_a_warm_up_is_told_even_where_the_rest_is_open() -> None:
    # A compile in the first call; whether the others rise to a plateau or are noisy, five of them do not tell.
    diagnosis = diagnose(calls([0.0222, 0.0048, 0.0055, 0.0059, 0.0063, 0.0059]))

    assert diagnosis.verdict is Verdict.WARMUP
    assert diagnosis.evidence["warmup_call_count"] == 1


def test_a_warm_up_is_sized_counted_and_spread_over_the_calls_it_costs() -> None:
    diagnosis = diagnose(calls([440.0, 70.0, 40.0, 40.0, 40.0, 40.0]))

    # 400 s and 30 s beyond the steady 40 s: 10.75 calls' worth, in two stages.
    assert diagnosis.intercept_s == pytest.approx(430)
    assert diagnosis.evidence["warmup_call_count"] == 2
    assert diagnosis.evidence["warmup_stage_count"] == 2
    assert diagnosis.evidence["amortizes_over_call_count"] == pytest.approx(10.75)


@pytest.mark.parametrize("seed", range(8))
def test_a_warm_up_that_wears_off_is_summed_over_all_its_calls(seed: int) -> None:
    # 50 ms (e^(-1/3) + e^(-2/3) + ...) = 50 ms / (e^(1/3) - 1) = 126 ms; after 11 calls a tenth of a level is left.
    decaying = 0.01 * (1 + 5 * np.exp(-np.arange(1, 41) / 3))
    noise = np.exp(np.random.default_rng(seed).normal(0, 0.02, 40))

    diagnosis = diagnose(calls(decaying * noise))

    assert diagnosis.verdict is Verdict.WARMUP
    assert diagnosis.evidence["warmup_s"] == pytest.approx(0.126, rel=0.06)
    assert diagnosis.intercept_s == diagnosis.evidence["warmup_s"]
    assert 8 <= float(diagnosis.evidence["warmup_call_count"]) <= 13
    assert diagnosis.evidence["warmup_stage_count"] == 1


def test_what_wears_off_after_a_compile_counts_with_it() -> None:
    # 0.99 s beyond the level in the first call, then 20 ms (e^(-1/2) + ...) = 20 ms / (e^(1/2) - 1) = 31 ms.
    diagnosis = diagnose(calls([1.0, *(0.01 * (1 + 2 * np.exp(-np.arange(1, 41) / 2)))]))

    assert diagnosis.verdict is Verdict.WARMUP
    assert diagnosis.evidence["warmup_s"] == pytest.approx(1.021, rel=0.01)
    assert 5 <= float(diagnosis.evidence["warmup_call_count"]) <= 9


def test_calls_that_get_cheaper_gradually_are_a_warm_up() -> None:
    assert share(Verdict.WARMUP, noisy(1 + 3 * np.exp(-np.arange(50) / 4))) >= 0.97


@pytest.mark.parametrize("ratio", [6.0, 40.0, 1000.0])
def test_a_jump_from_tiny_to_steady_is_a_full_queue(ratio: float) -> None:
    assert share(Verdict.QUEUE_SATURATION, noisy(np.where(np.arange(60) < 25, 1.0, ratio))) >= 0.99


def test_a_simulated_queue_shows_its_capacity_in_single_calls() -> None:
    # K = 200 / (1 - 1/20) = 210.5
    queue = SimulatedQueue(capacity=200, enqueue_s=1e-4, device_s=2e-3)

    diagnosis = diagnose(simulate_series(queue, 500, np.random.default_rng(2)))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_epoch_count == pytest.approx(210.5, abs=1.5)
    assert diagnosis.queue_capacity == pytest.approx(200, abs=2)


def test_a_jump_between_calls_far_apart_is_a_bracket() -> None:
    diagnosis = diagnose(calls([1e-4, 1.1e-4, 1e-4, 2e-2, 2.1e-2, 2e-2], index=[50, 100, 150, 500, 510, 520]))

    assert diagnosis.verdict is Verdict.QUEUE_SATURATION
    assert diagnosis.knee_epoch_count is None
    assert diagnosis.knee_interval == (150, 500)
    assert diagnosis.next_step is not None
    assert diagnosis.next_step.values["epoch_count"] == 325


def test_a_synchronised_series_never_shows_a_queue() -> None:
    work = Work(is_synchronized=True)

    assert share(Verdict.QUEUE_SATURATION, noisy(np.where(np.arange(60) < 25, 1.0, 6.0)), work=work) == 0


@pytest.mark.parametrize("ratio", [1.15, 1.3, 2.0])
@pytest.mark.parametrize("is_synchronized", [True, None])
def test_a_lasting_slow_down_that_a_clock_can_make_is_throttling(ratio: float, is_synchronized: bool | None) -> None:
    sudden = np.where(np.arange(60) < 25, 1.0, ratio)
    gradual = ratio ** np.clip((np.arange(60) - 20) / 15, 0, 1)
    work = Work(is_synchronized=is_synchronized)

    assert share(Verdict.THROTTLED, noisy(sudden), work=work) >= 0.97
    assert share(Verdict.THROTTLED, noisy(gradual), work=work) >= 0.9


def test_cost_without_bound_is_growing() -> None:
    assert share(Verdict.GROWING_COST, noisy(1 + np.arange(20) / 20)) >= 0.9
    assert share(Verdict.GROWING_COST, noisy(1.2 ** np.arange(20))) >= 0.9
    exact = diagnose(calls(0.08 + 0.01 * np.arange(45)))
    # 10 ms a call; twice 45 calls cost from 80 ms to 80 ms + 89 x 10 ms, 525 ms on average.
    assert exact.evidence["growth_s_per_call"] == pytest.approx(0.01)
    assert exact.evidence["projected_call_count"] == 90
    assert exact.evidence["projected_total_s"] == pytest.approx(90 * 0.525, rel=0.01)


@pytest.mark.parametrize("first_call", [0, 1, 101])
def test_the_first_slow_call_is_named_by_its_own_number(first_call: int) -> None:
    # 24 calls at full speed: the 25th is the first slow one.
    index = np.arange(first_call, first_call + 60)

    sudden = diagnose(calls([0.01] * 24 + [0.0125] * 36, index))
    gradual = diagnose(calls(0.01 * 1.3 ** np.clip((np.arange(60) - 23) / 10, 0, 1), index))

    assert sudden.verdict is gradual.verdict is Verdict.THROTTLED
    assert sudden.evidence["slows_at_call"] == first_call + 24
    assert sudden.next_step is not None
    assert sudden.next_step.values["call_index"] == first_call + 24
    assert gradual.evidence["slows_at_call"] == pytest.approx(first_call + 24, abs=1.5)


def test_the_plateau_begins_at_a_call() -> None:
    # Up by 5 % a call from call 1 on, level from call 11 on; and a decay, which settles between two calls.
    straight = diagnose(calls(0.01 * 1.05 ** np.clip(np.arange(40), 0, 10)))
    settling = diagnose(calls(0.02 - 0.01 * np.exp(-np.arange(40) / 4)))

    assert straight.evidence["plateau_from_call"] == pytest.approx(11, abs=1.5)
    assert float(settling.evidence["plateau_from_call"]).is_integer()


def test_cost_that_rises_and_then_stays_is_a_ramp_not_growth() -> None:
    assert share(Verdict.RAMP_THEN_PLATEAU, noisy(1 + 0.5 * np.clip(np.arange(30) / 8, 0, 1))) >= 0.95
    assert share(Verdict.RAMP_THEN_PLATEAU, noisy(2 - np.exp(-np.arange(30) / 5))) >= 0.95


@pytest.mark.parametrize("period", [4, 10, 50])
def test_regular_rare_spikes_have_a_period(period: int) -> None:
    spiky = np.where(np.arange(6 * period) % period == period - 1, 4.0, 1.0)

    assert share(Verdict.PERIODIC_SPIKES, noisy(spiky)) >= 0.97
    assert diagnose(calls(1e-2 * spiky)).evidence["period_calls"] == period


def test_two_populations_in_no_order_are_bimodal() -> None:
    draw: Draw = lambda rng: noisy(np.where(rng.random(100) < 0.3, 2.0, 1.0))(rng)  # noqa: E731

    assert share(Verdict.BIMODAL, draw) >= 0.97


def test_two_populations_in_turn_are_bimodal_with_a_period() -> None:
    diagnosis = diagnose(calls([8.1, 8.0, 8.1, 0.15, 0.14, 0.15] * 3))

    assert diagnosis.verdict is Verdict.BIMODAL
    assert diagnosis.evidence["period_calls"] == 6
    assert diagnosis.evidence["slow_share_fraction"] == pytest.approx(0.5)


@pytest.mark.parametrize("unit_s", [1.0, 1e-3, 60.0, 1.1, 3.3e-5])
def test_clock_ticks_at_the_very_limit_are_the_same_in_any_unit(unit_s: float) -> None:
    # 2 and 3 ticks are two populations from a factor 1.5 on; 2.5 is both the most a clock falls and the least a queue.
    mixed = diagnose(calls(unit_s * np.array([2.0, 2.0, 3.0, 2.0, 3.0, 3.0])))
    change = diagnose(calls(unit_s * np.array([2.0] * 5 + [5.0] * 5)))

    assert mixed.verdict is Verdict.BIMODAL
    assert change.verdict is Verdict.INCONCLUSIVE
    assert change.confidence == pytest.approx(0.5)


def test_one_noisy_population_is_not_two() -> None:
    assert share(Verdict.BIMODAL, noisy(1.0, 40, noise=0.3)) == 0
    # A dozen calls can look like two kinds by chance: rarely.
    assert share(Verdict.BIMODAL, noisy(1.0, 12, noise=0.3), draws=150) <= 0.05


@pytest.mark.parametrize("stride", [1, 100])
def test_times_since_the_start_read_as_single_calls_are_linear(stride: int) -> None:
    index = np.arange(1.0, 21.0) * stride
    draw: Draw = lambda rng: np.cumsum(noisy(1.0, 20 * stride)(rng))[stride - 1 :: stride]  # noqa: E731

    assert share(Verdict.LINEAR, draw, index) >= 0.99


def test_a_warm_up_before_another_cause_is_said_beside_it() -> None:
    diagnosis = diagnose(calls([30.0, *(1 + np.arange(20) / 10)]))

    assert diagnosis.verdict is Verdict.GROWING_COST
    assert diagnosis.also == (Verdict.WARMUP,)


def test_a_synchronised_column_shows_what_single_calls_missed() -> None:
    rng = np.random.default_rng(5)

    diagnosis = diagnose(calls(noisy(0.01, 30)(rng), synchronized_s=noisy(1.0, 30)(rng)))

    assert diagnosis.verdict is Verdict.UNSYNCHRONIZED
    assert diagnosis.enqueue_s_per_epoch == pytest.approx(1e-4, rel=0.05)
    assert diagnosis.steady_s_per_epoch == pytest.approx(1e-2, rel=0.05)


def test_an_impossible_rate_outweighs_a_quiet_series() -> None:
    # 1e12 FLOP in 10 us
    work = Work(flop_per_epoch=1e12, gpu="RTX A4000")

    assert share(Verdict.IMPLAUSIBLE_RATE, noisy(1e-3, 10), work=work, draws=5) == 1


@pytest.mark.parametrize("seconds", [[0.08, 0.5], [1.0, 1.0]])
def test_two_calls_prove_neither_a_cause_nor_health(seconds: list[float]) -> None:
    assert diagnose(calls(seconds)).verdict is Verdict.INCONCLUSIVE


def test_the_knee_of_a_long_series_is_found_among_all_its_calls() -> None:
    seconds = np.where(np.arange(200_000) < 123_456, 1e-4, 1e-2)

    diagnosis = diagnose(calls(seconds))

    assert diagnosis.knee_interval == (123_456, 123_457)


def test_spikes_of_a_long_series_keep_their_period() -> None:
    seconds = np.where(np.arange(200_000) % 1000 == 0, 1e-1, 1e-2)

    diagnosis = diagnose(calls(seconds))

    assert diagnosis.verdict is Verdict.PERIODIC_SPIKES
    assert diagnosis.evidence["period_calls"] == 1000
