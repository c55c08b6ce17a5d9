"""Scaling curves of a run, as a diagnosis reads them."""

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from bench_core.model.curve import CurveKey, CurveSample, ScalingCurve, Work
from bench_core.model.proof import CountMethod, Proof, ProofVerdict

_CURVES = """
select
    precision, mitigation, strategy, settings, shape, runs.device_kind,
    cases.flop_per_epoch, if(runs.device_kind = 'gpu', runs.device_name, null) as gpu,
    cases.ceiling_flop_per_s, cases.ceiling_uncertainty_fraction,
    list(case_id order by epoch_count, case_id) as case_ids,
    list({
        expected_matmuls: coalesce(expected_matmuls, 0), executed_matmuls: executed_matmuls,
        count_method: coalesce(count_method, 'no_counter'), finish_lag_s: finish_lag_s,
        max_rel_error: max_rel_error, rms_rel_error: rms_rel_error, tiny_rel_error: tiny_rel_error,
        checksum_rel_error: checksum_rel_error, ran_as: ran_as, verdict: coalesce(proof_verdict, 'unproven')
    } order by epoch_count, case_id) as proofs,
    count(proof_verdict) > 0 as has_proof
from all_runs.cases as cases
inner join all_runs.runs as runs using (run_id)
where run_id = $run_id and outcome = 'measured'
group by all
order by precision, mitigation, shape
"""

_SAMPLES = """
select case_id, sample_index, samples.epoch_count, samples.enqueue_time_s, samples.drain_time_s
from all_runs.samples as samples
inner join all_runs.cases as cases using (run_id, case_id)
where run_id = $run_id and is_ok
order by case_id, sample_index
"""

_LAUNCHES = """
select case_id, sample_index, call_end_s
from all_runs.launches
where run_id = $run_id
order by case_id, sample_index, epoch_index
"""

# A disproof is weaker than no proof.
_FROM_WEAKEST = (
    *(verdict for verdict in ProofVerdict if verdict not in (ProofVerdict.UNPROVEN, ProofVerdict.PROVEN)),
    ProofVerdict.UNPROVEN,
    ProofVerdict.PROVEN,
)

Trace = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case without a measurement, and why."""

    case_id: str
    precision: str
    mitigation: str
    shape: str
    epoch_count: int
    outcome: str
    reason: str | None


def read_curves(connection: duckdb.DuckDBPyConnection, run_id: str) -> tuple[ScalingCurve, ...]:
    """Every curve of a run of any status, from the samples estimates are made of; without the configured capacity."""
    samples = _samples_by_case(connection, run_id)
    rows = connection.execute(_CURVES, {"run_id": run_id}).fetchall()
    return tuple(_curve(run_id, row, samples) for row in rows)


def read_failed_cases(connection: duckdb.DuckDBPyConnection, run_id: str) -> tuple[FailedCase, ...]:
    """Cases of the run that ended without a measurement."""
    rows = connection.execute(
        "select case_id, precision, mitigation, shape, epoch_count, outcome, reason from all_runs.cases "
        "where run_id = ? and outcome <> 'measured' order by all",
        [run_id],
    ).fetchall()
    return tuple(FailedCase(*row) for row in rows)


def _curve(run_id: str, row: tuple[Any, ...], samples: dict[str, list[CurveSample]]) -> ScalingCurve:
    precision, mitigation, strategy, settings, shape, device, flop, gpu, ceiling, uncertainty, case_ids = row[:11]
    proofs, has_proof = row[11:]
    return ScalingCurve(
        samples=tuple(sample for case_id in case_ids for sample in samples.get(case_id, ())),
        work=Work(
            flop_per_epoch=flop,
            precision=precision,
            gpu=gpu,
            ceiling_flop_per_s=ceiling,
            ceiling_uncertainty_fraction=uncertainty,
        ),
        key=CurveKey(run_id, device, precision, mitigation, strategy, tuple(settings), shape),
        proof=min(map(_proof, proofs), key=lambda proof: _FROM_WEAKEST.index(proof.verdict)) if has_proof else None,
    )


def _proof(values: dict[str, Any]) -> Proof:
    enums = {"count_method": CountMethod(values["count_method"]), "verdict": ProofVerdict(values["verdict"])}
    return Proof(**values | enums)


def _samples_by_case(connection: duckdb.DuckDBPyConnection, run_id: str) -> dict[str, list[CurveSample]]:
    traces = _traces(connection, run_id)
    by_case: dict[str, list[CurveSample]] = {}
    for case_id, index, epochs, enqueue_s, drain_s in connection.execute(_SAMPLES, {"run_id": run_id}).fetchall():
        sample = CurveSample(epochs, enqueue_s, drain_s, traces.get((case_id, index)))
        by_case.setdefault(case_id, []).append(sample)
    return by_case


def _traces(connection: duckdb.DuckDBPyConnection, run_id: str) -> dict[tuple[str, int], Trace]:
    columns = connection.execute(_LAUNCHES, {"run_id": run_id}).fetchnumpy()
    keys = list(zip(columns["case_id"], columns["sample_index"].tolist(), strict=True))
    starts = [i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]
    pieces = np.split(columns["call_end_s"], starts[1:])
    return {(str(keys[start][0]), keys[start][1]): piece for start, piece in zip(starts, pieces, strict=False)}
