"""Whatever is pasted ends in a diagnosis or in one message."""

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from bench_core.analyze.diagnose import diagnose
from bench_core.model.curve import Work, XKind
from bench_core.model.errors import TableError
from bench_core.report.diagnosis_json import diagnosis_json
from bench_core.report.language import Language
from bench_core.report.messages import note_text, tell
from bench_core.tables.read import read_table

WORKS = st.builds(
    Work,
    flop_per_epoch=st.none() | st.floats(1, 1e18),
    bytes_per_epoch=st.none() | st.floats(1, 1e15),
    precision=st.sampled_from([None, "fp32", "tf32", "fp16", "bf16"]),
    gpu=st.sampled_from([None, "NVIDIA RTX A4000", "Tesla T4", "GeForce GTX 1080"]),
    peak_flop_per_s=st.none() | st.floats(1, 1e18),
    is_synchronized=st.sampled_from([None, True, False]),
)
KINDS = st.sampled_from([None, *XKind])
SENTENCE_END = re.compile(r"\.(?:\s|$)|。")


def diagnose_bytes(data: bytes, kind: XKind | None, work: Work) -> None:
    """The whole way from bytes to what is shown; anything but a TableError is a failure."""
    try:
        table = read_table(data, x=kind, work=work)
    except TableError:
        return
    diagnosis = diagnose(table.observations)
    for language in Language:
        message = tell(diagnosis, table.kind, language)
        assert len(SENTENCE_END.findall(str(message))) == 3, str(message)
        json.dumps(
            diagnosis_json(diagnosis, str(message), [note_text(note, language) for note in table.notes]),
            allow_nan=False,
        )


@given(st.binary(max_size=400), KINDS, WORKS)
@example(b"\xff\xfe1\x00,\x002\x00", None, Work())
@example(b"\xef\xbb\xbf1,2\n3,4", None, Work())
@example(b"[" * 100_000, None, Work())
@example(b"[[1, 1e400], [2, " + b"9" * 400 + b"]]", None, Work())
def test_random_bytes(data: bytes, kind: XKind | None, work: Work) -> None:
    diagnose_bytes(data, kind, work)


CELLS = st.one_of(
    st.integers(-5, 10**6).map(str),
    st.floats(1e-9, 1e7).map(lambda value: f"{value:.3g}"),
    st.floats(1e-3, 1e4).map(lambda value: f"{value:.3f} ms"),
    st.sampled_from(["", "nan", "-", "0", "1,034", "0,94", "1.5s", "2 us", "OOM", "abc", "1e999", "5 h", "²", "1:30"]),
)
LINES = st.one_of(
    st.tuples(st.lists(CELLS, min_size=1, max_size=4), st.sampled_from([",", "\t", " | ", "  ", ";", " "])).map(
        lambda row: row[1].join(row[0])
    ),
    st.sampled_from(
        ["epochs,seconds", "N time (ms)", "| call | us |", "|---|---|", "size\ttime", "$ run", "", "epochs,s,sync_s"]
    ),
    st.text(max_size=20),
)


@given(st.lists(LINES, max_size=25).map("\n".join), KINDS, WORKS)
def test_random_lines(text: str, kind: XKind | None, work: Work) -> None:
    diagnose_bytes(text.encode("utf-8", errors="surrogatepass"), kind, work)


NUMBERS = st.floats(1e-9, 1e9, allow_nan=False)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), NUMBERS, NUMBERS), min_size=1, max_size=40),
    st.sampled_from(["epochs,seconds,synchronized_seconds", "call,ms,std", "size,us,sync_us"]),
    KINDS,
    WORKS,
)
def test_random_numbers(rows: list[tuple[int, float, float]], header: str, kind: XKind | None, work: Work) -> None:
    text = "\n".join([header, *(f"{x},{seconds!r},{other!r}" for x, seconds, other in rows)])

    diagnose_bytes(text.encode(), kind, work)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.integers(-10, 10**20) | st.text(max_size=5),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES, KINDS, WORKS)
def test_random_json(document: object, kind: XKind | None, work: Work) -> None:
    diagnose_bytes(json.dumps(document).encode(), kind, work)
