"""The same sweep under several TensorFlow versions: is the suggested upgrade worth it?

    python -m bench.tensorflow_versions 2.12.1 2.21.0 [--rounds 5]

Install them first: make tensorflow VERSION=2.12.1
"""

import argparse
import statistics

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.model.case import Case, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation

SHAPE = Shape(256, 784, 512)
EPOCHS = 100
PRECISIONS = (Precision.FP32, Precision.BF16, Precision.FP16)
ONE_SAMPLE = SamplingPlan(min_samples=1, max_samples=1, budget_s=3.0)


def gflop_per_s(client: MeasureClient, version: str, precision: Precision) -> float:
    """Rate of one sample of the control under that TensorFlow."""
    mitigation = Mitigation.parse(f"none+tensorflow:{version}")
    result = client.measure(Case(client.device, SHAPE, precision, mitigation, EPOCHS, sampling=ONE_SAMPLE))
    if not result.steady_samples:
        raise SystemExit(f"tensorflow:{version}: {result.reason}")
    return SHAPE.flop_per_epoch * result.epoch_count / result.steady_samples[0].wall_time_ns


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"| {SHAPE}, GFLOP/s | {' | '.join(arguments.versions)} | last / first |")
    print("|---" * (len(arguments.versions) + 2) + "|")
    with MeasureClient(resolve("cpu"), isolation=Isolation.CURVE) as client:
        for precision in PRECISIONS:
            rounds = [
                [gflop_per_s(client, version, precision) for version in arguments.versions]
                for _ in range(arguments.rounds)
            ]
            medians = [statistics.median(rates) for rates in zip(*rounds, strict=True)]
            ratio = statistics.median(rates[-1] / rates[0] for rates in rounds)
            print(f"| {precision} | {' | '.join(f'{rate:.3g}' for rate in medians)} | {ratio:.3g} |", flush=True)
    print(f"\nMedians of {arguments.rounds} interleaved rounds of one sample of {EPOCHS} epochs or 3 s, device `cpu`.")


if __name__ == "__main__":
    main()
