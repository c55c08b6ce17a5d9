import os

import pytest

from bench_core.measure import protocol
from bench_core.model.result import Sample


def test_a_sample_crosses_the_boundary_unchanged() -> None:
    sample = Sample(3, 2, False, 10, 20, 30, call_end_ns=(7, 20), finish_lag_ns=5, disturbed_by="heat")

    assert protocol.read_sample(protocol.sample_event(sample)) == sample


def test_a_message_that_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="not a message"):
        protocol.decode(b"[1]")


def test_lines_are_whole_however_the_bytes_arrive() -> None:
    read_fd, write_fd = os.pipe()
    reader = protocol.LineReader(read_fd)
    os.write(write_fd, b'{"a"')
    assert reader.read() == []
    os.write(write_fd, b":1}\n{}\n{")
    assert reader.read() == [b'{"a":1}', b"{}"]
    os.close(write_fd)
    assert reader.read() == []
    assert not reader.is_open
    reader.close()
