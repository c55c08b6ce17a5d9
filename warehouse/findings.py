"""What a diagnosis found, as rows: inferred once, in Python, and stored with the version of the method."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bench_core.model.curve import CurveKey
from bench_core.model.diagnosis import Diagnosis
from bench_core.model.hypothesis import HypothesisTest, MitigationEffect
from warehouse.layout import Layout
from warehouse.publish import publish
from warehouse.schema import FINDINGS
from warehouse.table_log import TableLog

CURVE, HYPOTHESIS, MITIGATION = "curve", "hypothesis", "mitigation"

# Views show microseconds: nearer findings would look simultaneous.
_VIEW_TICK_NS = 1_000

Finding = tuple[CurveKey, Diagnosis] | HypothesisTest | MitigationEffect

_NUMBERS = (
    "confidence",
    "knee_epoch_count",
    "queue_capacity",
    "enqueue_s_per_epoch",
    "steady_s_per_epoch",
    "intercept_s",
    "flop_per_s",
    "peak_fraction",
    "ran_as",
    "method_version",
)


def keep_findings(layout: Layout, run_id: str, findings: Iterable[Finding]) -> None:
    """Commit findings of a run, one row each: of curves, hypotheses and mitigations.

    Raises:
        WarehouseError: the file system refuses.
    """
    keep_rows(layout, run_id, [_row(finding) for finding in findings])


def keep_rows(layout: Layout, run_id: str, rows: Sequence[Mapping[str, Any]], *, key: str | None = None) -> None:
    """Commit rows of findings; later rows count as newer even where the clock went backwards.

    Args:
        layout: of the warehouse.
        run_id: the run they are about.
        rows: columns of the table but `run_id` and `found_at_ns`, by name.
        key: with it, the rows are committed once, however often this is called with the same key.

    Raises:
        WarehouseError: the file system refuses.
    """
    if not rows:
        return
    log = TableLog(layout, FINDINGS)
    earlier = [file for file in log.files() if file.first_run_id <= run_id <= file.last_run_id]
    newest_ns = pc.max(log.read(earlier)["found_at_ns"]).as_py() or 0
    own = {"run_id": run_id, "found_at_ns": max(time.time_ns(), newest_ns + _VIEW_TICK_NS)}
    table = pa.Table.from_pylist([{**row, **own} for row in rows], schema=FINDINGS.schema)
    if key is None or not log.attempt_of(key):
        log.commit([log.write(table, month=f"{datetime.now(UTC):%Y-%m}", stem=run_id)], key=key)
    publish(layout)


def _row(finding: Finding) -> dict[str, Any]:
    if isinstance(finding, HypothesisTest | MitigationEffect):
        kind = HYPOTHESIS if isinstance(finding, HypothesisTest) else MITIGATION
        return asdict(finding) | {"kind": kind, "evidence": _json(finding.evidence)}
    return _curve_row(*finding)


def _json(evidence: Mapping[str, float | str]) -> str:
    return json.dumps(dict(evidence), sort_keys=True)


def _curve_row(key: CurveKey, diagnosis: Diagnosis) -> dict[str, Any]:
    step = diagnosis.next_step
    return {name: getattr(diagnosis, name) for name in _NUMBERS} | {
        "kind": CURVE,
        "precision": key.precision,
        "mitigation": key.mitigation,
        "shape": key.shape,
        "verdict": diagnosis.verdict.value,
        "also": [verdict.value for verdict in diagnosis.also],
        "knee_interval": diagnosis.knee_interval,
        "queue_capacity_interval": diagnosis.queue_capacity_interval,
        "evidence": _json(diagnosis.evidence),
        "next_step": step and json.dumps({"kind": step.kind, "values": dict(step.values)}, sort_keys=True),
    }
