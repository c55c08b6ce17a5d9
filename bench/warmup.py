"""How far apart quiet samples as short as those of a warm-up are: what a trend in the warm-up must exceed.

    python -m bench.warmup [--samples 200]

Printed: quantiles of one sample's cost over that of the sample two before it, in the steady state.
"""

import argparse

import numpy as np

from bench.estimates import sample_seconds
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.measure.worker.sampling import WARMUP_MAX_EPOCHS
from bench_core.model.spec import Isolation


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    sample_count = parser.parse_args().samples
    with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
        sample_seconds(client, WARMUP_MAX_EPOCHS)
        costs = np.array([sample_seconds(client, WARMUP_MAX_EPOCHS) for _ in range(sample_count)])
    shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    quantiles = np.quantile(costs[2:] / costs[:-2], shares)
    print(", ".join(f"q{share:.0%} {value:.3f}" for share, value in zip(shares, quantiles, strict=True)))


if __name__ == "__main__":
    main()
