"""Bytes somebody handed over to observations, with what was assumed on the way."""

import codecs
import re
from dataclasses import dataclass

from bench_core.model.curve import Observations, Work, XKind
from bench_core.model.errors import TableError
from bench_core.tables.columns import choose_columns
from bench_core.tables.grid import Grid, TextGrid
from bench_core.tables.json_text import read_json
from bench_core.tables.kind import recognise_kind
from bench_core.tables.lines import read_lines
from bench_core.tables.lists import read_lists
from bench_core.tables.names import Role, understand
from bench_core.tables.note import Note
from bench_core.tables.observe import to_observations
from bench_core.tables.plain import read_plain
from bench_core.tables.prose import read_prose
from bench_core.tables.quantity import with_plain_superscripts
from bench_core.tables.readings import to_readings

# A table of 10 million rows is about 300 MB; reading needs some eight times its size in memory.
MAX_BYTES = 512 * 2**20

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ",", 0x3002: " "}
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# UTF-8 first, as it rejects what is not UTF-8; then what Windows writes in China.
_ENCODINGS = ("utf-8", "gb18030")
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HELP = "need lines such as `100, 1.51`, with or without names and units, or JSON"


@dataclass(frozen=True, slots=True)
class ReadTable:
    """What a table said.

    Attributes:
        notes: every assumption made and every row left out, in the order they arose.
    """

    observations: Observations
    kind: XKind
    row_count: int
    notes: tuple[Note, ...]


def read_table(data: bytes, *, x: XKind | None = None, work: Work | None = None) -> ReadTable:
    """Read timings from CSV, TSV, JSON, or a table pasted from a terminal or a forum post.

    Args:
        data: the file as it is, in UTF-8, UTF-16, UTF-32, GB 18030 or Latin-1.
        x: what the first column counts, where a person knows better than `recognise_kind`.
        work: what is known of the work; without it one row says nothing.

    Raises:
        TableError: no table, or a bad cell, with its line and what is allowed.
    """
    work = work or Work()
    grid = _grid(_decoded(data))
    columns = choose_columns(grid)
    readings, left_out = to_readings(grid, columns)
    kind, assumed = recognise_kind(columns, readings.x, x)
    observations, notes = to_observations(grid, columns, readings, kind, work)
    if len(readings.rows) == 1 and not _has_something_to_hold_against(observations):
        raise TableError(
            f"{grid.place(int(readings.rows[0]))} is the only row and there is nothing to hold it against:"
            " add rows, or say the work and the device (--shape or --flop-per-epoch, with --gpu or --peak)"
        )
    return ReadTable(observations, kind, len(readings.rows), (*columns.notes, *left_out, *assumed, *notes))


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise TableError(f"the table has more than {MAX_BYTES // 2**20} MiB; keep every tenth row")
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\x00" in data:
        raise TableError(f"this is no text: {_HELP}")
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _grid(text: str) -> Grid:
    """The table in a text, by the first reader that finds one.

    Raises:
        TableError: there is none.
    """
    if not text.strip():
        raise TableError(f"the table is empty: {_HELP}")
    grid = read_json(text)
    if grid is not None:
        return grid
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = read_plain(text)
    if plain is not None:
        return plain
    text = with_plain_superscripts(_TERMINAL_COLOURS.sub("", text).translate(_FULL_WIDTH))
    table = read_lists(text) or read_lines(text)
    if table is None or table.row_count < 2:
        # One row that looks like a table may be a line of a log.
        table = _longer(read_prose(text), table)
    if table is None:
        raise TableError(f"no row with an N and a time found: {_HELP}")
    return _upright(table)


def _longer(prose: TextGrid | None, table: TextGrid | None) -> TextGrid | None:
    if prose is None or table is None:
        return prose or table
    return prose if prose.row_count > table.row_count else table


def _upright(table: TextGrid) -> TextGrid:
    """A table written sideways, one line for N and one for the times, turned into rows."""
    names = tuple(row[0] for row in table.rows)
    roles = [understand(name).role for name in names]
    is_sideways = table.header is None and table.column_count > 2 and Role.X in roles and Role.UNKNOWN not in roles
    if not is_sideways:
        return table
    return TextGrid(names, list(zip(*(row[1:] for row in table.rows), strict=True)))


def _has_something_to_hold_against(observations: Observations) -> bool:
    work = observations.work
    known = work.flop_per_epoch or work.bytes_per_epoch
    if known is not None:
        return True
    samples = getattr(observations, "samples", None)
    if samples is not None:
        return samples[0].drain_time_s is not None
    return getattr(observations, "synchronized_s", None) is not None
