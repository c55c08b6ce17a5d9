"""What orchestrating costs, against a running Prefect server.

    python -m bench.orchestration case       # a case as a task run, against bare task.map of no-ops, interleaved
    python -m bench.orchestration pipeline   # 60 cases of 0.5 s: wall time over measured time, by isolation
    python -m bench.orchestration start      # the temporary server's first and later starts
    python -m bench.orchestration thousand   # 1,000 cases in one run: the server's memory and database

Each starts a Prefect server of its own on a free port and ends it. On a machine that is doing something else only the
ratios mean anything: `case` interleaves, the others do not.
"""

import argparse
import logging
import os
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")

import psutil
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client

from bench.ratios import paired_ratio
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import identify
from bench_core.measure.worker_process import WorkerInfo
from bench_core.model.case import Case, DeviceRequest, Operands, Precision
from bench_core.model.result import CaseResult, Outcome, Sample
from bench_core.model.run import Ceiling, Run, RunStatus
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation, SweepSpec, build_spec
from flows.artifact_progress import ArtifactProgress
from flows.begin import begin_run, plan_cases, settle
from flows.prefect_session import settings_of
from flows.progress import Progress
from flows.serving import server_environment, server_process, wait_until_ready
from flows.sweep import measure_run
from flows.temporary_server import TemporaryServer
from warehouse.store import Warehouse
from warehouse.writer import RunWriter

ROUNDS = 10
CASE_COUNT = 100
ISOLATED_CASE_COUNT = 5


class InstantClient:
    """Answers everything at once: what remains is what orchestrating costs."""

    def __init__(self) -> None:
        self.device = DeviceRequest.parse("cpu-async")
        self.identity = identify(self.device)

    def worker_info(self) -> WorkerInfo:
        """No worker process."""
        return WorkerInfo("0", "0", "0", 0.0)

    def measure_ceiling(self, precision: Precision, operands: Operands, shape: Shape) -> Ceiling:
        """No measurement."""
        return Ceiling(1e12, 0.0, str(shape))

    def measure(self, case: Case) -> CaseResult:
        """One sample that took no time."""
        return CaseResult(case, Outcome.MEASURED, (Sample(0, case.epoch_count, False, 0, 1, 1),))


class Quiet:
    """A progress nobody watches."""

    def say(self, message: str) -> None:
        """Nothing."""

    def wait(self, message: str) -> None:
        """Nothing."""

    def start(self, cases: Sequence[Case]) -> None:
        """Nothing."""

    def begin_case(self, case: Case) -> None:
        """Nothing."""

    def end_case(self, result: CaseResult) -> None:
        """Nothing."""


@contextmanager
def prefect_server() -> Iterator[tuple[psutil.Process, Path]]:
    """A server with all of its services; its process and its folder."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = server_environment(folder, port)
        with server_process(environment, folder) as server:
            wait_until_ready(server, environment)
            with settings_of(environment["PREFECT_API_URL"]):
                yield psutil.Process(server.pid), folder


def spec_of(case_count: int, **values: object) -> SweepSpec:
    """A sweep with that many cases of the control, nearly alike."""
    epochs = list(range(100, 100 + case_count))
    settled = {"name": "bench", "device": "cpu-async", "shape": "256x784x512", "epochs": epochs}
    return build_spec(settled | values)


@task(name="no-op", cache_policy=NO_CACHE, persist_result=False)
def nothing(index: int) -> int:
    """What Prefect itself costs a task."""
    return index


@flow(name="bare", persist_result=False)
def bare(count: int) -> None:
    """task.map of no-ops, waited for."""
    nothing.map(range(count)).wait()


class Forgetful:
    """A writer that keeps nothing: what remains is Prefect's part."""

    done_case_ids: frozenset[str] = frozenset()

    def __init__(self, run: Run) -> None:
        self.run = run

    def add(self, result: CaseResult) -> None:
        """Nothing."""

    def commit(self, status: RunStatus) -> None:
        """Nothing."""


def orchestrated(spec: SweepSpec, warehouse: Warehouse, progress: Progress, *, is_kept: bool) -> None:
    """The same number of cases as a run, measured in no time; kept and committed, or not."""
    client = cast(MeasureClient, InstantClient())

    @flow(name="orchestrated", persist_result=False)
    def run() -> None:
        writer = begin_run(spec, client, warehouse, Quiet())
        kept = writer if is_kept else cast(RunWriter, Forgetful(writer.run))
        measure_run(plan_cases(spec), kept, client, progress)

    run()


def case_cost(rounds: int) -> None:
    """A bare flow of no-ops, the same cases orchestrated, and orchestrated and kept, in turn."""
    spec = spec_of(CASE_COUNT)
    bare_s: list[float] = []
    orchestrated_s: list[float] = []
    kept_s: list[float] = []
    with prefect_server(), tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse.open(Path(folder) / "warehouse")
        progress = ArtifactProgress("bench-progress", logging.getLogger("prefect.flow_runs.bench"))
        bare(CASE_COUNT)
        for _ in range(rounds):
            bare_s.append(timed_alone(lambda: bare(CASE_COUNT)))
            orchestrated_s.append(timed_alone(lambda: orchestrated(spec, warehouse, progress, is_kept=False)))
            kept_s.append(timed_alone(lambda: orchestrated(spec, warehouse, progress, is_kept=True)))
    print(f"bare task.map of {CASE_COUNT} no-ops: {statistics.median(bare_s):.2f} s (median of {rounds})")
    for name, seconds in (("orchestrated", orchestrated_s), ("orchestrated and kept", kept_s)):
        added_s = statistics.median(ours - theirs for ours, theirs in zip(seconds, bare_s, strict=True))
        print(f"{name}: ratio {paired_ratio(seconds, bare_s)}, added {added_s:.2f} s")


