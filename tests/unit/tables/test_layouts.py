"""The same readings in every form people write them in."""

import json

import pytest

from bench_core.model.curve import CallSeries, ScalingCurve
from bench_core.tables.read import ReadTable, read_table

READINGS = [(100, 1.5), (1000, 2.428), (1100, 16.166)]


def to_full_width(text: str) -> str:
    """ASCII as Chinese input methods may write it: the same characters 0xFEE0 higher."""
    return "".join(chr(ord(character) + 0xFEE0) if character > " " else character for character in text)


def read(text: str) -> ReadTable:
    return read_table(text.encode())


def readings_of(table: ReadTable) -> list[tuple[int, float]]:
    assert isinstance(table.observations, ScalingCurve)
    return [(sample.epoch_count, sample.enqueue_time_s) for sample in table.observations.samples]


LAYOUTS = {
    "csv": "epochs,seconds\n100,1.5\n1000,2.428\n1100,16.166\n",
    "csv without a header": "100,1.5\n1000,2.428\n1100,16.166\n",
    "Windows line ends": "epochs,seconds\r\n100,1.5\r\n1000,2.428\r\n1100,16.166\r\n",
    "trailing separators": "epochs,seconds,\n100,1.5,\n1000,2.428,\n1100,16.166,\n",
    "quoted thousands": 'epochs,seconds\n100,"1.5"\n"1,000","2.428"\n"1,100","16.166"\n',
    "tsv": "epochs\tseconds\n100\t1.5\n1000\t2.428\n1100\t16.166\n",
    "semicolons and decimal commas": "epochs;seconds\n100;1,5\n1000;2,428\n1100;16,166\n",
    "markdown": "| epochs | time (ms) |\n|---:|---:|\n| 100 | 1,500 |\n| 1,000 | 2,428 |\n| 1,100 | 16,166 |\n",
    "a box": "┌────┬────┐\n│ N │ t/ms │\n├────┼────┤\n│ 100 │ 1500 │\n│ 1000 │ 2428 │\n│ 1100 │ 16166 │\n└────┴────┘",
    "aligned, names of two words": "number of epochs   total time\n100     1.5 s\n1000    2.428 s\n1100    16.166 s\n",
    "names over single blanks": "number of epochs time (ms)\n100 1500\n1000 2428\n1100 16166\n",
    "units in the cells": "100 1.5s\n1000 2428 ms\n1100 16166000us\n",
    "a sentence with the unit": "Results in ms:\n100 1500\n1000 2428\n1100 16166\n",
    "a terminal": "$ python bench.py\nDevice: GPU:0\nepochs seconds\n100 1.5\n1000 2.428\n1100 16.166\ndone in 21 s\n$",
    "a quoted post": "> epochs | seconds\n> 100 | 1.5\n> 1000 | 2.428\n> 1100 | 16.166\n",
    "pandas": "   epochs  seconds\n0     100    1.500\n1    1000    2.428\n2    1100   16.166\n",
    "full width": "循环次数，耗时（毫秒）\n" + to_full_width("100,1500\n1000,2428\n1100,16166\n"),
    "a log": "N=100 took 1.5 s\nN=1000 took 2.428 s\nN=1100 took 16.166 s\n",
    "counted words": "100 epochs: 1.5s\n1000 epochs: 2.428s\n1100 epochs: 16.166s\n",
    "a log with clock times": "9:30:01 N=100 took 1.5 s\n9:30:02 N=1000 took 2.428 s\n9:31:07 N=1100 took 16.166 s\n",
    "sideways": "epochs\t100\t1000\t1100\nseconds\t1.5\t2.428\t16.166\n",
    "Python lists": "epochs = [100, 1000, 1100]\ntimes_s = [1.5, 2.428, 16.166]\n",
    "time first": "seconds,epochs\n1.5,100\n2.428,1000\n16.166,1100\n",
    "a text column": "device,epochs,seconds\nGPU:0,100,1.5\nGPU:0,1000,2.428\nGPU:0,1100,16.166\n",
    "terminal colours": "\x1b[1mepochs seconds\x1b[0m\n100 1.5\n1000 2.428\n1100 16.166\n",
    "tuples as Python prints them": "[(100, 1.5), (1000, 2.428), (1100, 16.166)]",
    "a dictionary as Python prints it": "{'epochs': [100, 1000, 1100], 'seconds': [1.5, 2.428, 16.166]}",
    "a tuple a line": "(100, 1.5)\n(1000, 2.428)\n(1100, 16.166)\n",
    "a colon": "100: 1.5 s\n1000: 2.428 s\n1100: 16.166 s\n",
    "an arrow": "100 -> 1.5\n1000 -> 2.428\n1100 -> 16.166\n",
    "pairs": json.dumps(READINGS),
    "objects": json.dumps([{"epochs": count, "seconds": seconds} for count, seconds in READINGS]),
    "objects, one a line": "\n".join(json.dumps({"epochs": count, "seconds": seconds}) for count, seconds in READINGS),
    "object of lists": json.dumps({"epochs": [100, 1000, 1100], "seconds": [1.5, 2.428, 16.166]}),
    "N: seconds": json.dumps({str(count): f"{seconds} s" for count, seconds in READINGS}),
    "nested": json.dumps({"points": [{"epoch_count": count, "enqueue_time_s": time} for count, time in READINGS]}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_holds_the_same_readings(layout: str) -> None:
    readings = readings_of(read(LAYOUTS[layout]))

    assert [count for count, _ in readings] == [100, 1000, 1100]
    assert [seconds for _, seconds in readings] == pytest.approx([1.5, 2.428, 16.166])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_every_encoding_people_save_in_is_read(encoding: str) -> None:
    table = read_table("循环次数,耗时（毫秒）\n100,1500\n1000,2428\n1100,16166\n".encode(encoding))

    assert [seconds for _, seconds in readings_of(table)] == pytest.approx([1.5, 2.428, 16.166])


@pytest.mark.parametrize(
    "text", ["1.3\n0.02\n0.021\n", "[1.3, 0.02, 0.021]", "[1.3 0.02 0.021]", "tensor([1.3, 0.02, 0.021])"]
)
def test_a_list_of_times_is_a_series(text: str) -> None:
    series = read(text).observations

    assert isinstance(series, CallSeries)
    assert series.index.tolist() == [1, 2, 3]
    assert series.seconds.tolist() == [1.3, 0.02, 0.021]


def test_a_training_log_is_a_series_of_its_times() -> None:
    series = read(
        "\n".join(f"469/469 [=====] - {seconds}s 26ms/step - loss: 0.{seconds}" for seconds in (19, 12, 13))
    ).observations

    assert isinstance(series, CallSeries)
    assert series.seconds.tolist() == [19, 12, 13]


def test_columns_that_are_not_used_are_named() -> None:
    (note,) = read("epochs,seconds,GFLOP/s\n100,1.5,320\n200,1.7,560\n").notes

    assert (note.kind, note.values["names"]) == ("columns_ignored", "GFLOP/s (3)")


def test_of_several_statistics_the_median_is_taken_and_its_spread_left() -> None:
    table = read("epochs,min (ms),median (ms),max (ms),std (ms)\n100,1,2,9,1\n200,2,4,9,1\n")

    assert readings_of(table) == [(100, 2e-3), (200, 4e-3)]


def test_a_time_without_a_unit_is_taken_for_seconds_and_said_so() -> None:
    kinds = [note.kind for note in read("epochs,elapsed\n100,1.5\n200,2\n").notes]

    assert kinds == ["seconds_assumed"]
