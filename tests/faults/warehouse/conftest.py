from pathlib import Path

import pytest

from warehouse.store import Warehouse


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "warehouse"


@pytest.fixture
def warehouse(root: Path) -> Warehouse:
    return Warehouse.open(root)
