"""Prefect's server for one command: own port, own home, gone when the command is, however it ends."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from bench_core.model.errors import UserError

# A first start migrates an empty database: 10 s on two quiet cores, and a loaded host takes several times that.
READY_TIMEOUT_S = 180.0
POLL_S = 0.05

# The server of one command needs no user interface, no schedules, no block types, and calls nobody.
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT__SERVER_FINAL": "1",
}


class TemporaryServer:
    """A Prefect server that lives as long as this process wants it, and never longer.

    The server process owns its folder and ends, removing it, when the pipe to its standard input closes: that is
    true after a clean exit and after kill -9 alike. It leads its own process group, so that Ctrl-C in a terminal
    reaches the flow, which still needs the server to say how it ended.
    """

    def __init__(self, cache_folder: Path, *, log: Path) -> None:
        self._cache_folder = cache_folder
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.home = Path()
        self.api_url = ""

    def start(self) -> None:
        """Start the server process; returns once its port is known, long before it answers."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "flows.temporary_server_process", str(self._cache_folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment | QUIET,
                process_group=0,
            )
        assert self._process.stdout is not None
        port, _, home = self._process.stdout.readline().decode().strip().partition(" ")
        if not port:
            raise UserError(f"Prefect's temporary server could not be started; see {self._log}")
        self.api_url = f"http://127.0.0.1:{port}/api"
        self.home = Path(home)

    def wait_until_ready(self, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Return when the server answers.

        Raises:
            UserError: it ended, or did not answer in time.
        """
        deadline = time.monotonic() + timeout_s
        while not answers(self.api_url):
            if self._process is None or self._process.poll() is not None:
                raise UserError(f"Prefect's temporary server ended while starting; see {self._log}")
            if time.monotonic() > deadline:
                raise UserError(f"Prefect's temporary server did not answer within {timeout_s:.0f} s; see {self._log}")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End the server and remove its folder."""
        if self._process is None:
            return
        self._process.communicate()  # closes its standard input, which is how it is told
        self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def answers(api_url: str) -> bool:
    """Whether a Prefect server answers there now."""
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=2):
            return True
    except OSError:
        return False
