"""Prefect for one command: the server a person configured, else a temporary one; never a word in the terminal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench_core.model.errors import UserError
from flows.folders import cache_folder, state_folder
from flows.temporary_server import POLL_S, TemporaryServer, answers


@dataclass(frozen=True, slots=True)
class PrefectSession:
    """Where this command's flow runs are recorded.

    Attributes:
        is_temporary: nobody will look at this server, so nothing is published to it.
    """

    api_url: str
    server: TemporaryServer | None

    @property
    def is_temporary(self) -> bool:
        """Whether the server ends with the command."""
        return self.server is not None

    def wait_until_ready(self, *, timeout_s: float = 0.0) -> None:
        """Return when the server answers.

        Args:
            timeout_s: how long to wait for a configured server, which should be up already.

        Raises:
            UserError: it does not.
        """
        if self.server is not None:
            self.server.wait_until_ready()
            return
        deadline = time.monotonic() + timeout_s
        while not answers(self.api_url):
            if time.monotonic() >= deadline:
                raise UserError(
                    f"the Prefect server at {self.api_url} does not answer; start it, or unset PREFECT_API_URL "
                    "(`prefect config unset PREFECT_API_URL`) to use a temporary one"
                )
            time.sleep(POLL_S)


def configured_api_url() -> str | None:
    """The server a person configured, in any of the ways Prefect reads."""
    from prefect.settings import get_current_settings

    return get_current_settings().api.url


@contextmanager
def prefect_session() -> Iterator[PrefectSession]:
    """Start a temporary server where none is configured; it is not ready yet."""
    configured = configured_api_url()
    if configured:
        yield PrefectSession(configured, None)
        return
    with TemporaryServer(cache_folder(), log=state_folder() / "prefect-server.log") as server:
        server.start()
        with settings_for(server):
            yield PrefectSession(server.api_url, server)


@contextmanager
def settings_of(api_url: str) -> Iterator[None]:
    """Talk to this server, whatever is configured."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings(updates={PREFECT_API_URL: api_url}):
        yield


@contextmanager
def settings_for(server: TemporaryServer) -> Iterator[None]:
    """The person's own Prefect folder stays untouched; nobody reads logs or heartbeats of a server that ends."""
    from prefect.settings import (
        PREFECT_API_URL,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_HOME,
        PREFECT_LOGGING_TO_API_ENABLED,
        temporary_settings,
    )

    updates = {
        PREFECT_API_URL: server.api_url,
        PREFECT_HOME: server.home,
        PREFECT_LOGGING_TO_API_ENABLED: False,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
    }
    with temporary_settings(updates=updates):
        yield
