"""What the pipeline costs beside what it measures: wall time over measured time of 60 cases of half a second.

    python -m bench.pipeline [--rounds 3]

One Prefect server runs throughout; `cliffwatch run` is called as anybody calls it, with a child per curve and with a
child per case, in turn. In the same run: what a fresh process with its own import of TensorFlow costs per case instead.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.model.case import Case, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.shape import Shape
from flows.folders import cache_folder
from flows.temporary_server import TemporaryServer

SHAPE = Shape(512, 784, 512)
MITIGATIONS = ("none", "graph_loop_kept", "merged")
EPOCH_COUNTS_A_CURVE = 20
CASE_S = 0.5
SAMPLES_A_CASE = 2
FRESH_CASES = 3


def epoch_counts() -> list[int]:
    """Twenty neighbouring epoch counts whose two samples take about half a second on this machine."""
    with MeasureClient(resolve("cpu-async")) as client:
        result = client.measure(case(client, 200))
    s_per_epoch = result.measured_time_ns / 1e9 / SAMPLES_A_CASE / 200
    middle = round(CASE_S / SAMPLES_A_CASE / s_per_epoch)
    first = max(1, middle - EPOCH_COUNTS_A_CURVE // 2)
    return list(range(first, first + EPOCH_COUNTS_A_CURVE))


def case(client: MeasureClient, epoch_count: int) -> Case:
    """One case of the control."""
    plan = SamplingPlan(min_samples=SAMPLES_A_CASE, max_samples=SAMPLES_A_CASE)
    return Case(client.device, SHAPE, Precision.FP32, Mitigation(), epoch_count, sampling=plan)


def pipeline_ratio(counts: list[int], isolation: str, server: TemporaryServer) -> tuple[float, float]:
    """Wall time over measured time of a run, and its measured time in seconds."""
    spec = "\n".join(
        (
            'name = "pipeline"',
            'device = "cpu-async"',
            f'shape = "{SHAPE}"',
            f"epochs = {counts}",
            f"mitigations = {list(MITIGATIONS)}",
            f"[sampling]\nmin_samples = {SAMPLES_A_CASE}\nmax_samples = {SAMPLES_A_CASE}",
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.toml"
        path.write_text(spec)
        command = [sys.executable, "-m", "flows.cli", "run", str(path), "--isolation", isolation, "--json"]
        command += ["--warehouse", str(Path(folder) / "warehouse")]
        environment = os.environ | {"PREFECT_API_URL": server.api_url, "PREFECT_HOME": str(server.home)}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    timing = json.loads(done.stdout)["timing"]
    return timing["wall_time_s"] / timing["measured_time_s"], timing["measured_time_s"]


def fresh_process_ratio(epoch_count: int) -> float:
    """The same ratio when every case pays for a process and an import of its own."""
    ratios = []
    for _ in range(FRESH_CASES):
        started_s = time.monotonic()
        with MeasureClient(resolve("cpu-async")) as client:
            measured_s = client.measure(case(client, epoch_count)).measured_time_ns / 1e9
        ratios.append((time.monotonic() - started_s) / measured_s)
    return statistics.median(ratios)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    round_count = parser.parse_args().rounds
    counts = epoch_counts()
    found: dict[str, list[tuple[float, float]]] = {"curve": [], "case": []}
    with tempfile.TemporaryDirectory() as folder, TemporaryServer(cache_folder(), log=Path(folder) / "log") as server:
        server.start()
        server.wait_until_ready()
        for _ in range(round_count):
            for isolation, ratios in found.items():
                ratios.append(pipeline_ratio(counts, isolation, server))
                print(f"a child per {isolation}: {ratios[-1][0]:.3f} ({ratios[-1][1]:.1f} s measured)", flush=True)
    for isolation, ratios in found.items():
        print(f"a child per {isolation}: median {statistics.median(ratio for ratio, _ in ratios):.3f}")
    print(f"a fresh process per case: {fresh_process_ratio(counts[0]):.1f}")


if __name__ == "__main__":
    main()
