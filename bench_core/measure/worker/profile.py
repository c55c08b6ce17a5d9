"""How many matmuls the device executed, counted by TensorFlow's profiler in a pass of its own."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

# On the host plane an executed op is `name:OpType`; XLA's CPU code names the instruction, `MatMul.6` or `dot.3`, and
# marks the end of a region with an event of its own, `end: MatMul.6` (docs/method.md, "Counting").
HOST_MATMUL = re.compile(r".*:(_Mkl)?(_?Fused)?(Batch)?MatMul(V[23])?|(MatMul|dot|dot_general|gemm)[.\w]*\.\d+")
# On a GPU the kernels of cuBLAS and CUTLASS; a split sum has one more kernel, which is no matmul.
DEVICE_MATMUL = re.compile(r"(?!.*reduce).*(gemm|cutlass|xmma|matmul).*", re.IGNORECASE)


def count_matmuls(run: Callable[[], Any]) -> int:
    """Matmuls executed while `run` runs (it must wait for the device before it returns)."""
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        try:
            run()
        finally:
            tf.profiler.experimental.stop()
        return max((sum(1 for _ in _matmuls(path)) for path in Path(folder).rglob("*.xplane.pb")), default=0)


def _matmuls(path: Path) -> Iterator[str]:
    """Names of the matmul events of the plane that executed them: the device's if there is one, else the host's."""
    planes = _read(path).planes
    on_device = [plane for plane in planes if plane.name.startswith("/device:GPU")]
    pattern = DEVICE_MATMUL if on_device else HOST_MATMUL
    for plane in on_device or [plane for plane in planes if plane.name.startswith("/host:CPU")]:
        names = {key: metadata.name for key, metadata in plane.event_metadata.items()}
        events = (names[event.metadata_id] for line in plane.lines for event in line.events)
        yield from filter(pattern.fullmatch, events)


def _read(path: Path) -> Any:
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    return space
