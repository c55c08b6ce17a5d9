"""Measure into a small file system until it is full, give it more room, and start again.

Run inside a mount namespace of its own. Arguments: the folder to mount over, and the bytes left for a commit (0: go on
measuring until the disk is full). Prints the refusal, whether every acknowledged case is there, and the run.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import made

from bench_core.model.errors import WarehouseError
from bench_core.model.run import RunStatus
from warehouse.store import Warehouse

mount = Path(sys.argv[1])
room_bytes = int(sys.argv[2])


def mounted(*options: str) -> None:
    subprocess.run(["mount", *options, "tmpfs", str(mount)], check=True)


mounted("-t", "tmpfs", "-o", "size=4m")
warehouse = Warehouse.open(mount / "warehouse")
writer = warehouse.begin(made.run())
kept = []
try:
    for epoch_count in range(1, 4000):
        result = made.measured(made.case(epoch_count))
        noise = tuple(sorted(int.from_bytes(os.urandom(5), "big") for _ in range(2000)))
        samples = tuple(replace(sample, enqueue_time_ns=2**41, call_end_ns=noise) for sample in result.samples)
        writer.add(replace(result, samples=samples))
        kept.append(epoch_count)
        if room_bytes and epoch_count == 3:
            free = os.statvfs(mount)
            (mount / "others.bin").write_bytes(bytes(free.f_bavail * free.f_frsize - room_bytes))
            writer.commit(RunStatus.COMPLETE)
            break
except WarehouseError as error:
    print(error)
    writer.close()
mounted("-o", "remount,size=64m")
warehouse = Warehouse.open(mount / "warehouse")
found = [row[0] for row in warehouse.query("select epoch_count from all_runs.cases order by 1").rows]
print("kept" if kept and found == kept else f"lost: {found} of {kept}")
print(*warehouse.query("select status, case_count from all_runs.runs").rows[0])
