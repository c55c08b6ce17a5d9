"""The deployments that measure a sweep which ships with cliffwatch: `weekly` and `question`."""

from enum import StrEnum
from typing import Annotated, Any

from prefect import flow, runtime
from prefect.client.schemas.objects import State
from pydantic import Field

from bench_core.model.spec import preset, preset_names
from flows.deployed import measure_deployed
from flows.form import RUN_ID
from flows.sweep import describe

Preset = StrEnum("Preset", {name: name for name in preset_names()})  # type: ignore[misc]  # one member a file in specs/


def _name() -> str:
    given = runtime.flow_run.parameters
    return f"resume {given['resume']}" if given.get("resume") else describe(preset(str(given["sweep"])))


@flow(name="preset", flow_run_name=_name, persist_result=False)
def measure_preset(sweep: Preset, resume: Annotated[str | None, Field(pattern=RUN_ID)] = None) -> State[Any]:
    """Measure one of the sweeps in specs/ and explain its scaling curves.

    Args:
        sweep: which one
        resume: id of an interrupted run to go on with
    """
    return measure_deployed(preset(str(sweep)), resume=resume)
