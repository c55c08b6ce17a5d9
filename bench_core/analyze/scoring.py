"""How well a model explains timings: a description length in nats, the smaller the better.

Noise grows with time, so a residual is the logarithm of measured over predicted time. What a model costs is the code
length of its residuals, of its parameters (half a log n each, as in BIC) and of its discrete choices (the log of how
many places a break was looked for, of how many labels were given): a searched break pays for the search, of which an F
test knows nothing. docs/method.md, "Model comparison" and "Cut-offs", has the simulations behind the constants.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# What is known of noise before a table is read: about 3 %, worth two readings. Without it two points, or a table
# rounded to one digit, would be fitted exactly and prove anything.
PRIOR_NOISE = 0.03
PRIOR_READINGS = 2.0


@dataclass(frozen=True, slots=True)
class PriorNoise:
    """What is known of the relative noise of a table's readings beside their distance from a model.

    Attributes:
        reading_count: how many readings that knowledge is worth.
    """

    fraction: float = PRIOR_NOISE
    reading_count: float = PRIOR_READINGS


# One reading in ten may be late for reasons of its own (a page fault, another process), and says so at a price.
OUTLIER_SHARE = 0.1

# A late reading lies anywhere within a factor e**10: code length log(10) beside the log(n) that says which one it is.
_OUTLIER_NATS = math.log(10.0)
_GAUSS_NATS = 0.5 * (1.0 + math.log(2.0 * math.pi))


@dataclass(frozen=True, slots=True)
class Score:
    """What a model costs.

    Attributes:
        nats: description length; differences are log odds.
        noise_fraction: relative noise around the model, outliers left out, the prior counted in.
        outlier_count: readings labelled as late or early for reasons of their own.
    """

    nats: float
    noise_fraction: float
    outlier_count: int


def score(
    seconds: Array,
    predicted_s: Array,
    parameter_count: int,
    choice_nats: float = 0.0,
    *,
    never_late: int = 0,
    prior: PriorNoise | None = None,
) -> Score:
    """The description length of timings under a model.

    Args:
        seconds: measured times, all positive, shape (n,).
        predicted_s: what the model says, same shape; where it is not positive the model is worthless.
        parameter_count: continuous parameters fitted.
        choice_nats: log of the number of alternatives searched.
        never_late: so many first readings are no outliers whatever they are: a late first call has a name, warm-up.
        prior: what is known of the noise; by default 3 %, worth two readings.
    """
    if not np.all(predicted_s > 0):
        return Score(math.inf, math.inf, 0)
    n = len(seconds)
    squares = np.log(seconds / predicted_s) ** 2
    squares = np.concatenate([squares[:never_late], np.sort(squares[never_late:])])
    inlier_counts = np.arange(n - int(n * OUTLIER_SHARE), n + 1)
    sums = np.cumsum(squares)[inlier_counts - 1]
    known = prior or PriorNoise()
    variances = (known.reading_count * known.fraction**2 + sums) / (known.reading_count + inlier_counts)
    nats = (
        (known.reading_count + inlier_counts) * 0.5 * np.log(variances)
        + inlier_counts * _GAUSS_NATS
        + (n - inlier_counts) * (math.log(n) + _OUTLIER_NATS)
    )
    best = int(np.argmin(nats))
    total = float(nats[best]) + 0.5 * parameter_count * math.log(n) + choice_nats
    return Score(total, float(math.sqrt(variances[best])), int(n - inlier_counts[best]))


def noise_variance(squared_residuals: float, degrees_of_freedom: int) -> tuple[float, float]:
    """Variance of the relative noise with the prior counted in, and the degrees of freedom to state intervals with.

    The prior steadies the variance but adds no freedom: a searched knee already costs more of it than is counted.
    """
    counted = max(degrees_of_freedom, 0) + PRIOR_READINGS
    variance = (squared_residuals + PRIOR_READINGS * PRIOR_NOISE**2) / counted
    return variance, max(float(degrees_of_freedom), PRIOR_READINGS)


def t_quantile(degrees_of_freedom: float) -> float:
    """The 97.5 % quantile of Student's t, within 1 % from 2 degrees of freedom on (scipy would cost the start)."""
    # Cornish-Fisher expansion around the normal quantile (Abramowitz and Stegun 26.7.5).
    z, v = 1.959963984540054, max(degrees_of_freedom, 2.0)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / v**power for power, term in enumerate(terms))
