"""How much a sample slows down while another process takes a share of a core.

    python -m bench.disturbance [--pairs 10]

Each pair is a sample beside a process that is busy for that share of every 20 ms, and one without.
"""

import argparse
import subprocess
import sys

from bench.estimates import EPOCHS, sample_seconds
from bench.ratios import paired_ratio
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.model.spec import Isolation

SHARES = (0.1, 0.25, 0.5, 1.0)
BUSY = """
import sys, time
share = float(sys.argv[1])
while True:
    end_s = time.monotonic() + 0.02 * share
    while time.monotonic() < end_s:
        pass
    time.sleep(0.02 * (1 - share))
"""


def disturbed_seconds(client: MeasureClient, share: float) -> float:
    """Wall time of a sample beside a busy process."""
    other = subprocess.Popen([sys.executable, "-c", BUSY, str(share)])
    try:
        return sample_seconds(client, EPOCHS)
    finally:
        other.kill()
        other.wait()


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10)
    pair_count = parser.parse_args().pairs
    with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as client:
        sample_seconds(client, EPOCHS)
        for share in SHARES:
            pairs = [(disturbed_seconds(client, share), sample_seconds(client, EPOCHS)) for _ in range(pair_count)]
            print(f"beside {share} of a core: {paired_ratio(*zip(*pairs, strict=True))}", flush=True)


if __name__ == "__main__":
    main()
