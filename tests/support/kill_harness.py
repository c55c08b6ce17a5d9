"""Kill writers at random moments of committing, compacting and publishing, with a reader going, and count what is left.

Run as a program it prints the counts: `python tests/support/kill_harness.py --kills 200`.
"""

import argparse
import multiprocessing
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import made

from bench_core.model.run import RunStatus, new_run_id
from warehouse import commit, compact
from warehouse.connect import connect
from warehouse.layout import Layout
from warehouse.store import Warehouse
from warehouse.verify import verify

PHASES = ("staging", "commit", "publish", "compaction")
WRITER_COUNT = 2
RUNS_PER_COMPACTION = 4

# Every run a reader sees must be whole: 2 cases with 4 samples each, each sample with 4 or 8 calls.
HALVES = """
select run_id
from runs
left join (select run_id, count(*) as n, count(distinct case_id) as cases from cases group by run_id) using (run_id)
left join (select run_id, count(*) as samples from samples group by run_id) using (run_id)
left join (select run_id, count(*) as launches from launches group by run_id) using (run_id)
where n is distinct from 2 or cases is distinct from 2 or samples is distinct from 8 or launches is distinct from 48
"""


@dataclass
class Report:
    """What happened; `is_sound` is the claim of the test."""

    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    adopted: int = 0
    queries: int = 0
    failed_queries: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Every acknowledged run is there once, whole, and every query succeeded."""
        return not self.failed_queries and not self.problems

    def __str__(self) -> str:
        kills = ", ".join(f"{count} in {phase}" for phase, count in sorted(self.kills.items()))
        lines = [
            f"kills: {sum(self.kills.values())} ({kills})",
            f"runs acknowledged: {self.acknowledged}; finished or adopted by a later start: {self.adopted}",
            f"queries meanwhile: {self.queries}, failed: {len(self.failed_queries)}",
            *self.failed_queries[:5],
            *(self.problems[:5] or ["every acknowledged run is there once, whole"]),
        ]
        return "\n".join(lines)


def write_until_killed(root: Path, acknowledgements: Path, phase: Any) -> None:
    """Commit one run after the other, and write down each only after its commit returned."""
    commit.commit_rows = _marked(commit.commit_rows, phase, "commit")
    commit.publish = _marked(commit.publish, phase, "publish")
    number = 0
    while True:
        warehouse = Warehouse.open(root)
        for _ in range(RUNS_PER_COMPACTION):
            number += 1
            writer = warehouse.begin(made.run(new_run_id()))
            for epoch_count in (4, 8):
                writer.add(made.measured(made.case(epoch_count)))
            writer.commit(RunStatus.COMPLETE)
            with acknowledgements.open("a") as file:
                file.write(writer.run.run_id + "\n")
        _marked(compact.compact, phase, "compaction")(Layout(root))


def read_until_stopped(root: Path, acknowledged: list[Path], results: Path, stop: Any) -> None:
    """Ask again and again whether any run is half there, or an acknowledged one is missing."""
    count = 0
    while not stop.is_set():
        before = _lines(acknowledged)
        try:
            with connect(Layout(root)) as connection:
                halves = connection.execute(HALVES).fetchall()
                found = {row[0] for row in connection.execute("select run_id from runs").fetchall()}
            failure = f"half runs: {halves}" if halves else None
            missing = before - found
            failure = f"acknowledged but not there: {missing}" if missing else failure
        except Exception as error:  # whatever a reader could meet is a failure of the promise
            failure = f"{type(error).__name__}: {error}"
        count += 1
        time.sleep(0.02)
        if failure:
            with results.open("a") as file:
                file.write(failure.replace("\n", " ") + "\n")
    with results.open("a") as file:
        file.write(f"queries {count}\n")


def torment(root: Path, kill_count: int, seed: int) -> Report:
    """Kill `kill_count` writers, each in a phase and after a delay drawn at random."""
    draw = random.Random(seed)
    report = Report()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["made", "warehouse.store", "warehouse.verify"])
    Warehouse.open(root)
    acknowledgements = [root.parent / f"acknowledged-{i}" for i in range(WRITER_COUNT)]
    phases = [context.Value("i", 0) for _ in range(WRITER_COUNT)]
    stop, results = context.Event(), root.parent / "queries"
    reader = context.Process(target=read_until_stopped, args=(root, acknowledgements, results, stop))
    reader.start()

    def start(i: int) -> BaseProcess:
        process = context.Process(target=write_until_killed, args=(root, acknowledgements[i], phases[i]))
        process.start()
        return process

    writers: list[BaseProcess] = [start(i) for i in range(WRITER_COUNT)]
    try:
        for _ in range(kill_count):
            i = draw.randrange(WRITER_COUNT)
            _wait_for_phase(phases[i], draw.randrange(len(PHASES)), writers[i])
            time.sleep(draw.uniform(0, 0.06))
            _kill(writers[i])
            report.kills[PHASES[phases[i].value]] += 1
            phases[i].value = 0
            writers[i] = start(i)
    except KeyboardInterrupt:  # what was killed until then counts
        pass
    finally:
        for writer in writers:
            writer.kill()
            writer.join()
        stop.set()
        reader.join()
    _examine(root, acknowledgements, results, report)
    return report


def _examine(root: Path, acknowledgements: list[Path], results: Path, report: Report) -> None:
    acknowledged = _lines(acknowledgements)
    warehouse = Warehouse.open(root)
    stored = warehouse.run_ids(all_runs=True)
    report.acknowledged = len(acknowledged)
    report.adopted = len(set(stored) - acknowledged)
    report.problems += [f"lost: {run_id}" for run_id in acknowledged - set(warehouse.run_ids())]
    report.problems += [f"twice: {run_id}" for run_id, count in Counter(stored).items() if count > 1]
    report.problems += [str(problem) for problem in verify(Layout(root))]
    with connect(Layout(root)) as connection:
        report.problems += [f"half there: {row[0]}" for row in connection.execute(HALVES).fetchall()]
    *report.failed_queries, last = results.read_text().splitlines()
    report.queries = int(last.split()[1])


def _marked(function: Callable[..., Any], phase: Any, name: str) -> Callable[..., Any]:
    """The function, showing the killer which phase it is."""

    def marked(*arguments: Any, **options: Any) -> Any:
        phase.value = PHASES.index(name)
        try:
            return function(*arguments, **options)
        finally:
            phase.value = 0

    return marked


def _wait_for_phase(phase: Any, wanted: int, writer: BaseProcess) -> None:
    deadline = time.monotonic() + 20
    while phase.value != wanted and writer.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)


def _kill(process: BaseProcess) -> None:
    if process.pid is not None and process.is_alive():
        process.kill()
    process.join()
    if process.exitcode != -signal.SIGKILL:
        raise RuntimeError(f"a writer ended by itself with status {process.exitcode}")


def _lines(paths: list[Path]) -> set[str]:
    """Whole lines only: the last one may still be being written."""
    texts = [path.read_text() for path in paths if path.exists()]
    return {line for text in texts for line in text.split("\n")[:-1]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = torment(Path(folder) / "warehouse", options.kills, options.seed)
    print(found)
    raise SystemExit(0 if found.is_sound else 1)
