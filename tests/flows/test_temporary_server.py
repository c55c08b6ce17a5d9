import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench_core.model.errors import UserError
from flows.prefect_session import PrefectSession
from flows.temporary_server import TemporaryServer, answers

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"


def wait_until(is_true: Callable[[], bool], timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_true():
        assert time.monotonic() < deadline, f"not within {timeout_s} s"
        time.sleep(0.05)


@pytest.mark.prefect
def test_kill_9_of_the_command_ends_its_server_and_removes_its_folder(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from flows.temporary_server import TemporaryServer\n"
        f"server = TemporaryServer(Path({str(CACHE)!r}), log=Path({str(tmp_path / 'log')!r}))\n"
        "server.start(); server.wait_until_ready(); print(server.api_url, server.home, flush=True); time.sleep(600)"
    )
    command = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert command.stdout is not None
    with command.stdout:
        api_url, home = command.stdout.readline().split()
    assert answers(api_url)

    command.send_signal(signal.SIGKILL)
    command.wait()

    wait_until(lambda: not answers(api_url))
    wait_until(lambda: not Path(home).exists())


@pytest.mark.prefect
def test_the_server_reads_nothing_of_the_persons_own_prefect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "profiles.toml").write_text("this is not TOML and would stop whoever reads it")
    monkeypatch.setenv("PREFECT_HOME", str(own))
    monkeypatch.setenv("PREFECT_API_DATABASE_CONNECTION_URL", "sqlite+aiosqlite:////nowhere/prefect.db")
    with TemporaryServer(CACHE, log=tmp_path / "log") as server:
        server.start()
        server.wait_until_ready()

    assert [path.name for path in own.iterdir()] == ["profiles.toml"]


def test_a_server_that_cannot_start_is_one_sentence_that_names_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.temporary_server.sys.executable", "/bin/false")
    log = tmp_path / "log"

    with TemporaryServer(CACHE, log=log) as server, pytest.raises(UserError, match=str(log)):
        server.start()


def test_a_configured_server_that_does_not_answer_is_named() -> None:
    session = PrefectSession("http://127.0.0.1:9/api", None)  # port 9 is discard: nothing listens there

    with pytest.raises(UserError, match=r"http://127\.0\.0\.1:9/api does not answer"):
        session.wait_until_ready()
