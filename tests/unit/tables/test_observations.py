"""Readings become observations without loss, or with a note of what was lost."""

import numpy as np
import pytest

from bench_core.model.curve import CallSeries, ScalingCurve, SizeSweep, XKind
from bench_core.tables.observe import MAX_TOTALS
from bench_core.tables.read import ReadTable, read_table


def read(text: str, x: XKind | None = None) -> ReadTable:
    return read_table(text.encode(), x=x)


def curve_of(table: ReadTable) -> ScalingCurve:
    assert isinstance(table.observations, ScalingCurve)
    return table.observations


def kinds_of_notes(table: ReadTable) -> list[str]:
    return [note.kind for note in table.notes]


def test_a_repeated_count_of_epochs_is_several_samples() -> None:
    samples = curve_of(read("epochs,seconds\n100,1.0\n200,2.0\n100,1.1\n")).samples

    assert [(each.epoch_count, each.enqueue_time_s) for each in samples] == [(100, 1.0), (200, 2.0), (100, 1.1)]


def test_synchronized_seconds_are_the_wall_time() -> None:
    # 20 s of work of which the stopwatch saw 1.5 s: 18.5 s were waited for.
    (first, _) = curve_of(read("epochs,seconds,synchronized_seconds\n100,1.5,20\n200,1.7,40\n")).samples

    assert (first.enqueue_time_s, first.drain_time_s) == (1.5, 18.5)
    assert first.wall_time_s == 20


def test_a_synchronized_loop_that_came_out_shorter_has_no_negative_wait() -> None:
    (first, _) = curve_of(read("epochs,seconds,synchronized_seconds\n100,1.50,1.49\n200,3,3\n")).samples

    assert first.drain_time_s == 0


def test_beside_an_enqueue_time_the_plain_wall_time_is_the_synchronized_one() -> None:
    (first, _) = curve_of(read("epochs,wall_time_s,enqueue_time_s\n100,20,1.5\n200,40,1.7\n")).samples

    assert (first.enqueue_time_s, first.wall_time_s) == (1.5, 20)


def test_another_devices_time_is_not_taken_for_a_synchronized_one() -> None:
    table = read("epochs,seconds,cpu_s\n100,1.5,20\n200,1.7,40\n")

    assert curve_of(table).samples[0].drain_time_s is None
    assert kinds_of_notes(table) == ["second_ignored"]


def test_another_devices_time_stands_beside_a_size_sweep() -> None:
    sweep = read("size,seconds,cpu_s\n100,1.5,20\n200,1.7,40\n").observations

    assert isinstance(sweep, SizeSweep)
    assert sweep.synchronized_s is not None
    assert sweep.synchronized_s.tolist() == [20, 40]


def test_a_lone_synchronized_column_says_how_the_clock_was_read() -> None:
    table = read("epochs,synchronized_seconds\n100,20\n200,40\n")

    assert curve_of(table).work.is_synchronized is True
    assert kinds_of_notes(table) == ["synchronized_by_name"]


def test_times_per_epoch_are_multiplied_to_totals() -> None:
    table = read("epochs,s/epoch\n100,0.1\n200,0.2\n")

    # 100 x 0.1 and 200 x 0.2
    assert [each.enqueue_time_s for each in curve_of(table).samples] == [10, 40]
    assert kinds_of_notes(table) == ["multiplied_per_epoch"]


def test_rows_without_a_time_are_left_out_and_counted() -> None:
    table = read("epochs,seconds\n100,1\n200,OOM\n300,nan\n400,2\n")

    assert [each.epoch_count for each in curve_of(table).samples] == [100, 400]
    assert [(note.kind, note.values) for note in table.notes] == [("rows_left_out", {"count": 2})]


def test_a_loop_of_no_epochs_is_left_out_and_counted() -> None:
    table = read("epochs,seconds\n0,1\n100,1\n200,2\n")

    assert [each.epoch_count for each in curve_of(table).samples] == [100, 200]
    assert kinds_of_notes(table) == ["zero_epochs_left_out"]


def test_a_series_out_of_order_is_sorted_and_said_so() -> None:
    table = read("call,seconds\n3,0.3\n1,0.1\n2,0.2\n")
    series = table.observations

    assert isinstance(series, CallSeries)
    assert series.seconds.tolist() == [0.1, 0.2, 0.3]
    assert kinds_of_notes(table) == ["calls_sorted"]


def test_a_repeated_size_is_replaced_by_its_median_and_counted() -> None:
    table = read("size,seconds\n64,1\n64,3\n64,2\n128,8\n")
    sweep = table.observations

    assert isinstance(sweep, SizeSweep)
    assert (sweep.size.tolist(), sweep.seconds.tolist()) == ([64, 128], [2, 8])
    assert [(note.kind, note.values) for note in table.notes] == [("repeats_merged", {"count": 2})]


def test_a_long_series_keeps_every_call() -> None:
    count = 50_000
    text = "\n".join(["call,ms", *(f"{index},{index % 7 + 1}" for index in range(count))])
    series = read(text).observations

    assert isinstance(series, CallSeries)
    assert len(series.index) == count
    # index % 7 + 1 milliseconds
    assert series.seconds[13] == pytest.approx(7e-3)


def test_a_long_table_may_have_a_comment_for_names_and_blank_lines() -> None:
    rows = [f"{epochs},{epochs}e-3" for epochs in range(1, 20_001)]
    table = read("\n".join(["# epochs,time (ms)", *rows[:100], "", *rows[100:], "", ""]))

    assert table.kind is XKind.EPOCHS
    # 1e-3 ms for the first
    assert curve_of(table).samples[0].enqueue_time_s == pytest.approx(1e-6)


def test_many_totals_are_thinned_at_equal_factors_and_said_so() -> None:
    count = 50_000
    table = read("\n".join(["epochs,seconds", *(f"{epochs},{epochs}e-3" for epochs in range(1, count + 1))]))
    counts = np.array([each.epoch_count for each in curve_of(table).samples])

    assert len(counts) <= MAX_TOTALS
    assert (counts[0], counts[-1]) == (1, count)
    # Neighbours are as near as counts or equal factors allow: 50,000 ** (1 / 4095) is 1.0027.
    large = counts[counts > 1000]
    assert np.max(large[1:] / large[:-1]) < 1.006
    assert kinds_of_notes(table) == ["rows_thinned"]


def test_many_samples_of_few_counts_keep_every_count() -> None:
    text = "\n".join(["epochs,seconds", *(f"{100 * (row % 5 + 1)},1.0" for row in range(20_000))])

    assert {each.epoch_count for each in curve_of(read(text)).samples} == {100, 200, 300, 400, 500}
