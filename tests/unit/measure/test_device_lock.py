import os
import subprocess
import sys
import threading
from pathlib import Path

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
