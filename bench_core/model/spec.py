"""A sweep as a person asks for it: one model for TOML files, the command line and Prefect's form."""

import re
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bench_core.model.case import DeviceRequest, Hold, OperandSource, Precision
from bench_core.model.errors import SpecError
from bench_core.model.mitigation import CONTROL, SETTINGS, STRATEGIES, Mitigation
from bench_core.model.shape import Shape

AUTO = "auto"
PRESETS_DIR = Path(__file__).resolve().parents[2] / "specs"
# A trace of this many calls is 80 MB of 64-bit clock readings a sample; more is a mistake, not a sweep.
MAX_EPOCH_COUNT = 10_000_000

EpochCount = Annotated[int, Field(strict=True, ge=1, le=MAX_EPOCH_COUNT)]


class Isolation(StrEnum):
    """Whether a fresh child process measures each case, or each curve."""

    CASE = "case"
    CURVE = "curve"


class Sampling(BaseModel):
    """When a case has been sampled enough (see SamplingPlan)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_samples: int = Field(3, ge=1, le=1000, description="Samples every case gets, whatever the budget.")
    max_samples: int = Field(10, ge=1, le=100_000, description="No case gets more samples than this.")
    interval_fraction: float = Field(
        0.05, gt=0, le=1, description="Stop once the median's 95 % interval is narrower than this share of it."
    )

    @model_validator(mode="after")
    def _ordered(self) -> "Sampling":
        if self.max_samples < self.min_samples:
            raise ValueError(f"max_samples ({self.max_samples}) must be at least min_samples ({self.min_samples})")
        return self


class SweepSpec(BaseModel):
    """Epochs x precisions x mitigations on one device and shape."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field("adhoc", pattern=r"^[a-z0-9][a-z0-9-]{0,40}$", description="Lower-case name of the sweep.")
    device: str = Field(AUTO, description="auto, cpu, cpu-async[:CAPACITY] or gpu:N.")
    shape: str = Field(AUTO, description="ROWSxINNERxUNITS, or auto: an epoch about ten times its enqueueing.")
    epochs: tuple[EpochCount, ...] = Field(
        (100, 400, 1000), min_length=1, max_length=1000, description="Epoch counts, each drained and timed."
    )
    control_epochs: tuple[EpochCount, ...] = Field(
        (), max_length=1000, description="Further epoch counts for the control `none` alone: its long traces."
    )
    precisions: tuple[Precision, ...] = Field((Precision.FP32,), min_length=1, description="Number formats.")
    mitigations: tuple[str, ...] = Field((CONTROL,), min_length=1, description="STRATEGY[+SETTING...]; needs `none`.")
    isolation: Isolation = Field(Isolation.CASE, description="A fresh child process for each case, or each curve.")
    budget_s: float = Field(
        600.0, gt=0, le=7 * 86_400, description="Seconds of measuring to aim for; every case gets its min_samples."
    )
    timeout_s: float = Field(600.0, gt=0, le=86_400, description="Seconds after which one case is ended from outside.")
    seed: int = Field(1, ge=0, le=2**32 - 1, description="Order of the cases and values of B.")
    operands: OperandSource = Field(OperandSource.MNIST_LIKE, description="Where the values of A come from.")
    mnist_path: str | None = Field(None, description="A local mnist.npz.")
    hold: Hold = Field(Hold.CONSTANT, description="Operands as tf.constant or tf.Variable.")
    sampling: Sampling = Field(default_factory=Sampling, description="When a case has been sampled enough.")

    @field_validator("device")
    @classmethod
    def _known_device(cls, value: str) -> str:
        return value if value == AUTO else str(DeviceRequest.parse(value))

    @field_validator("shape")
    @classmethod
    def _valid_shape(cls, value: str) -> str:
        return value if value == AUTO else str(Shape.parse(value))

    @field_validator("epochs", "control_epochs")
    @classmethod
    def _each_once(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(value)))

    @field_validator("mitigations")
    @classmethod
    def _known_mitigations(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        parsed = tuple(dict.fromkeys(Mitigation.parse(text) for text in value))
        unknown = [name for mitigation in parsed for name in mitigation.unknown_names()]
        if unknown:
            raise ValueError(
                f"unknown {', '.join(unknown)}; strategies are {', '.join(STRATEGIES)}; settings are "
                f"{', '.join(SETTINGS) or 'none yet'}"
            )
        if Mitigation() not in parsed:
            raise ValueError('need "none": without the control nothing can be compared')
        return tuple(str(mitigation) for mitigation in parsed)

    @field_validator("mnist_path")
    @classmethod
    def _is_an_archive(cls, value: str | None) -> str | None:
        if value is not None and not zipfile.is_zipfile(value):
            raise ValueError(f"need the mnist.npz of keras, got {value!r}, which is no such archive")
        return value

    @property
    def parsed_mitigations(self) -> tuple[Mitigation, ...]:
        """The mitigations as values."""
        return tuple(Mitigation.parse(text) for text in self.mitigations)


def build_spec(values: Mapping[str, Any]) -> SweepSpec:
    """A spec from plain values.

    Raises:
        SpecError: names every problem and what is allowed.
    """
    try:
        return SweepSpec.model_validate(dict(values))
    except ValidationError as error:
        raise SpecError(_problems(error.errors())) from None


def load_spec(path: Path) -> SweepSpec:
    """Read a TOML sweep.

    Raises:
        SpecError: unreadable, not TOML, or wrong values; names every problem.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError({str(path): f"cannot be read: {getattr(error, 'strerror', None) or error}"}) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError({str(path): f"is not TOML: {error}"}) from None
    if not values:
        raise SpecError({str(path): f"says nothing; a sweep says at least one of {', '.join(SweepSpec.model_fields)}"})
    return build_spec({"name": _slug(path.stem)} | values)


def preset_names() -> tuple[str, ...]:
    """The sweeps that ship with cliffwatch."""
    return tuple(sorted(path.stem for path in PRESETS_DIR.glob("*.toml")))


def preset(name: str) -> SweepSpec:
    """A sweep that ships with cliffwatch.

    Raises:
        SpecError: no preset of that name.
    """
    if name not in preset_names():
        raise SpecError({"preset": f"need one of {', '.join(preset_names())}, got {name!r}"})
    return load_spec(PRESETS_DIR / f"{name}.toml")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "adhoc"


def _problems(errors: Iterable[Any]) -> dict[str, str]:
    problems: dict[str, list[str]] = {}
    for error in errors:
        if _follows_from_another(error):
            continue
        place = ".".join(str(part) for part in error["loc"] if not isinstance(part, int)) or "spec"
        problems.setdefault(place, []).append(_sentence(error))
    return {place: "; ".join(dict.fromkeys(sentences)) for place, sentences in problems.items()}


def _follows_from_another(error: Any) -> bool:
    """A list whose every item is wrong is not also too short."""
    return error["type"] == "too_short" and bool(error["input"])


def _sentence(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown name; allowed are {', '.join(SweepSpec.model_fields)}"
    if error["type"] == "too_short":
        return "need at least one value, got none"
    message = str(error["msg"]).removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    shown = repr(error["input"])
    return message if error["type"] == "value_error" else f"{message}, got {shown[:60]}"
