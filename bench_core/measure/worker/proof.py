"""Untimed passes that show whether a strategy does its work: counted, right, and in the precision asked for."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from bench_core.measure.worker.profile import count_matmuls
from bench_core.measure.worker.strategies import Issuer, Strategy, Work
from bench_core.model.case import Precision
from bench_core.model.proof import CountMethod, Proof

Matrix = npt.NDArray[np.float64]

# Enough that a tenth of the epochs, left out, is two matmuls.
COUNTED_EPOCHS = 20
# Elements looked at of a product, and draws of operands where a strategy shows only one element.
SAMPLED_ELEMENTS = 64
DRAWS = 12
# Operands of this size multiply below fp16's smallest number (6e-8) but not below tf32's or bf16's.
TINY = 1e-9
# Error relative to the root sum of squares of the terms, by how many bits of the operands were used. Rounding both
# operands to 11 bits (tf32, fp16) gives 2.8e-4, to 8 bits (bf16) 2.3e-3; fp32 stays near 1e-7 times a small factor
# for the order of summation. Each limit lies a factor of 5 or more from what it separates.
FP32_LIMIT = 3e-5
ELEVEN_BITS_LIMIT = 1e-3
EIGHT_BITS_LIMIT = 2e-2
UNKNOWN = "unknown"

# Makes fresh operands of two shapes.
Draw = Callable[[np.random.Generator, Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors of the elements looked at."""

    max_rel_error: float
    rms_rel_error: float


def prove(strategy: Strategy, work: Work, precision: Precision) -> Proof:
    """Count a strategy's matmuls on its own operands and check its products on fresh random ones."""
    executed, expected = _count(strategy(work))
    errors = _probe(strategy, work, _random_operands)
    tiny = _probe(strategy, work, _tiny_operands) if errors and precision.is_stored_in_32_bits else None
    return Proof(
        expected_matmuls=expected,
        executed_matmuls=executed,
        count_method=CountMethod.NO_COUNTER if executed is None else CountMethod.PROFILER,
        max_rel_error=errors.max_rel_error if errors else None,
        rms_rel_error=errors.rms_rel_error if errors else None,
        tiny_rel_error=tiny.rms_rel_error if tiny else None,
        ran_as=_ran_as(precision, errors, tiny, lambda: _probe(strategy, work, _selecting_operands)),
    )


def _wait() -> None:
    """The proof's own wait for the device: the one that is timed is among what it checks."""
    tf.test.experimental.sync_devices()


def _count(issuer: Issuer) -> tuple[int | None, int]:
    """Executed (None where no counter sees this strategy) and expected matmuls of a short pass."""
    issued = issuer.issue(COUNTED_EPOCHS)

    def run() -> None:
        for _ in range(issued.call_count):
            issued.call()
        _wait()

    run()
    executed = count_matmuls(run)
    if executed == 0 and not _has_counter(issuer):
        return None, issued.matmul_count
    return executed, issued.matmul_count


def _has_counter(issuer: Issuer) -> bool:
    """Whether the profiler would see a matmul issued the way this strategy issues it.

    XLA's CPU code under older TensorFlow leaves no events: none counted is then no evidence that none ran.
    """
    if not getattr(issuer.function, "_jit_compile", None):
        return True
    compiled = tf.function(lambda x: tf.matmul(x, x), jit_compile=True)
    square = tf.ones((64, 64))

    def run() -> None:
        compiled(square)
        _wait()

    run()
    return count_matmuls(run) > 0


def _probe(strategy: Strategy, work: Work, draw: Draw) -> Errors | None:
    """Errors on operands the strategy has not seen when it was set up; None where it returns nothing to look at."""
    generator = np.random.default_rng(1)
    left, right = (tf.Variable(tf.zeros_like(operand)) for operand in (work.left, work.right))
    issuer = strategy(Work(left, right, work.drain, work.argument, work.free_bytes))
    found: list[float] = []
    for _ in range(DRAWS):
        for variable, values in zip((left, right), draw(generator, left.shape, right.shape), strict=True):
            variable.assign(tf.cast(values, variable.dtype))
        shown = _show(issuer)
        if shown is None:
            return None
        found += _errors(left, right, shown, generator)
        if len(found) >= SAMPLED_ELEMENTS:
            break
    squares = [error**2 for error in found]
    return Errors(max(found), math.sqrt(sum(squares) / len(squares)))


def _random_operands(generator: np.random.Generator, left: Any, right: Any) -> tuple[Any, Any]:
    return generator.standard_normal(left, np.float32), generator.standard_normal(right, np.float32)


def _tiny_operands(generator: np.random.Generator, left: Any, right: Any) -> tuple[Any, Any]:
    scale = np.float32(math.sqrt(TINY))
    x, y = _random_operands(generator, left, right)
    return x * scale, y * scale


def _selecting_operands(generator: np.random.Generator, left: Any, right: Any) -> tuple[Any, Any]:
    """Random A, and a B that picks one element of each row: no sum hides how many bits of it were used."""
    picks = np.zeros(tuple(right), np.float32)
    picks[np.arange(right[1]) % right[0], np.arange(right[1])] = 1
    return generator.standard_normal(left, np.float32), picks


def _show(issuer: Issuer) -> Any:
    """What a sample of one epoch returns."""
    issued = issuer.issue(1)
    shown = None
    for _ in range(issued.call_count):
        shown = issued.call()
    _wait()
    return shown


def _errors(left: Any, right: Any, shown: Any, generator: np.random.Generator) -> list[float]:
    """Relative errors of sampled elements of a product, or of the one element a kept loop shows."""
    rows, units = left.shape[0], right.shape[1]
    if shown.shape.rank == 0:
        places = np.zeros((1, 2), np.int64)
        values = np.asarray([float(shown)])
    else:
        places = generator.integers((0, 0), (rows, units), (SAMPLED_ELEMENTS, 2))
        values = _float64(tf.gather_nd(shown, places))
    # Terms of each sampled element: shape (elements, inner).
    terms = _float64(tf.gather(left, places[:, 0])) * _float64(tf.gather(right, places[:, 1], axis=1)).T
    scale = np.sqrt((terms**2).sum(axis=1))
    return list(np.abs(values - terms.sum(axis=1)) / np.where(scale > 0, scale, 1.0))


def _float64(tensor: Any) -> Matrix:
    return np.asarray(tf.cast(tensor, tf.float64).numpy())


def _ran_as(
    precision: Precision, errors: Errors | None, tiny: Errors | None, select: Callable[[], Errors | None]
) -> str | None:
    """The precision the errors show, for the type the operands are stored in."""
    if errors is None:
        return None
    error = errors.rms_rel_error
    if precision is Precision.BF16:
        return precision.value if error < EIGHT_BITS_LIMIT else UNKNOWN
    if precision is Precision.FP16:
        # Sums kept in fp16, as TensorFlow 2.12 does on the CPU, err like bf16 operands: look at single elements.
        picked = errors if error < ELEVEN_BITS_LIMIT else select()
        return precision.value if picked and picked.rms_rel_error < ELEVEN_BITS_LIMIT else UNKNOWN
    if error < FP32_LIMIT:
        return Precision.FP32.value
    if error < ELEVEN_BITS_LIMIT:
        vanishes = tiny is None or tiny.rms_rel_error > EIGHT_BITS_LIMIT
        return (Precision.FP16 if vanishes else Precision.TF32).value
    return Precision.BF16.value if error < EIGHT_BITS_LIMIT else UNKNOWN
