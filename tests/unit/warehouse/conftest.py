import shutil
from pathlib import Path

import pytest

from warehouse.store import Warehouse


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse without runs, to copy: making its logs and views takes a third of a second, a copy does not."""
    return Warehouse.open(tmp_path_factory.mktemp("empty") / "warehouse").root


@pytest.fixture
def warehouse(empty: Path, root: Path) -> Warehouse:
    return Warehouse.open(shutil.copytree(empty, root))
