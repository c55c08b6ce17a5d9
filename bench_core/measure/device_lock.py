"""One measurement at a time per physical device, whoever dies.

The lock is an flock on an open file whose descriptor the worker process and its children inherit: it is free
exactly when the last of them is gone, however they ended.
"""

import fcntl
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

POLL_S = 0.2
# The same for everybody on the host: a job of a cluster has a $TMPDIR of its own, a systemd service often a /tmp.
LOCKS = Path("/dev/shm/cliffwatch-locks")


class DeviceLock:
    """The lock of one device, keyed by its UUID; not held until acquire() returns.

    Attributes:
        fd: descriptor to hand to every process that may touch the device.
    """

    def __init__(self, device_uuid: str, *, directory: Path | None = None) -> None:
        folder = directory or LOCKS
        _make_shared(folder)
        self.path = folder / f"{device_uuid}.lock"
        self.fd = _open_shared(self.path)

    def acquire(self, *, on_wait: Callable[[str], None] | None = None) -> None:
        """Wait until no other process measures on the device; on_wait is told once who holds it."""
        has_told = False
        while not self._try():
            if on_wait and not has_told:
                on_wait(self.holder())
                has_told = True
            time.sleep(POLL_S)
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, json.dumps({"pid": os.getpid()}).encode(), 0)

    def holder(self) -> str:
        """Who measures there now, in words."""
        try:
            pid = json.loads(os.pread(self.fd, 4096, 0))["pid"]
        except (ValueError, KeyError):
            return "another process"
        return f"process {pid}"

    def close(self) -> None:
        """Drop this process's descriptor; the lock is free once every inheritor is gone too."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _try(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _make_shared(folder: Path) -> None:
    """A folder every user of the host may put locks in."""
    try:
        folder.mkdir()
        folder.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO | stat.S_ISVTX)
    except FileExistsError:
        pass


def _open_shared(path: Path) -> int:
    """Open or create a lock file.

    In a sticky folder Linux refuses O_CREAT on a file of another user (fs.protected_regular), so an existing file
    is opened without it first.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_CREAT, 0o666)
        os.fchmod(fd, 0o666)
        return fd
