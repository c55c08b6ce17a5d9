"""From timings to their cause: one entry for the three kinds of table."""

from bench_core.analyze.diagnose_curve import diagnose_curve
from bench_core.analyze.diagnose_series import diagnose_series
from bench_core.analyze.diagnose_sizes import diagnose_sizes
from bench_core.model.curve import CallSeries, Observations, ScalingCurve
from bench_core.model.diagnosis import Diagnosis


def diagnose(observations: Observations) -> Diagnosis:
    """The cause that explains the timings best, or `inconclusive` with what is missing.

    Args:
        observations: separate loops of N epochs, one call after the other, or problem sizes.
    """
    if isinstance(observations, ScalingCurve):
        return diagnose_curve(observations)
    if isinstance(observations, CallSeries):
        return diagnose_series(observations)
    return diagnose_sizes(observations)
