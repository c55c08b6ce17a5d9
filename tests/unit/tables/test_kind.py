"""What the first column counts is asked, named, or told by its numbers, in this order."""

import pytest

from bench_core.model.curve import XKind
from bench_core.tables.read import ReadTable, read_table

CONSECUTIVE = "\n".join(f"{index},0.02" for index in range(1, 7))


def read(text: str, x: XKind | None = None) -> ReadTable:
    return read_table(text.encode(), x=x)


def kinds_of_notes(table: ReadTable) -> list[str]:
    return [note.kind for note in table.notes]


@pytest.mark.parametrize("kind", list(XKind))
def test_what_a_person_asks_for_wins(kind: XKind) -> None:
    assert read("size,seconds\n100,1\n200,2\n", kind).kind is kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [("epochs", XKind.EPOCHS), ("call", XKind.INDEX), ("matrix size", XKind.SIZE)],
)
def test_a_name_is_believed_without_a_note(name: str, kind: XKind) -> None:
    table = read(f"{name},seconds\n100,1\n200,2\n")

    assert (table.kind, kinds_of_notes(table)) == (kind, [])


def test_counting_from_one_is_a_series_and_said_to_be_assumed() -> None:
    table = read(f"N,seconds\n{CONSECUTIVE}")

    assert (table.kind, kinds_of_notes(table)) == (XKind.INDEX, ["index_assumed"])


def test_a_column_plainly_named_epochs_may_count_from_one() -> None:
    assert read(f"epochs,seconds\n{CONSECUTIVE}").kind is XKind.EPOCHS


def test_a_column_named_size_may_count_from_one() -> None:
    assert read(f"batch size,seconds\n{CONSECUTIVE}").kind is XKind.SIZE


def test_three_numbers_in_a_row_are_still_loops() -> None:
    assert read("1,0.1\n2,0.2\n3,0.3\n").kind is XKind.EPOCHS


def test_numbers_without_a_name_are_epochs_and_said_to_be_assumed() -> None:
    table = read("seconds in all\n512,0.1\n1024,0.8\n2048,6.4\n")

    assert table.kind is XKind.EPOCHS
    assert "epochs_assumed" in kinds_of_notes(table)


def test_a_time_per_call_without_a_named_count_is_a_series() -> None:
    assert read(",seconds per call\n1,0.1\n50,0.2\n99,0.3\n").kind is XKind.INDEX
