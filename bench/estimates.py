"""Are our estimates unbiased? Interleaved pairs of our samples and an independent loop under timeit.

    python -m bench.estimates [--pairs 30]

On `cpu` a pair is one sample of ours and one synchronised loop of as many epochs. On `cpu-async` a pair is the slope
over two separately drained samples, ours and an outer clock's around the same asynchronous loop.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
SHORT_EPOCHS, LONG_EPOCHS = 100, 400
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


def our_seconds(client: MeasureClient, epoch_count: int) -> float:
    """Wall time of one of our samples."""
    time.sleep(REST_S)
    case = Case(client.device, SHAPE, Precision.FP32, Mitigation(), epoch_count, sampling=ONE_SAMPLE)
    (sample,) = client.measure(case).steady_samples
    return sample.wall_time_ns / 1e9


def synchronous(client: MeasureClient, clock: OuterClock, pair_count: int) -> Ratio:
    """Our sample over the synchronised loop."""
    pairs = [(our_seconds(client, EPOCHS), clock.seconds("cpu", EPOCHS)) for _ in range(pair_count)]
    return paired_ratio(*zip(*pairs, strict=True))


def asynchronous(client: MeasureClient, clock: OuterClock, pair_count: int) -> tuple[Ratio, Ratio]:
    """Our slope over the outer clock's, and over the synchronised cost of an epoch."""
    ours, outer, synchronized = [], [], []
    for _ in range(pair_count):
        ours.append(our_seconds(client, LONG_EPOCHS) - our_seconds(client, SHORT_EPOCHS))
        outer.append(clock.seconds("cpu-async", LONG_EPOCHS) - clock.seconds("cpu-async", SHORT_EPOCHS))
        synchronized.append(clock.seconds("cpu", LONG_EPOCHS - SHORT_EPOCHS))
    return paired_ratio(ours, outer), paired_ratio(ours, synchronized)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=30)
    pair_count = parser.parse_args().pairs
    with outer_clock() as clock:
        with MeasureClient(resolve("cpu"), isolation=Isolation.CURVE) as client:
            our_seconds(client, EPOCHS)
            print("cpu: our sample / synchronised timeit loop:", synchronous(client, clock, pair_count), flush=True)
        with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
            our_seconds(client, SHORT_EPOCHS)
            slope, pipelining = asynchronous(client, clock, pair_count)
            print("cpu-async: our slope / outer clock's slope:", slope)
            print("cpu-async: our slope / synchronised cost of an epoch:", pipelining)


if __name__ == "__main__":
    main()
