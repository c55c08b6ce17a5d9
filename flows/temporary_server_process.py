"""The process behind TemporaryServer: `python -m flows.temporary_server_process CACHE_FOLDER`.

Prints its port and folder, then serves until its standard input closes. Migrating an empty database is most of a
first start (10.4 s against 3.4 s, measured on two quiet cores), so a migrated one is kept in the cache folder and
copied.
"""

import asyncio
import contextlib
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

DATABASE = "prefect.db"
REMOVE_TRIES = 50


def main() -> None:
    """Serve until standard input closes."""
    listener = socket.create_server(("127.0.0.1", 0))
    home = Path(tempfile.mkdtemp(prefix="cliffwatch-prefect-"))
    print(listener.getsockname()[1], home, flush=True)
    threading.Thread(target=_leave_when_input_closes, args=(home,), daemon=True).start()
    os.environ["PREFECT_HOME"] = str(home)
    os.chdir(home)  # Prefect reads prefect.toml, pyproject.toml and .env of the current folder
    _prepare_database(home / DATABASE, Path(sys.argv[1]) / f"prefect-{version('prefect')}.db")
    os.environ["PREFECT_API_DATABASE_MIGRATE_ON_START"] = "false"
    _serve(listener)


def _leave_when_input_closes(home: Path) -> None:
    sys.stdin.buffer.read()
    # The server goes on writing meanwhile: a folder that gains a file while it is emptied stays.
    for _ in range(REMOVE_TRIES):
        shutil.rmtree(home, ignore_errors=True)
        if not home.exists():
            break
        time.sleep(0.1)
    os._exit(0)  # nothing here outlives the command, so there is nothing to shut down


def _prepare_database(database: Path, template: Path) -> None:
    """Copy the migrated template, or migrate an empty database and keep it as the template."""
    with contextlib.suppress(OSError):
        shutil.copyfile(template, database)
        return
    _migrate()
    with contextlib.suppress(OSError):
        template.parent.mkdir(parents=True, exist_ok=True)
        unfinished = template.with_name(f"{template.name}.{os.getpid()}.tmp")
        shutil.copyfile(database, unfinished)
        unfinished.replace(template)


def _migrate() -> None:
    from prefect.server.database import provide_database_interface

    async def create_and_close() -> None:
        database = provide_database_interface()
        await database.create_db()
        # Closing the last connection folds the write-ahead log into the file, which is then whole by itself.
        await (await database.engine()).dispose()

    asyncio.run(create_and_close())


def _serve(listener: socket.socket) -> None:
    import uvicorn
    from prefect.server.api.server import create_app

    config = uvicorn.Config(create_app(), log_level="critical", lifespan="on")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