def pipeline_cost() -> None:
    """Wall time over measured time of 60 cases of half a second."""
    with prefect_server(), tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse.open(Path(folder) / "warehouse")
        for isolation in (Isolation.CURVE, Isolation.CASE):
            wait_until_recorded()
            wall_s, measured_s = measure_sixty(isolation, warehouse)
            print(f"a child per {isolation}: {wall_s:.1f} s for {measured_s:.1f} s measured, {wall_s / measured_s:.2f}")
        wall_s, measured_s = measure_in_fresh_processes()
        print(
            f"a fresh process and import per case: {wall_s:.1f} s for {measured_s:.1f} s measured "
            f"({ISOLATED_CASE_COUNT} cases), {wall_s / measured_s:.2f}"
        )


def measure_sixty(isolation: Isolation, warehouse: Warehouse) -> tuple[float, float]:
    """Wall and measured seconds of one run: ceiling, cases, commit; TensorFlow is loaded before."""
    spec = _half_second_spec(20, ["none", "sync_each", "graph_loop_kept"], isolation)
    with MeasureClient(DeviceRequest.parse(spec.device), isolation=isolation) as client:
        settled = settle(spec, client, Quiet())

        @flow(name="pipeline", persist_result=False)
        def run() -> float:
            writer = begin_run(settled, client, warehouse, Quiet())
            return measure_run(plan_cases(settled), writer, client, Quiet()) / 1e9

        started_s = time.monotonic()
        measured_s = run()
    return time.monotonic() - started_s, measured_s


def measure_in_fresh_processes() -> tuple[float, float]:
    """The same cases with nothing kept between them: every one imports TensorFlow."""
    spec = _half_second_spec(ISOLATED_CASE_COUNT, ["none"], Isolation.CASE)
    measured_ns = 0
    started_s = time.monotonic()
    for case in plan_cases(spec):
        with MeasureClient(case.device) as client:
            client.acquire_device()
            measured_ns += client.measure(case).measured_time_ns
    return time.monotonic() - started_s, measured_ns / 1e9


def start_cost() -> None:
    """First and later starts of the temporary server, alone."""
    with tempfile.TemporaryDirectory() as folder:
        for which in ("first", "second", "third"):
            started_s = time.monotonic()
            with TemporaryServer(Path(folder), log=Path(folder) / "log") as server:
                server.start()
                server.wait_until_ready()
                print(f"{which} start: {time.monotonic() - started_s:.1f} s")


def thousand() -> None:
    """Memory of the server and growth of its database by a run of 1,000 cases."""
    with prefect_server() as (server, home), tempfile.TemporaryDirectory() as folder:
        warehouse = Warehouse.open(Path(folder) / "warehouse")
        progress = ArtifactProgress("bench-progress", logging.getLogger("prefect.flow_runs.bench"))
        orchestrated(spec_of(10), warehouse, progress, is_kept=True)
        before = _resident(server), _database_bytes(home)
        seconds = timed(lambda: orchestrated(spec_of(1000), warehouse, progress, is_kept=True))
        time.sleep(20)  # the server writes task runs from a queue
        after = _resident(server), _database_bytes(home)
    print(f"1,000 cases in {seconds:.1f} s; server memory {before[0] / 1e6:.0f} to {after[0] / 1e6:.0f} MB")
    print(f"database {before[1] / 1e6:.1f} to {after[1] / 1e6:.1f} MB")


def wait_until_recorded() -> None:
    """Return when the server has nothing left to do.

    Task runs reach its database from a queue, after their flow has ended: meanwhile it uses a core, SQLite is locked,
    and the next flow is answered 503 and tries again seconds later.
    """
    with get_client(sync_client=True) as api:
        recorded = -1
        while recorded != (recorded := int(api.request("POST", "/task_runs/count", json={}).json())):
            time.sleep(2.0)


def timed_alone(call: Callable[[], object]) -> float:
    """Seconds of one call on a server that has nothing left to do."""
    wait_until_recorded()
    return timed(call)


def timed(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    started_s = time.monotonic()
    call()
    return time.monotonic() - started_s


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=("case", "pipeline", "start", "thousand"))
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="interleaved rounds of `case`")
    arguments = parser.parse_args()
    measurements = {
        "case": lambda: case_cost(arguments.rounds),
        "pipeline": pipeline_cost,
        "start": start_cost,
        "thousand": thousand,
    }
    measurements[arguments.which]()


def _half_second_spec(epoch_count_count: int, mitigations: Sequence[str], isolation: Isolation) -> SweepSpec:
    """Cases that are sampled until each has had half a second, in samples of about 0.03 s.

    That is a tenth of the shortest sample of the quick preset: what surrounds a sample shows here more than in use.
    """
    sampling = {"min_samples": 1, "max_samples": 1000, "interval_fraction": 1e-6}
    budget_s = 0.5 * epoch_count_count * len(mitigations)
    values = {"mitigations": list(mitigations), "isolation": isolation, "budget_s": budget_s, "sampling": sampling}
    return spec_of(epoch_count_count, shape="64x784x256", **values)


def _resident(process: psutil.Process) -> int:
    """Bytes of the server and what it has started."""
    return sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))


def _database_bytes(home: Path) -> int:
    return sum(path.stat().st_size for path in home.glob("prefect.db*"))


if __name__ == "__main__":
    main()
