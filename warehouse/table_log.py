"""One Delta table: its log says which files are the table, and every change of it is one commit."""

import json
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from bench_core.model.errors import WarehouseError
from warehouse.durable import refused
from warehouse.layout import Layout
from warehouse.place import Folder, Place
from warehouse.schema import PARTITION, RUNS, TableSchema
from warehouse.statement import first_line

# delta-rs itself retries a commit that lost a race against one that does not concern it; this is for the others.
TRIES = 20
# Commits between two checkpoints of the log. A reader reads the last one and every entry since: with delta-rs's 100,
# reading three logs of 166 commits took 106 ms of a publication, with 20 it takes 24 ms.
CHECKPOINT_INTERVAL = 20


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file the log says is part of the table.

    Attributes:
        path: relative to the table's folder.
        month: of its commit, as `2026-11`.
        first_run_id: smallest run id in it.
        last_run_id: largest run id in it; the same where it holds one run.
        status: of the runs in it, in the table of runs, where all have the same; None elsewhere.
    """

    path: str
    size_bytes: int
    row_count: int
    month: str
    first_run_id: str
    last_run_id: str
    status: str | None = None

    @property
    def only_run_id(self) -> str | None:
        """The run, where it holds one; None where compaction merged complete runs into it."""
        return self.first_run_id if self.first_run_id == self.last_run_id else None


class TableLog:
    """The log of one table, as of the last refresh."""

    def __init__(self, layout: Layout, of: TableSchema) -> None:
        self.of = of
        self.place: Place = Folder(layout.table(of.name))
        with _explained(self.place.url):
            self._delta = DeltaTable(self.place.url)

    @classmethod
    def create(cls, layout: Layout, of: TableSchema) -> None:
        """Make the table where there is none; several processes may try at once."""
        folder = layout.table(of.name)
        if DeltaTable.is_deltatable(str(folder)):
            return
        with suppress(CommitFailedError):  # another process was faster
            DeltaTable.create(
                folder,
                of.log_schema,
                mode="ignore",
                partition_by=[PARTITION],
                name=of.name,
                configuration={"delta.checkpointInterval": str(CHECKPOINT_INTERVAL)},
            )
        Folder(folder).settle([0])

    @property
    def version(self) -> int:
        """Number of the newest commit seen."""
        return int(self._delta.version())

    def attempt_of(self, key: str) -> int:
        """The attempt under which `key` was committed last; 0 where it never was."""
        return int(self._delta.transaction_version(key) or 0)

    def files(self) -> tuple[LiveFile, ...]:
        """Every file of the table, oldest month and smallest name first."""
        actions = pa.table(self._delta.get_add_actions(flatten=True))
        if not actions.num_rows:
            return ()
        names = ("path", "size_bytes", "num_records", f"partition.{PARTITION}", "min.run_id", "max.run_id")
        columns = [actions[name].to_pylist() for name in names]
        columns += [actions[name].to_pylist() for name in ("min.status",) if name in actions.column_names]
        return tuple(sorted((LiveFile(*row) for row in zip(*columns, strict=True)), key=lambda file: file.path))

    def url(self, file: LiveFile) -> str:
        """Where DuckDB reads the file."""
        return f"{self.place.url}/{file.path}"

    def read(self, files: Sequence[LiveFile]) -> pa.Table:
        """Rows of these files, one after the other."""
        tables = [self.place.open(file.path).read() for file in files]
        # Files from before a column was added lack it: it is null there.
        rows = pa.concat_tables([self.of.schema.empty_table(), *tables], promote_options="default")
        return rows.cast(self.of.schema)

    def write(self, table: pa.Table, *, month: str, stem: str) -> LiveFile:
        """Write a file of the table durably; it is part of the table only once a commit adds it.

        Raises:
            WarehouseError: the file system refuses.
        """
        return self._described(self.place.put(table, self.of, month=month, stem=stem), table, month)

    def written(self, path: str) -> LiveFile | None:
        """A file that `write` made, whether or not it is part of the table; None where it is gone or changed."""
        if not self.place.is_unchanged(path):
            return None
        month = path.split("/")[0].removeprefix(f"{PARTITION}=")
        return self._described(path, self.place.open(path).read(), month)

    def _described(self, path: str, table: pa.Table, month: str) -> LiveFile:
        bounds = pc.min_max(table["run_id"])
        statuses = pc.unique(table["status"]) if self.of is RUNS else []
        return LiveFile(
            path,
            self.place.size_bytes(path) or 0,
            table.num_rows,
            month,
            bounds["min"].as_py(),
            bounds["max"].as_py(),
            statuses[0].as_py() if len(statuses) == 1 else None,
        )

    def commit(
        self,
        add: Sequence[LiveFile],
        remove: Sequence[LiveFile] = (),
        *,
        key: str | None = None,
        attempt: int = 1,
        is_rewrite: bool = False,
    ) -> None:
        """Add and remove files in one commit.

        Args:
            add: files that `write` made.
            remove: files of `files()`; readers of an older version keep reading them until vacuum.
            key: with it, the commit happens at most once for this `attempt`, however many processes try.
            attempt: grows each time the same key is committed anew.
            is_rewrite: the same rows in other files.

        Raises:
            CommitFailedError: another commit changed the same files or key first.
            WarehouseError: the file system refuses, or the log is damaged.
        """
        transactions = [Transaction(key, attempt)] if key else []
        # The same rows make the same file under the same name: it stays as it is.
        same = {file.path for file in add} & {file.path for file in remove}
        actions: list[AddAction | RemoveAction] = [
            *(_add(file, not is_rewrite) for file in add if file.path not in same),
            *(_remove(file, not is_rewrite) for file in remove if file.path not in same),
        ]
        properties = CommitProperties(app_transactions=transactions)
        before = self.version
        with _explained(self.place.url):
            self._delta.create_write_transaction(
                actions, "append", self.of.log_schema, [PARTITION], commit_properties=properties
            )
        self.refresh()
        # Ours is one of these: others may have committed before and after it.
        self.place.settle(range(before + 1, self.version + 1))

    def commit_once(self, key: str, attempt: int, change: Callable[[], tuple[list[LiveFile], list[LiveFile]]]) -> bool:
        """Commit what `change` returns (files to add, files to remove) once for this key and attempt.

        Returns:
            Whether this process did it; False where it was done already or another was faster.

        Raises:
            WarehouseError: others kept being faster, or the file system refuses.
        """
        for _ in range(TRIES):
            self.refresh()
            if self.attempt_of(key) >= attempt:
                return False
            add, remove = change()
            try:
                self.commit(add, remove, key=key, attempt=attempt)
            except CommitFailedError:
                continue
            return True
        raise WarehouseError(f"{self.place.url}: other processes kept committing first; try again")

    def refresh(self) -> None:
        """See what others have committed."""
        with _explained(self.place.url):
            self._delta.update_incremental()

    def vacuum(self, retention_hours: int) -> int:
        """Delete files that no version of the last `retention_hours` needs; how many."""
        return len(self._delta.vacuum(retention_hours=retention_hours, dry_run=False, full=True))


def run_statuses(runs: TableLog, wanted: Set[str | None]) -> dict[str, str]:
    """Status of the committed ones of the wanted runs, from the log where it says it, else from the files."""
    statuses = {}
    unsaid = []
    for file in runs.files():
        if file.only_run_id and file.status:
            statuses[file.only_run_id] = file.status
        else:
            unsaid.append(file)
    missing = wanted - statuses.keys() - {None}
    if missing:
        for file in unsaid:
            if any(file.first_run_id <= run_id <= file.last_run_id for run_id in missing if run_id):
                rows = runs.read([file])
                statuses |= dict(zip(rows["run_id"].to_pylist(), rows["status"].to_pylist(), strict=True))
    return statuses


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """What the log's library cannot do, as one sentence; a lost race is passed on as it is."""
    try:
        yield
    except CommitFailedError:
        raise
    except OSError as error:
        raise refused(Path(url), error) from error
    except DeltaError as error:
        raise WarehouseError(
            f"the log of {url} cannot be used: {first_line(error)}; `cliffwatch warehouse verify` says where"
        ) from error


def _add(file: LiveFile, data_change: bool) -> AddAction:
    status = {} if file.status is None else {"status": file.status}
    statistics = {
        "numRecords": file.row_count,
        "minValues": {"run_id": file.first_run_id, **status},
        "maxValues": {"run_id": file.last_run_id, **status},
        "nullCount": {"run_id": 0},
    }
    return AddAction(
        file.path, file.size_bytes, {PARTITION: file.month}, _now_ms(), data_change, json.dumps(statistics)
    )


def _remove(file: LiveFile, data_change: bool) -> RemoveAction:
    return RemoveAction(file.path, data_change, _now_ms(), file.size_bytes, {PARTITION: file.month})


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
