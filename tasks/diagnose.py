"""Prefect task that turns a committed run into findings."""

from dataclasses import dataclass

from prefect import task
from prefect.cache_policies import NO_CACHE

from bench_core.analyze.diagnose import diagnose
from bench_core.model.curve import ScalingCurve
from bench_core.model.diagnosis import Diagnosis
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class DiagnosedCurve:
    """A scaling curve with what was found in it."""

    curve: ScalingCurve
    diagnosis: Diagnosis


@task(name="diagnose", task_run_name="diagnose {run_id}", cache_policy=NO_CACHE, persist_result=False)
def diagnose_run(run_id: str, warehouse: Warehouse) -> tuple[DiagnosedCurve, ...]:
    """Diagnose every curve of the run and keep the findings."""
    diagnosed = tuple(DiagnosedCurve(curve, diagnose(curve)) for curve in warehouse.curves(run_id))
    warehouse.add_findings(run_id, [(item.curve.key, item.diagnosis) for item in diagnosed if item.curve.key])
    return diagnosed
