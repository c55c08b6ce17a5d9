"""Where everything lies in a warehouse folder."""

from dataclasses import dataclass
from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths under the root of a warehouse; nothing here touches the disk."""

    root: Path

    @property
    def format_file(self) -> Path:
        """Says which layout this folder has."""
        return self.root / "format.json"

    @property
    def staging(self) -> Path:
        """One folder a run that is being measured or was killed."""
        return self.root / "staging"

    @property
    def staging_lock(self) -> Path:
        """Held while a staging folder is made or looked at, never while measuring."""
        return self.root / "staging.lock"

    @property
    def runs(self) -> Path:
        """One folder a committed run."""
        return self.root / "runs"

    @property
    def findings(self) -> Path:
        """One Parquet file a run and diagnosis."""
        return self.root / "findings"
