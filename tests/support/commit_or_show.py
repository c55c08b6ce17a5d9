"""Commit a run, or show when the runs began, in whatever time zone the environment says.

Arguments: the warehouse's folder, then `commit` and a run id, or `show`.
"""

import sys
from pathlib import Path

import made

from bench_core.model.run import RunStatus
from warehouse.store import Warehouse

warehouse = Warehouse.open(Path(sys.argv[1]))
if sys.argv[2] == "commit":
    writer = warehouse.begin(made.run(sys.argv[3]))
    writer.add(made.measured())
    writer.commit(RunStatus.COMPLETE)
else:
    for (started_at,) in warehouse.query("select started_at from runs order by started_at").rows:
        print(started_at)
