"""What telemetry costs the measured process: the same samples with and without it, in turn; and how busy it is itself.

python -m bench.telemetry [--pairs 40]
"""

import argparse
import time

from bench.estimates import EPOCHS, sample_seconds
from bench.ratios import paired_ratio
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.measure.telemetry import TelemetrySampler, open_probe
from bench_core.model.spec import Isolation


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40)
    pair_count = parser.parse_args().pairs
    pairs = []
    busy_s = watched_s = 0.0
    with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
        sample_seconds(client, EPOCHS)
        with open_probe(client.device.kind, client.identity) as probe:
            for _ in range(pair_count):
                busy_before_s, before_s = time.process_time(), time.monotonic()
                with TelemetrySampler(probe, client.child_pid):
                    watched = sample_seconds(client, 4 * EPOCHS)
                busy_s += time.process_time() - busy_before_s
                watched_s += time.monotonic() - before_s
                pairs.append((watched, sample_seconds(client, 4 * EPOCHS)))
    print("wall time of a sample with telemetry / without:", paired_ratio(*zip(*pairs, strict=True)))
    print(f"CPU time of the client while it watches: {busy_s / watched_s:.4f} of one core")


if __name__ == "__main__":
    main()
