"""A table that cannot be read says where and why, and nothing is guessed."""

import pytest

from bench_core.model.curve import Work
from bench_core.model.errors import TableError
from bench_core.tables.read import MAX_BYTES, read_table

BAD = {
    "nothing": ("", "the table is empty"),
    "blanks": (" \n\t\n", "the table is empty"),
    "prose": ("my loop is slow, please help", "no row with an N and a time found"),
    "names only": ("epochs,seconds\n", "no row with an N and a time found"),
    "text for N": ("epochs,seconds\n100,1.5\nabc,1.6\n200,1.7", "line 3: 'abc' is not a number of epochs"),
    "text for N in the first row": ("epochs,seconds\nabc,1.6\n100,1.5\n200,1.7", "line 2: 'abc'"),
    "text for a time": ("epochs,seconds\n100,1.5\n200,slow\n300,2", "line 3: 'slow' is not a time"),
    "text in the last row": ("epochs,seconds\n100,1.5\n200,1.7\n300,fast", "line 4: 'fast' is not a time"),
    "a unit that is none of time": ("100,1.5 kg\n200,2 kg\n", "line 1: '1.5 kg' is not a time; use h, min, s"),
    "a negative time": ("100,1.5\n200,-2\n", "line 2: a time of -2 s; every time must be from"),
    "a time of zero": ("100,1.5\n200,0.0\n", "line 2: a time of 0: the clock is too coarse"),
    "an infinite time": ("100,1.5\n200,1e999\n", "line 2: a time of inf s"),
    "a time of thirty years": ("100,1.5\n200,1e10\n", "line 2: a time of 1e+10 s"),
    "two bad times": ("100,0\n200,0\n300,1\n", "(and 1 more row like it)"),
    "several bad times": ("100,0\n200,0\n300,0\n", "(and 2 more rows like it)"),
    "no time at all": ("epochs,seconds\n100,nan\n200,-\n", "no row has a time"),
    "half an epoch": ("epochs,seconds\n0.5,1\n1,2\n", "line 2: 0.5 epochs"),
    "a negative count": ("epochs,seconds\n-5,1\n1,2\n", "line 2: N is -5"),
    "only loops of nothing": ("epochs,seconds\n0,1\n0,2\n", "every row has 0 epochs"),
    "a row too long": ("100,1\n200,1,3\n300,2", "line 2: 3 cells where the other rows have 2"),
    "a row too short": ("epochs,seconds\n100,1\n200\n300,1", "line 3: 1 cells where the other rows have 2"),
    "unquoted thousands": ("1,000,2.428\n1,100,16.166\n", "line 1: a comma separates both thousands and cells"),
    "a quote that never ends": ('"' + "1," * 200_000, "no row with an N and a time found"),
    "rates only": ("N,it/s\n1,5\n2,6\n", "no column holds times: 'N', 'it/s'"),
    "one row": ("epochs,seconds\n100,1.5\n", "line 2 is the only row"),
    "one row left": ("epochs,seconds\n100,1.5\n200,OOM\n", "line 2 is the only row"),
    "a binary": ("\x00\x01\x02", "this is no text"),
    "JSON that is no table": ('{"a": {"b": 1}}', "the JSON holds no table"),
    "JSON with text": ('[["epochs", "seconds"], [100, "slow"], [200, 2]]', "entry 1: 'slow' is not a time"),
    "JSON with truth": ("[[100, true], [200, 2]]", "entry 1: true is not a number"),
    "JSON lists of unequal length": ('{"epochs": [1, 2], "seconds": [1]}', "equally long"),
    "JSON rows of unequal length": ("[[1, 2], [3]]", "entry 2: 1 values where the first entry has 2"),
    "JSON rows longer than their names": ('[["epochs"], [100, 1], [200, 2]]', "2 values where the list of names has 1"),
    "JSON without cells under short names": ('[[""], [null, null]]', "2 values where the list of names has 1"),
    "JSON rows shorter than their names": (
        '[["epochs", "seconds", "gpu"], [100, 1], [200, 2]]',
        "entry 1: 2 values where the list of names has 3",
    ),
    "JSON with an enormous number": (f"[[1, 2], [3, {'9' * 400}]]", "too large"),
    "JSON too deep": ("[" * 100_000, "no row with an N and a time found"),
}


@pytest.mark.parametrize("name", BAD)
def test_the_message_names_the_line_and_the_problem(name: str) -> None:
    text, message = BAD[name]

    with pytest.raises(TableError) as problem:
        read_table(text.encode())

    assert message in str(problem.value)


def test_a_table_beyond_the_limit_is_refused_by_its_size() -> None:
    class Large(bytes):
        def __len__(self) -> int:
            return MAX_BYTES + 1

    with pytest.raises(TableError, match="more than 512 MiB"):
        read_table(Large())


@pytest.mark.parametrize("work", [Work(flop_per_epoch=1e12, gpu="Tesla T4"), Work(bytes_per_epoch=1e9)])
def test_one_row_is_enough_where_the_work_is_known(work: Work) -> None:
    assert read_table(b"epochs,seconds\n100,1.5\n", work=work).row_count == 1


def test_one_row_is_enough_beside_a_synchronized_time() -> None:
    assert read_table(b"epochs,seconds,synchronized_seconds\n100,1.5,20\n").row_count == 1


@pytest.mark.parametrize(
    ("bad", "problem"), [("x,1", "could not convert string 'x'"), ("1,2,3", "changed from 2 to 3")]
)
@pytest.mark.parametrize("header", [[], ["epochs,seconds"]])
def test_a_bad_row_far_down_a_long_table_is_found(bad: str, problem: str, header: list[str]) -> None:
    rows = [*header, *(f"{count},{count * 1e-3:.3f}" for count in range(1, 310_000))]
    rows.insert(200_000, bad)

    with pytest.raises(TableError) as found:
        read_table("\n".join(rows).encode())

    # The list counts from 0, lines from 1.
    assert str(found.value).startswith("line 200001 is not like the others")
    assert problem in str(found.value)
