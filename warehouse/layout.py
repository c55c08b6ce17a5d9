"""Where everything lies in a warehouse folder."""

from dataclasses import dataclass
from pathlib import Path

FORMAT = 2


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths under the root of a warehouse; nothing here touches the disk."""

    root: Path

    @property
    def format_file(self) -> Path:
        """Says which layout this folder has."""
        return self.root / "format.json"

    @property
    def catalog(self) -> Path:
        """The DuckDB file with every view, replaced as a whole after each commit."""
        return self.root / "warehouse.duckdb"

    @property
    def publish_lock(self) -> Path:
        """Held while the log is read and the catalog replaced, so that no older catalog replaces a newer one."""
        return self.root / "publish.lock"

    @property
    def tables(self) -> Path:
        """One Delta table a folder."""
        return self.root / "tables"

    @property
    def staging(self) -> Path:
        """One folder a run that is being measured or was killed."""
        return self.root / "staging"

    @property
    def staging_lock(self) -> Path:
        """Held while a staging folder is made or looked at, never while measuring."""
        return self.root / "staging.lock"

    @property
    def quarantine(self) -> Path:
        """Damaged files with, beside each, a JSON file that says why."""
        return self.root / "quarantine"

    def table(self, name: str) -> Path:
        """Folder of one Delta table."""
        return self.tables / name
