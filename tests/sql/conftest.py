from pathlib import Path

import example_warehouse
import pytest

from warehouse.store import Warehouse


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """The warehouse docs/sql.md asks; read only."""
    folder: Path = tmp_path_factory.mktemp("example")
    return example_warehouse.build(folder / "warehouse")
