"""The matmul of one epoch: (rows x inner) @ (inner x units)."""

import re
from dataclasses import dataclass

# 2**31 - 1 elements is where BLAS interfaces with 32-bit integers overflow along one dimension.
MAX_DIMENSION = 2**31 - 1
# One epoch above 2**63 bytes or FLOP could not be stored in the warehouse's 64-bit columns.
MAX_STORED = 2**63 - 1

_PATTERN = re.compile(r"\s*(\d{1,19})\s*[xX×]\s*(\d{1,19})\s*[xX×]\s*(\d{1,19})\s*")


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """Dimensions of `A (rows, inner) @ B (inner, units)`; each at least 1.

    Raises:
        ValueError: a dimension out of range, or a product that overflows 64 bits.
    """

    rows: int
    inner: int
    units: int

    def __post_init__(self) -> None:
        for name in ("rows", "inner", "units"):
            value = getattr(self, name)
            if not 1 <= value <= MAX_DIMENSION:
                raise ValueError(f"{name} must be from 1 to {MAX_DIMENSION}, got {value}")
        if self.flop_per_epoch > MAX_STORED:
            raise ValueError(
                f"{self} needs {self.flop_per_epoch:.3g} FLOP an epoch, above the 2**63 that can be stored"
            )

    @classmethod
    def parse(cls, text: str) -> "Shape":
        """Read `ROWSxINNERxUNITS`, for example `60000x784x51200`."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(f"need ROWSxINNERxUNITS such as 60000x784x51200, got {text!r}")
        rows, inner, units = (int(group) for group in match.groups())
        return cls(rows, inner, units)

    def __str__(self) -> str:
        return f"{self.rows}x{self.inner}x{self.units}"

    @property
    def flop_per_epoch(self) -> int:
        """A multiplication and an addition for each of rows * inner * units."""
        return 2 * self.rows * self.inner * self.units

    @property
    def operand_elements(self) -> int:
        """Elements of A and B together."""
        return self.rows * self.inner + self.inner * self.units

    @property
    def product_elements(self) -> int:
        """Elements of the product."""
        return self.rows * self.units
