"""What every test may use: a Prefect server of its own, never the person's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.temporary_server import TemporaryServer


@pytest.fixture(scope="session")
def temporary_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporaryServer]:
    """One server for all tests of this process; its migrated database is kept between test runs."""
    log = tmp_path_factory.mktemp("prefect") / "server.log"
    with TemporaryServer(Path(__file__).resolve().parents[1] / ".cache", log=log) as server:
        server.start()
        server.wait_until_ready()
        yield server


@pytest.fixture
def prefect_api(temporary_server: TemporaryServer) -> Iterator[str]:
    """Prefect's settings, pointing at the server of the tests; its URL."""
    from flows.prefect_session import settings_for

    with settings_for(temporary_server):
        yield temporary_server.api_url
