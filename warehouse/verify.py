"""Is everything there that was committed, as it was written?"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.log_entries import damaged_entries
from warehouse.publish import publish
from warehouse.schema import TABLES, TableSchema
from warehouse.table_log import LiveFile, TableLog

_COUNTS = """
with

counted_cases as (select run_id, count(*) as found from all_runs.raw_cases group by run_id),
counted_samples as (select run_id, count(*) as found from all_runs.raw_samples group by run_id),
doubled as (select distinct run_id from all_runs.raw_cases group by run_id, case_id having count(*) > 1)

select
    runs.run_id, runs.case_count, coalesce(counted_cases.found, 0), runs.sample_count,
    coalesce(counted_samples.found, 0), doubled.run_id is not null
from all_runs.raw_runs as runs
left join counted_cases using (run_id)
left join counted_samples using (run_id)
left join doubled using (run_id)
where doubled.run_id is not null or runs.status = 'complete' and (
    runs.case_count <> coalesce(counted_cases.found, 0)
    or runs.sample_count <> coalesce(counted_samples.found, 0)
)
order by runs.run_id
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was committed.

    Attributes:
        subject: a file, relative to the warehouse, or a run.
    """

    subject: str
    what: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}"


def verify(layout: Layout) -> tuple[Problem, ...]:
    """Read every log, hash every live file, compare it with its table's log and schema, and every run with its counts.

    What rests on something damaged is not looked at: a torn log hides its files, a damaged file its runs.

    Raises:
        WarehouseError: the catalog cannot be read.
    """
    damaged = verify_logs(layout) or tuple(problem for _, _, problem in damaged_files(layout))
    return damaged or tuple(miscounted(layout))


def verify_logs(layout: Layout) -> tuple[Problem, ...]:
    """Entries of the tables' logs that are torn or gone: nothing can be read or committed before that is mended."""
    return tuple(problem for _, _, problem in damaged_log_entries(layout))


def damaged_log_entries(layout: Layout) -> Iterator[tuple[TableSchema, Path, Problem]]:
    """Every entry of a table's log that is torn or gone, with its table."""
    for table in TABLES:
        for path, what in damaged_entries(layout, table):
            yield table, path, Problem(str(path.relative_to(layout.root)), what)


def damaged_files(layout: Layout) -> Iterator[tuple[TableLog, LiveFile, Problem]]:
    """Every live file that is not what its log says, with its log."""
    for table in TABLES:
        log = TableLog(layout, table)
        for file in log.files():
            what = _damage(log, file)
            if what:
                yield log, file, Problem(f"{layout.table(table.name).relative_to(layout.root)}/{file.path}", what)


def _damage(log: TableLog, file: LiveFile) -> str | None:
    size_bytes = log.place.size_bytes(file.path)
    if size_bytes is None:
        return "is missing"
    if size_bytes != file.size_bytes:
        return f"has {size_bytes} bytes, not {file.size_bytes}: truncated or changed"
    if not log.place.is_unchanged(file.path):
        return "its content is not what was written"
    return _wrong_content(log, file)


def _wrong_content(log: TableLog, file: LiveFile) -> str | None:
    try:
        found = log.place.open(file.path)
    except (OSError, pa.ArrowException) as error:
        return f"cannot be read as Parquet: {error}"
    if found.metadata.num_rows != file.row_count:
        return f"has {found.metadata.num_rows} rows, not {file.row_count}"
    known = {field.name: field.type for field in log.of.schema}
    drifted = [field.name for field in found.schema_arrow if known.get(field.name) != field.type]
    return f"columns are not those of the table: {', '.join(drifted)}" if drifted else None


def miscounted(layout: Layout) -> Iterator[Problem]:
    """Runs that have not the cases and samples they counted when they were committed."""
    publish(layout)
    with connect(layout) as connection:
        rows = connection.execute(_COUNTS).fetchall()
    for run_id, cases, found_cases, samples, found_samples, is_doubled in rows:
        counts = f"{found_cases} of {cases} cases and {found_samples} of {samples} samples are there"
        yield Problem(run_id, "a case is there twice" if is_doubled else counts)
