"""What is printed in any layout is read back as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printed_tables import Printed, printed_tables

from bench_core.model.curve import ScalingCurve, XKind
from bench_core.tables.read import read_table


def readings_of(curve: object) -> list[tuple[int, float]]:
    assert isinstance(curve, ScalingCurve)
    return [(sample.epoch_count, sample.enqueue_time_s) for sample in curve.samples]


@given(printed_tables())
def test_a_printed_table_is_read_back(printed: Printed) -> None:
    table = read_table(printed.text.encode(), x=XKind.EPOCHS)

    assert [count for count, _ in readings_of(table.observations)] == [count for count, _ in printed.readings]
    assert [seconds for _, seconds in readings_of(table.observations)] == pytest.approx(
        [seconds for _, seconds in printed.readings]
    )


rows = st.lists(
    st.tuples(st.integers(1, 10**9), st.floats(1e-9, 1e6, allow_nan=False)), min_size=2, max_size=20, unique=True
)


@given(rows, st.sampled_from(["pairs", "objects", "lists", "lines"]))
def test_json_of_every_form_is_read_back(readings: list[tuple[int, float]], form: str) -> None:
    objects = [{"epochs": count, "seconds": seconds} for count, seconds in readings]
    texts = {
        "pairs": json.dumps(readings),
        "objects": json.dumps(objects),
        "lists": json.dumps({"epochs": [count for count, _ in readings], "seconds": [each for _, each in readings]}),
        "lines": "\n".join(map(json.dumps, objects)),
    }

    table = read_table(texts[form].encode(), x=XKind.EPOCHS)

    assert sorted(readings_of(table.observations)) == sorted(readings)
