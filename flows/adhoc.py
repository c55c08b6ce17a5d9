"""The deployment `adhoc`: a sweep that someone starts from the form in the Prefect UI."""

from typing import Annotated, Any

from prefect import flow, runtime
from prefect.client.schemas.objects import State
from pydantic import Field

from flows.deployed import measure_deployed
from flows.form import RUN_ID, Comparison, Effort, Place, to_spec
from flows.sweep import describe


def _name() -> str:
    given = runtime.flow_run.parameters
    if given.get("resume"):
        return f"adhoc: resume {given['resume']}"
    return describe(to_spec(given["comparison"], given["place"], given["effort"]))


@flow(name="adhoc", flow_run_name=_name, persist_result=False)
def adhoc(
    comparison: Comparison = Comparison(),  # noqa: B008  # frozen
    place: Place = Place(),  # noqa: B008
    effort: Effort = Effort(),  # noqa: B008
    resume: Annotated[str | None, Field(pattern=RUN_ID)] = None,
) -> State[Any]:
    """Measure scaling curves on this device and explain them; the defaults take about a minute.

    Args:
        comparison: what is compared
        place: where, and what is multiplied
        effort: how much measuring
        resume: id of an interrupted run to go on with; everything above is then taken from that run
    """
    return measure_deployed(to_spec(comparison, place, effort), resume=resume, is_affordable_only=True)
