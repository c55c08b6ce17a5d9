"""Are our estimates unbiased? Interleaved pairs of our samples and an independent loop under timeit.

    python -m bench.estimates [--pairs 100]

On `cpu` a pair is one sample of ours and one synchronised loop of as many epochs. On `cpu-async` a pair, of which there
are half as many, is the slope over two separately drained samples, ours and an outer clock's around the same
asynchronous loop. Who comes first alternates, so that a drift of the machine favours neither.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import IO

from bench.ratios import Ratio, paired_ratio
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.model.case import Case, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation

SHAPE = Shape(512, 784, 512)
EPOCHS = 100
SHORT_EPOCHS, LONG_EPOCHS = 100, 600
# Threads of a matmul that has ended go on spinning for up to 0.2 s, and would slow down whoever measures next.
REST_S = 0.3
ONE_SAMPLE = SamplingPlan(min_samples=1, max_samples=1)


class OuterClock:
    """The independent loop, in a process of its own."""

    def __init__(self, requests: IO[str], answers: IO[str]) -> None:
        self._requests, self._answers = requests, answers
        answers.readline()

    def seconds(self, device: str, epoch_count: int) -> float:
        """Wall time of a loop of that many epochs."""
        time.sleep(REST_S)
        self._requests.write(f"{device} {epoch_count}\n")
        self._requests.flush()
        return float(self._answers.readline())


@contextmanager
def outer_clock() -> Iterator[OuterClock]:
    """Start and end the independent loop."""
    command = [sys.executable, "-m", "bench.outer_clock", str(SHAPE)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield OuterClock(process.stdin, process.stdout)
        process.stdin.close()


def sample_seconds(client: MeasureClient, epoch_count: int) -> float:
    """Wall time of one of our samples."""
    case = Case(client.device, SHAPE, Precision.FP32, Mitigation(), epoch_count, sampling=ONE_SAMPLE)
    (sample,) = client.measure(case).steady_samples
    return sample.wall_time_ns / 1e9


def our_seconds(client: MeasureClient, epoch_count: int) -> float:
    """The same, after the independent loop's threads have come to rest."""
    time.sleep(REST_S)
    return sample_seconds(client, epoch_count)


def synchronous(client: MeasureClient, clock: OuterClock, pair_count: int) -> Ratio:
    """Our sample over the synchronised loop."""
    return paired_ratio(
        *_interleaved(lambda: our_seconds(client, EPOCHS), lambda: clock.seconds("cpu", EPOCHS), pair_count)
    )


def asynchronous(client: MeasureClient, clock: OuterClock, pair_count: int) -> tuple[Ratio, Ratio]:
    """Our slope over the outer clock's, and over the synchronised cost of an epoch."""
    synchronized = []

    def outer_slope() -> float:
        synchronized.append(clock.seconds("cpu", LONG_EPOCHS - SHORT_EPOCHS))
        return clock.seconds("cpu-async", LONG_EPOCHS) - clock.seconds("cpu-async", SHORT_EPOCHS)

    def our_slope() -> float:
        return our_seconds(client, LONG_EPOCHS) - our_seconds(client, SHORT_EPOCHS)

    ours, outer = _interleaved(our_slope, outer_slope, pair_count)
    return paired_ratio(ours, outer), paired_ratio(ours, synchronized)


def _interleaved(
    ours: Callable[[], float], outer: Callable[[], float], pair_count: int
) -> tuple[list[float], list[float]]:
    """Both measured pair by pair, ours first in every other pair."""
    measured: tuple[list[float], list[float]] = ([], [])
    for pair in range(pair_count):
        for which, measure in sorted(enumerate((ours, outer)), key=itemgetter(0), reverse=bool(pair % 2)):
            measured[which].append(measure())
    return measured


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100)
    pair_count = parser.parse_args().pairs
    with outer_clock() as clock:
        with MeasureClient(resolve("cpu"), isolation=Isolation.CURVE) as client:
            our_seconds(client, EPOCHS)
            print("cpu: our sample / synchronised timeit loop:", synchronous(client, clock, pair_count), flush=True)
        with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
            our_seconds(client, SHORT_EPOCHS)
            slope, pipelining = asynchronous(client, clock, pair_count // 2)
            print("cpu-async: our slope / outer clock's slope:", slope)
            print("cpu-async: our slope / synchronised cost of an epoch:", pipelining)


if __name__ == "__main__":
    main()
