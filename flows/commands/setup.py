"""`cliffwatch setup`: what the deployments need on the Prefect server."""

from pathlib import Path
from typing import Annotated

import typer

from bench_core.model.errors import UserError
from flows.request import warehouse_folder
from flows.warehouse_option import WarehouseOption

# A server that was started a moment ago needs 10 s on a quiet machine.
START_TIMEOUT_S = 60.0


def setup(
    warehouse: WarehouseOption = None,
    webhook: Annotated[str | None, typer.Option(metavar="URL", help="Is told when a verdict has changed.")] = None,
) -> None:
    """Make work pool, queues, limits, variables and automations on the configured server; any number of times.

    Set up again without --warehouse, the deployments keep the folder they have.
    """
    from flows.prefect_session import PrefectSession, configured_api_url
    from flows.setup import set_up

    api_url = configured_api_url()
    if api_url is None:
        raise UserError("no Prefect server is configured: `prefect config set PREFECT_API_URL=http://HOST:4200/api`")
    PrefectSession(api_url, None).wait_until_ready(timeout_s=START_TIMEOUT_S)
    for sentence in set_up(warehouse_folder(warehouse or _known_folder()), webhook_url=webhook):
        print(sentence)


def _known_folder() -> Path | None:
    """Where the deployments of the configured server keep their records; None before the first time."""
    from prefect.variables import Variable

    from flows.setup import WAREHOUSE_VARIABLE

    known = Variable.get(WAREHOUSE_VARIABLE)
    return Path(known) if isinstance(known, str) else None
