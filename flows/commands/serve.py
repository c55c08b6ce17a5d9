"""`cliffwatch serve`: server, deployments and worker in one command, for a small team."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from bench_core.model.errors import UserError
from flows.folders import state_folder
from flows.request import WAREHOUSE_VARIABLE, warehouse_folder

DEFAULT_PORT = 4200


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Prefect UI and API.")] = DEFAULT_PORT,
    warehouse: Annotated[
        Path | None, typer.Option(help=f"Folder of the records; else ${WAREHOUSE_VARIABLE}, else ./warehouse_data.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="Folder of the server's database and logs.")] = None,
    webhook: Annotated[str | None, typer.Option(metavar="URL", help="Is told when a verdict has changed.")] = None,
) -> None:
    """Run Prefect's server on this machine with every deployment and a worker, until Ctrl-C."""
    from flows.interruption import Terminated, sigterm_raises
    from flows.serving import deploy_all, running_server, running_worker, server_environment

    folder = home or state_folder() / "prefect"
    folder.mkdir(parents=True, exist_ok=True)
    environment = server_environment(folder, port)
    try:
        with sigterm_raises(), running_server(environment, folder / "server.log"):
            _set_up(environment, warehouse_folder(warehouse), webhook)
            deploy_all(environment)
            with running_worker(environment, folder / "worker.log") as worker:
                print(f"cliffwatch is at http://127.0.0.1:{port}, its log in {folder}; Ctrl-C stops it", flush=True)
                worker.wait()
                raise UserError(f"the worker has ended; see {folder / 'worker.log'}")
    except (KeyboardInterrupt, Terminated):
        print("stopped")


def _set_up(environment: dict[str, str], warehouse: Path, webhook: str | None) -> None:
    """In a process of its own: Prefect reads its settings once, when it is first imported."""
    command = [sys.executable, "-m", "flows.cli", "setup", "--warehouse", str(warehouse)]
    done = subprocess.run(
        command + (["--webhook", webhook] if webhook else []),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UserError(f"setting up failed:\n{done.stderr.strip()}")
