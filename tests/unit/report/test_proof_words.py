import pytest

from bench_core.model.proof import CountMethod, Proof, ProofVerdict
from bench_core.report.language import Language
from bench_core.report.proof_words import proof_sentence

PROVEN = Proof(
    expected_matmuls=20,
    executed_matmuls=20,
    count_method=CountMethod.PROFILER,
    finish_lag_s=0.0006,
    max_rel_error=7e-7,
    checksum_rel_error=1e-9,
    ran_as="fp32",
    verdict=ProofVerdict.PROVEN,
)


def test_all_evidence_is_in_one_sentence() -> None:
    assert proof_sentence(PROVEN) == (
        "Proven: 20 of 20 matmuls counted, largest error 7e-07 of a product nobody had seen before, ran as fp32, "
        "a value of the last epoch was there 600 us after the wait, the checksum of all epochs is off by 1e-09."
    )


def test_what_could_not_be_counted_or_seen_is_said() -> None:
    sentence = proof_sentence(Proof(expected_matmuls=20))

    assert sentence == "Unproven: matmuls could not be counted here, it returns nothing to look at."


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("verdict", list(ProofVerdict))
def test_every_verdict_has_words_in_every_language(language: Language, verdict: ProofVerdict) -> None:
    assert proof_sentence(Proof(expected_matmuls=20, executed_matmuls=0, verdict=verdict), language)
