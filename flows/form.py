"""The form of an ad-hoc run: what a person may choose, with its limits, and nothing that reaches beyond a sweep.

No field is a path, a command, a package or a Python object. The server enforces every limit before a run starts.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from bench_core.model.case import Hold, OperandSource, Precision
from bench_core.model.mitigation import CONTROL, SETTINGS, STRATEGIES
from bench_core.model.spec import MAX_EPOCH_COUNT, Isolation, SweepSpec, build_spec

RUN_ID = r"^\d{8}T\d{6}Z-[0-9a-f]{6}$"


def _plain_settings() -> list[str]:
    """Settings that take no argument: the others are for spec files."""
    return [name for name, (argument, _) in SETTINGS.items() if not argument]


MitigationChoice = StrEnum(  # type: ignore[misc]  # members come from the catalogue, so that a new one shows at once
    "MitigationChoice", {name: name for name in (*STRATEGIES, *_plain_settings()) if name != CONTROL}
)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Comparison(_Section):
    """What is compared. The control `none`, the question's loop, is always measured."""

    epochs: list[Annotated[int, Field(ge=1, le=MAX_EPOCH_COUNT)]] = Field(
        [100, 400, 1000, 2000],
        title="Epoch counts",
        min_length=1,
        max_length=100,
        description="How many matmuls are issued back to back; one row each. The cliff shows from 1,024 on.",
    )
    precisions: list[Precision] = Field(
        [Precision.FP32], title="Precisions", min_length=1, description="tf32 needs an NVIDIA GPU."
    )
    mitigations: list[MitigationChoice] = Field(
        [MitigationChoice("graph_loop_kept")],
        title="Mitigations",
        description="; ".join(f"{name}: {text}" for name, text in STRATEGIES.items() if name != CONTROL),
    )


class Place(_Section):
    """Where and on what."""

    device: str = Field(
        "auto",
        title="Device",
        pattern=r"^(auto|cpu|cpu-async(:[1-9][0-9]{0,8})?|gpu:[0-9]{1,3})$",
        description="auto, cpu, cpu-async[:CAPACITY] or gpu:N; auto is the first GPU, else cpu-async.",
    )
    shape: str = Field(
        "auto",
        title="Shape",
        pattern=r"^(auto|[1-9][0-9]{0,9}x[1-9][0-9]{0,9}x[1-9][0-9]{0,9})$",
        description="ROWSxINNERxUNITS such as 60000x784x51200; auto finds one whose knee can be seen.",
    )
    operands: OperandSource = Field(OperandSource.MNIST_LIKE, title="Values of A")
    hold: Hold = Field(Hold.CONSTANT, title="Hold operands as")


class Effort(_Section):
    """How much measuring."""

    budget_s: float = Field(
        45, title="Budget in seconds", ge=1, le=86_400, description="Measuring to aim for; a sweep above it is refused."
    )
    min_samples: int = Field(3, title="Least samples of each case", ge=1, le=100)
    isolation: Isolation = Field(
        Isolation.CURVE, title="Isolation", description="A fresh child process for each case, or for each curve."
    )
    seed: int = Field(1, title="Seed", ge=0, le=2**32 - 1, description="Order of the cases and values of B.")


def to_spec(comparison: Comparison, place: Place, effort: Effort) -> SweepSpec:
    """The sweep a form asks for.

    Raises:
        SpecError: what only the whole can tell, such as a shape that overflows.
    """
    values: dict[str, Any] = {
        "name": "adhoc",
        "epochs": comparison.epochs,
        "precisions": list(comparison.precisions),
        "mitigations": [CONTROL, *(str(choice) for choice in comparison.mitigations)],
        "sampling": {"min_samples": effort.min_samples, "max_samples": max(10, effort.min_samples)},
        "budget_s": effort.budget_s,
        "isolation": effort.isolation,
        "seed": effort.seed,
    }
    return build_spec(values | place.model_dump())
