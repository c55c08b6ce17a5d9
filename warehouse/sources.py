"""The raw views under every other view: which files hold what, named one by one and never found by a pattern."""

from pathlib import Path

import duckdb
import pyarrow as pa

from warehouse.case_record import CASE_FIELDS, RECORD_SCHEMA
from warehouse.findings import FINDINGS_SCHEMA
from warehouse.layout import Layout
from warehouse.run_row import RUN_SCHEMA

_SAMPLES = """
create view raw_samples as
select run_id, case_id, sample.sample_index, sample.epoch_count, sample.is_warmup, sample.started_at_ns,
    sample.enqueue_time_ns, sample.drain_time_ns
from (select run_id, case_id, unnest(samples) as sample from raw_records)
"""

_LAUNCHES = """
create view raw_launches as
select run_id, case_id, sample.sample_index, unnest(range(len(sample.call_end_ns))) as epoch_index,
    unnest(sample.call_end_ns) as call_end_ns
from (select run_id, case_id, unnest(samples) as sample from raw_records)
"""


def live_files(layout: Layout) -> dict[str, list[Path]]:
    """Files by raw view; a folder without its run's row is not committed and not read."""
    runs = sorted(folder for folder in layout.runs.glob("*") if (folder / "run.parquet").exists())
    records = [path for folder in runs for path in sorted(folder.glob("*.parquet")) if path.name != "run.parquet"]
    return {
        "raw_runs": [folder / "run.parquet" for folder in runs],
        "raw_records": records,
        "raw_findings": sorted(layout.findings.glob("*.parquet")),
    }


def create_raw_views(connection: duckdb.DuckDBPyConnection, files: dict[str, list[Path]]) -> None:
    """Create raw_runs, raw_cases, raw_samples, raw_launches and raw_findings."""
    schemas = {"raw_runs": RUN_SCHEMA, "raw_records": RECORD_SCHEMA, "raw_findings": FINDINGS_SCHEMA}
    for name, schema in schemas.items():
        connection.execute(f"create view {name} as {_select(connection, schema, files[name])}")
    columns = ", ".join(field.name for field in CASE_FIELDS)
    connection.execute(f"create view raw_cases as select {columns} from raw_records")
    connection.execute(_SAMPLES)
    connection.execute(_LAUNCHES)


def _select(connection: duckdb.DuckDBPyConnection, schema: pa.Schema, paths: list[Path]) -> str:
    if paths:
        names = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
        return f"select * from read_parquet([{names}])"
    empty = schema.empty_table()
    described = connection.from_arrow(empty)
    pairs = zip(described.columns, described.types, strict=True)
    return "select " + ", ".join(f'null::{type_} as "{name}"' for name, type_ in pairs) + " where false"
