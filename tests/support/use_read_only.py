"""Read from and write to a warehouse on a file system mounted read-only; the argument is its folder."""

import subprocess
import sys
from pathlib import Path

from bench_core.model.errors import WarehouseError
from warehouse.store import Warehouse

root = Path(sys.argv[1])
subprocess.run(["mount", "--bind", root, root], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", root], check=True)
print(*Warehouse.read(root).query("select count(*) from samples").rows[0], "samples")
try:
    Warehouse.open(root)
except WarehouseError as error:
    print(error)
