"""Memory of this process and of TensorFlow's allocator, read between samples."""

import os
from pathlib import Path

import tensorflow as tf

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int:
    """Resident memory of this process (proc(5), statm, second field)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def allocator_bytes(device: str) -> tuple[int | None, int | None]:
    """In use and peak of TensorFlow's allocator; None on the CPU, where it keeps no count."""
    if "GPU" not in device:
        return None, None
    info = tf.config.experimental.get_memory_info(_short(device))
    return int(info["current"]), int(info["peak"])


def free_bytes(device: str, memory_bytes: int) -> int:
    """Memory that a strategy may still take on a device that has memory_bytes in all."""
    in_use, _ = allocator_bytes(device)
    if in_use is None:
        return os.sysconf("SC_AVPHYS_PAGES") * PAGE_BYTES
    return max(0, memory_bytes - in_use)


def _short(device: str) -> str:
    """`GPU:0` of `/job:localhost/replica:0/task:0/device:GPU:0`."""
    return device.rsplit("device:", 1)[-1]
