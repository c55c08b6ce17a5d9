"""`cliffwatch serve`: server, deployments and worker in one command, for a small team."""

import socket
from pathlib import Path
from typing import Annotated

import typer

from bench_core.model.errors import UserError
from flows.folders import state_folder
from flows.request import warehouse_folder
from flows.warehouse_option import WarehouseOption
from warehouse.locks import try_hold

DEFAULT_PORT = 4200


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Prefect UI and API.")] = DEFAULT_PORT,
    warehouse: WarehouseOption = None,
    home: Annotated[Path | None, typer.Option(help="Folder of the server's database and logs.")] = None,
    webhook: Annotated[str | None, typer.Option(metavar="URL", help="Is told when a verdict has changed.")] = None,
) -> None:
    """Run Prefect's server on this machine with every deployment and a worker, until Ctrl-C."""
    _require_free(port)
    folder = home or state_folder() / "prefect"
    folder.mkdir(parents=True, exist_ok=True)
    _hold(folder)
    # After the checks: these load Prefect, and a second start should be answered at once.
    from prefect.client.orchestration import get_client

    from flows.interruption import Terminated, sigterm_raises
    from flows.prefect_session import settings_of
    from flows.recovery import crash_lost_runs
    from flows.serving import (
        deploy_all,
        keep_serving,
        server_environment,
        server_process,
        wait_until_ready,
        worker_process,
    )
    from flows.setup import set_up

    environment = server_environment(folder, port)
    try:
        with sigterm_raises(), server_process(environment, folder) as server:
            wait_until_ready(server, environment)
            with settings_of(environment["PREFECT_API_URL"]), get_client(sync_client=True) as api:
                for flow_run in crash_lost_runs(api):
                    print(f"{flow_run.name} had not ended when the last `serve` did: marked as crashed")
                list(set_up(warehouse_folder(warehouse), webhook_url=webhook))
            deploy_all(environment)
            print(f"cliffwatch is at http://127.0.0.1:{port}, its log in {folder}; Ctrl-C stops it", flush=True)
            with worker_process(environment, folder) as worker:
                keep_serving(server, worker)
    except (KeyboardInterrupt, Terminated):
        print("stopped")


def _require_free(port: int) -> None:
    """Refuse the port of another server: it would be set up in our place, and its flow runs marked as crashed.

    Raises:
        UserError: the port cannot be used.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server: a port just left is free
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UserError(
                f"port {port} cannot be used: {error.strerror}; `cliffwatch serve` may be running already, or name "
                "another port with --port"
            ) from error


def _hold(folder: Path) -> None:
    """Keep the folder for this process until it ends: two servers must not share a database.

    Raises:
        UserError: another `cliffwatch serve` has it.
    """
    if try_hold(folder / "serve.lock") is None:
        raise UserError(f"{folder} is in use: `cliffwatch serve` is running already; name another folder with --home")
