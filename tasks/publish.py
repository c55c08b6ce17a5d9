"""Prefect tasks that show a run to whoever looks at the Prefect UI: artifacts with stable keys, and events."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.events import emit_event

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Publication:
    """What one run shows.

    Attributes:
        spec_name: leads every key, so that the UI shows a sweep's history week over week.
        finding: markdown, a few sentences.
        picture_png: both curves of every case; None where there is no curve.
        tables: rows by key and description.
    """

    spec_name: str
    run_id: str
    finding: str
    picture_png: bytes | None
    tables: Sequence[tuple[str, str, Sequence[Row]]]


@task(
    name="publish artifacts", task_run_name="publish {publication.run_id}", cache_policy=NO_CACHE, persist_result=False
)
def publish_artifacts(publication: Publication) -> None:
    """Write the finding with its picture, then every table that has rows."""
    create_markdown_artifact(
        publication.finding + _embedded(publication.picture_png),
        key=f"{publication.spec_name}-finding",
        description=f"What run {publication.run_id} found",
    )
    for key, description, rows in publication.tables:
        if rows:
            create_table_artifact(
                [dict(row) for row in rows], key=f"{publication.spec_name}-{key}", description=description
            )


def announce(event: str, spec_name: str, payload: Mapping[str, Any]) -> None:
    """Emit an event of a sweep; automations match on `cliffwatch.sweep.SPEC_NAME`."""
    resource = {"prefect.resource.id": f"cliffwatch.sweep.{spec_name}", "prefect.resource.name": spec_name}
    emit_event(event=event, resource=resource, payload=dict(payload))


def _embedded(picture_png: bytes | None) -> str:
    """The picture inside the markdown itself: nothing is fetched, so it shows offline and for ever."""
    if picture_png is None:
        return ""
    encoded = base64.b64encode(picture_png).decode()
    return f"\n\n![What a stopwatch shows, and what it took](data:image/png;base64,{encoded})\n"
