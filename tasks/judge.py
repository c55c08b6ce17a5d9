"""Prefect task that holds a diagnosed run against the explanations and remedies it was made to test."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prefect import task
from prefect.cache_policies import NO_CACHE

from bench_core.analyze.effects import mitigation_effects
from bench_core.analyze.hypotheses import judge_hypotheses
from bench_core.model.case import DeviceRequest, Precision
from bench_core.model.curve import CurveKey
from bench_core.model.hypothesis import ControlEvidence, HypothesisTest, MitigationEffect, ResizedQueue
from bench_core.model.mitigation import CONTROL, Mitigation
from tasks.diagnose import DiagnosedCurve
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run says of the hypotheses (none without a control) and of each mitigation."""

    hypotheses: tuple[HypothesisTest, ...]
    effects: tuple[MitigationEffect, ...]


@task(name="judge", task_run_name="judge {run_id}", cache_policy=NO_CACHE, persist_result=False)
def judge_run(run_id: str, diagnosed: Sequence[DiagnosedCurve], warehouse: Warehouse) -> Judgement:
    """Test the hypotheses, compare the mitigations with the control, and keep both findings."""
    judgement = judge(run_id, diagnosed, warehouse)
    warehouse.add_findings(run_id, [*judgement.hypotheses, *judgement.effects])
    return judgement


def judge(run_id: str, diagnosed: Sequence[DiagnosedCurve], warehouse: Warehouse) -> Judgement:
    """The judgement of a run, from its records."""
    evidence = _evidence(run_id, diagnosed, warehouse)
    return Judgement(
        judge_hypotheses(evidence) if evidence else (),
        mitigation_effects([item.curve for item in diagnosed]),
    )


def _evidence(run_id: str, diagnosed: Sequence[DiagnosedCurve], warehouse: Warehouse) -> ControlEvidence | None:
    controls = [(item, item.curve.key) for item in diagnosed if item.curve.key and item.curve.key.mitigation == CONTROL]
    if not controls:
        return None
    item, key = min(controls, key=lambda control: (control[1].precision != Precision.FP32, control[1].precision))
    device = DeviceRequest.parse(warehouse.run(run_id)[0].device.device)
    return ControlEvidence(
        item.curve,
        item.diagnosis,
        warehouse.control_record(run_id, key.precision, key.shape),
        tuple(_resized(diagnosed, key, device)),
    )


def _resized(diagnosed: Sequence[DiagnosedCurve], control: CurveKey, device: DeviceRequest) -> Iterator[ResizedQueue]:
    """The control's other queue capacities in this run."""
    for item in diagnosed:
        key = item.curve.key
        if key is None or (key.precision, key.shape) != (control.precision, control.shape):
            continue
        mitigation = Mitigation.parse(key.mitigation)
        argument = mitigation.setting("launch_queue")
        if argument is not None and mitigation.strategy == CONTROL and len(mitigation.settings) == 1:
            factor = capacity_factor(argument, device)
            if factor is not None:
                yield ResizedQueue(factor, item.diagnosis)


def capacity_factor(argument: str, device: DeviceRequest) -> float | None:
    """How many times the device's own capacity `launch_queue:ARGUMENT` asks for; None where nobody knows."""
    if re.fullmatch(r"\d+(\.\d+)?x", argument):
        return float(argument[:-1])
    if argument.isdigit() and device.queue_capacity:
        return int(argument) / device.queue_capacity
    return None
