"""What one long trace says of shorter loops, against separately measured loops.

    python -m bench.trace [--samples 5]

The enqueue reading for every smaller epoch count is in the trace of the largest: the question's whole table from one
loop. Printed: readings off the trace, readings of separate loops, and their ratio.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.model.case import Case, Operands, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import Sample
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation

EPOCH_COUNTS = (100, 200, 500, 1000, 1100, 1200, 1500, 2000)
ONE_SAMPLE = SamplingPlan(min_samples=1, max_samples=1)


def sample(client: MeasureClient, shape: Shape, epoch_count: int) -> Sample:
    """One steady sample of the control."""
    case = Case(client.device, shape, Precision.FP32, Mitigation(), epoch_count, sampling=ONE_SAMPLE)
    return client.measure(case).steady_samples[0]


def rounds(client: MeasureClient, shape: Shape, count: int) -> tuple[list[Sample], list[list[Sample]]]:
    """A trace and one separate loop of every count, in turn, so that drift touches both alike."""
    traces, separate = [], []
    for _ in range(count):
        traces.append(sample(client, shape, EPOCH_COUNTS[-1]))
        separate.append([sample(client, shape, epoch_count) for epoch_count in EPOCH_COUNTS])
    return traces, separate


def report(traces: Sequence[Sample], separate: Sequence[Sequence[Sample]]) -> None:
    """Print the comparison as a Markdown table."""
    print("| epochs | off the trace, s | separate loop, s | ratio | separate loop until drained, s |")
    print("|---|---|---|---|---|")
    for position, epoch_count in enumerate(EPOCH_COUNTS):
        off = np.median([(one.call_end_ns or ())[epoch_count - 1] for one in traces]) / 1e9
        own = np.median([row[position].enqueue_time_ns for row in separate]) / 1e9
        wall = np.median([row[position].wall_time_ns for row in separate]) / 1e9
        print(f"| {epoch_count:,} | {off:.3f} | {own:.3f} | {off / own:.2f} | {wall:.2f} |")
    share = EPOCH_COUNTS[-1] / sum(EPOCH_COUNTS)
    print(f"\nMedians of {len(traces)}; the trace takes {share:.0%} of the epochs of the separate loops.")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5)
    with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
        shape = client.calibrate(Precision.FP32, Operands())
        sample(client, shape, EPOCH_COUNTS[0])
        print(f"shape {shape}\n")
        report(*rounds(client, shape, parser.parse_args().samples))


if __name__ == "__main__":
    main()
