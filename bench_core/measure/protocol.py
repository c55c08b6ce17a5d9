"""What crosses the process boundary: one JSON object a line, both ways.

Requests go from the client to the worker process, events come back. Standard library only: the worker imports this
under any TensorFlow.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import IO, Any

from bench_core.model.result import Sample

# Raised whenever a request or an event changes its meaning; a worker of another version is refused.
PROTOCOL_VERSION = 1


def send(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    """Write one message and flush it."""
    stream.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    stream.flush()


def decode(line: bytes) -> dict[str, Any]:
    """Read one message.

    Raises:
        ValueError: not a JSON object.
    """
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(f"not a message: {line[:80]!r}")
    return message


def is_end(line: bytes) -> bool:
    """Whether the line ends a request; not decoded, for a sample may carry a trace of thousands of calls."""
    return line.startswith(b'{"event":"end"')


class LineReader:
    """Lines of a pipe, read in chunks and fit for select(): nothing that has arrived stays hidden in a buffer."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""
        self.is_open = True

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._fd

    def read(self) -> list[bytes]:
        """The complete lines there are, waiting for the next bytes; closes when the writer is gone."""
        chunk = os.read(self._fd, 1 << 20)
        self.is_open = bool(chunk)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return lines

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._fd)


def sample_event(sample: Sample) -> dict[str, Any]:
    """A sample as the child reports it."""
    # Not asdict: it copies a trace element by element, 0.2 ms for a hundred calls.
    return {"event": "sample"} | {field.name: getattr(sample, field.name) for field in fields(sample)}


def read_sample(event: Mapping[str, Any]) -> Sample:
    """The inverse of sample_event."""
    values = {name: value for name, value in event.items() if name != "event"}
    trace = values.pop("call_end_ns")
    return Sample(**values, call_end_ns=None if trace is None else tuple(trace))
