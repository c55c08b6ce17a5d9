"""Description lengths: what a parameter, an outlier and a search cost."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bench_core.analyze.candidate import Candidate, choose
from bench_core.analyze.next_steps import VALUES, next_step
from bench_core.analyze.scoring import PRIOR_NOISE, score, t_quantile
from bench_core.model.diagnosis import Verdict

ONES = np.ones(20)
MISSING = next_step("measure_more", reading_count=3.0, up_to=10.0)


def test_a_parameter_costs_half_the_log_of_the_readings() -> None:
    assert score(ONES, ONES, 2).nats - score(ONES, ONES, 1).nats == pytest.approx(0.5 * math.log(20))


def test_a_search_costs_the_log_of_its_places() -> None:
    assert score(ONES, ONES, 1, math.log(7)).nats - score(ONES, ONES, 1).nats == pytest.approx(math.log(7))


def test_an_exact_fit_proves_no_more_than_the_prior_noise() -> None:
    # 2 prior readings of 3 % among 22: sqrt(2 / 22) x 3 %.
    assert score(ONES, ONES, 1).noise_fraction == pytest.approx(PRIOR_NOISE * math.sqrt(2 / 22))


def test_one_late_reading_in_ten_is_labelled_not_averaged() -> None:
    late = ONES.copy()
    late[[4, 11]] = 50.0

    fit = score(late, ONES, 1)

    assert fit.outlier_count == 2
    assert fit.noise_fraction < 0.02


def test_a_late_first_reading_may_be_kept_from_being_an_outlier() -> None:
    late = ONES.copy()
    late[0] = 50.0

    assert score(late, ONES, 1).outlier_count == 1
    assert score(late, ONES, 1, never_late=1).noise_fraction > 0.5


def test_a_model_that_predicts_nothing_is_worthless() -> None:
    assert score(ONES, 0 * ONES, 1).nats == math.inf


@pytest.mark.parametrize(("freedom", "quantile"), [(2, 4.303), (4, 2.776), (10, 2.228), (1000, 1.962)])
def test_student_quantiles_are_those_of_the_tables(freedom: float, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, rel=0.01)


def test_two_explanations_as_good_as_each_other_decide_nothing() -> None:
    fit = score(ONES, ONES, 1)

    diagnosis = choose(
        [Candidate(Verdict.WARMUP, fit), Candidate(Verdict.BIMODAL, fit)], most_noise_fraction=0.5, missing=MISSING
    )

    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.confidence == pytest.approx(0.5)
    assert diagnosis.next_step == MISSING


def test_what_holds_beside_either_of_two_rivals_is_decided() -> None:
    fit = score(ONES, ONES, 1)
    rivals = [Candidate(Verdict.WARMUP, fit), Candidate(Verdict.RAMP_THEN_PLATEAU, fit, also=(Verdict.WARMUP,))]

    # The ramp pays for two mechanisms, 5 nats; make up for it.
    dear = Candidate(Verdict.WARMUP, replace(fit, nats=fit.nats + 5.0))

    assert choose(rivals, most_noise_fraction=0.5, missing=MISSING).verdict is Verdict.WARMUP
    even = choose([dear, rivals[1]], most_noise_fraction=0.5, missing=MISSING)
    assert even.verdict is Verdict.WARMUP
    assert even.confidence == pytest.approx(1)


def test_two_fits_of_one_verdict_do_not_compete() -> None:
    fit = score(ONES, ONES, 1)

    diagnosis = choose(
        [Candidate(Verdict.WARMUP, fit), Candidate(Verdict.WARMUP, fit)], most_noise_fraction=0.5, missing=MISSING
    )

    assert diagnosis.verdict is Verdict.WARMUP
    assert diagnosis.confidence == 1


def test_the_least_bad_of_bad_fits_is_no_answer() -> None:
    rng = np.random.default_rng(1)
    wild = np.exp(rng.normal(0, 2, 20))

    diagnosis = choose([Candidate(Verdict.LINEAR, score(wild, ONES, 1))], most_noise_fraction=0.5, missing=MISSING)

    assert diagnosis.verdict is Verdict.INCONCLUSIVE


def test_a_next_step_has_exactly_the_values_of_its_sentence() -> None:
    assert next_step("find_period", period_calls=6.0).values == {"period_calls": 6.0}
    with pytest.raises(ValueError, match="period_calls"):
        next_step("find_period")
    with pytest.raises(ValueError, match="no_such_step"):
        next_step("no_such_step")
    assert all(VALUES[kind] is not None for kind in VALUES)
