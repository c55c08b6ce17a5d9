"""Begin a run in the warehouse named by the first argument, add one case, say so and wait to be killed."""

import sys
from pathlib import Path

import made

from warehouse.store import Warehouse

writer = Warehouse.open(Path(sys.argv[1])).begin(made.run())
writer.add(made.measured())
print("added", flush=True)
sys.stdin.read()
