import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bench_core.measure.device_lock import DeviceLock


def test_a_second_process_waits_until_the_first_is_gone(tmp_path: Path) -> None:
    told: list[str] = []
    with DeviceLock("GPU-1", directory=tmp_path) as first:
        first.acquire()
        second = DeviceLock("GPU-1", directory=tmp_path)
        waiting = threading.Thread(target=second.acquire, kwargs={"on_wait": told.append})
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
    waiting.join(10)
    assert not waiting.is_alive()
    second.close()
    assert told == [f"process {os.getpid()}"]


def test_a_child_that_inherited_the_descriptor_keeps_the_device(tmp_path: Path) -> None:
    lock = DeviceLock("GPU-1", directory=tmp_path)
    lock.acquire()
    child = subprocess.Popen([sys.executable, "-c", "input()"], pass_fds=[lock.fd], stdin=subprocess.PIPE)
    lock.close()
    try:
        contender = DeviceLock("GPU-1", directory=tmp_path)
        waiting = threading.Thread(target=contender.acquire)
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
    finally:
        child.kill()
        child.communicate()
    waiting.join(10)
    assert not waiting.is_alive()
    contender.close()


def test_devices_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with DeviceLock("GPU-1", directory=tmp_path) as one, DeviceLock("GPU-2", directory=tmp_path) as other:
        one.acquire()
        other.acquire()


def test_every_process_of_the_host_meets_at_the_same_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = "from bench_core.measure.device_lock import DeviceLock; print(DeviceLock('test-same-lock').path)"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    with DeviceLock("test-same-lock") as here:
        assert str(here.path) == elsewhere
        here.path.unlink()
