"""The values that are multiplied. Power, and so speed, depends on them: never zeros."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench_core.measure.worker.errors import UnsupportedError
from bench_core.model.case import Operands, OperandSource
from bench_core.model.shape import Shape

Matrix = npt.NDArray[np.float32]

# Of the 60,000 MNIST training images 19.1 % of the pixels are not zero; ink is mostly saturated.
NONZERO_FRACTION = 0.191
SATURATED_FRACTION = 0.5
# The question's own scaling of pixel values 0 to 255.
SCALE = np.float32(1 / 1024)
# Rows generated at once, so that the draws of 60,000 x 784 need no gigabytes of doubles.
BLOCK_ROWS = 4096


@lru_cache(maxsize=2)
def host_operands(operands: Operands, shape: Shape) -> tuple[Matrix, Matrix]:
    """A (rows, inner) and B (inner, units) as float32 on the host.

    Kept by the worker process, so that every child it forks shares them without copying.

    Raises:
        UnsupportedError: MNIST can be neither found nor fetched, or has not the shape asked for.
    """
    if operands.source is OperandSource.MNIST:
        left = _mnist(operands.mnist_path, shape)
    else:
        left = _mnist_like(shape.rows, shape.inner)
    right = np.random.default_rng(operands.seed).standard_normal((shape.inner, shape.units), dtype=np.float32)
    return left, right


def _mnist_like(rows: int, inner: int) -> Matrix:
    """Pixels with MNIST's range, scaling and share of non-zeros; the same for every run."""
    generator = np.random.default_rng(28)  # an image is 28 pixels wide; any fixed number does
    left = np.empty((rows, inner), np.float32)
    for start in range(0, rows, BLOCK_ROWS):
        block = left[start : start + BLOCK_ROWS]
        draw = generator.random(block.shape, dtype=np.float32)
        is_ink = draw < NONZERO_FRACTION
        is_saturated = draw < NONZERO_FRACTION * SATURATED_FRACTION
        gray = generator.integers(1, 256, block.shape, dtype=np.uint8)
        block[:] = np.where(is_saturated, np.uint8(253), gray) * is_ink * SCALE
    return left


def _mnist(path: str | None, shape: Shape) -> Matrix:
    images = _load_images(path)
    pixels = images.reshape(len(images), -1)
    if shape.inner != pixels.shape[1] or shape.rows > len(pixels):
        raise UnsupportedError(
            f"mnist has {len(pixels)} images of {pixels.shape[1]} pixels; the shape {shape} needs "
            f"{shape.rows} of {shape.inner}: use mnist-like for other shapes"
        )
    return pixels[: shape.rows].astype(np.float32) * SCALE


def _load_images(path: str | None) -> npt.NDArray[np.uint8]:
    if path is not None:
        return _read_npz(Path(path))
    try:
        from tensorflow.keras.datasets import mnist

        (images, _), _ = mnist.load_data()
    except Exception as error:  # keras raises a bare Exception when the download fails
        raise UnsupportedError(
            f"mnist can be neither found in ~/.keras/datasets nor fetched ({_first_line(error)}): "
            "name a local mnist.npz with --mnist, or use mnist-like"
        ) from None
    return np.asarray(images, np.uint8)


def _read_npz(path: Path) -> npt.NDArray[np.uint8]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return np.asarray(archive["x_train"], np.uint8)
    except KeyError:
        raise UnsupportedError(f"{path} has no array x_train: it is not the mnist.npz of keras") from None
    except OSError as error:
        raise UnsupportedError(f"{path} cannot be read as mnist.npz: {_first_line(error)}") from None
    except ValueError:  # numpy's own message advises to unpickle what cannot be trusted
        raise UnsupportedError(f"{path} cannot be read as mnist.npz: it is no archive of arrays") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
