"""The process that answers one query: it can read the catalog's files, write to its own spill folder, and nothing else.

Started by `warehouse.query` as `python -m warehouse.sandbox`, with the request as JSON on standard input.
"""

import json
import resource
import sys
from pathlib import Path

import duckdb
import pyarrow as pa

from bench_core.model.errors import WarehouseError
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.statement import first_line

ROWS_PER_BATCH = 100_000


def confine(connection: duckdb.DuckDBPyConnection, spill: Path, memory_bytes: int) -> None:
    """Leave the connection the files its catalog names and a folder to spill to; no setting can be changed after."""
    paths = connection.execute("select path from catalog_files").fetchall()
    connection.execute("set memory_limit = ?", [f"{memory_bytes}B"])
    connection.execute("set temp_directory = ?", [str(spill)])
    # Files, not folders: with a folder allowed, COPY could overwrite a committed file in it.
    connection.execute("set allowed_paths = ?", [[path for (path,) in paths]])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def answer(root: Path, sql: str, answer_file: Path, spill: Path, memory_bytes: int) -> None:
    """Run the query and write its rows as an Arrow stream, batch by batch, so that memory stays bounded.

    Raises:
        WarehouseError: the catalog cannot be used.
        duckdb.Error: the query fails.
    """
    with connect(Layout(root)) as connection:
        confine(connection, spill, memory_bytes)
        reader = connection.sql(sql).to_arrow_reader(ROWS_PER_BATCH)
        with pa.ipc.new_stream(answer_file, reader.schema) as stream:
            for batch in reader:
                stream.write_batch(batch)


def main() -> None:
    """Answer the request on standard input; a refusal is one line on standard error and exit status 2."""
    request = json.load(sys.stdin)
    cpu_s = int(request["timeout_s"] * 64)  # ends the process even where its parent is gone
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    folder = Path(request["folder"])
    try:
        answer(
            Path(request["root"]), request["sql"], folder / "answer.arrow", folder / "spill", request["memory_bytes"]
        )
    except (duckdb.Error, WarehouseError) as error:
        print(first_line(error), file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
