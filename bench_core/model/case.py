"""One point of epoch x precision x mitigation, and what it is made of."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from bench_core.model.mitigation import Mitigation
from bench_core.model.shape import Shape

DEFAULT_QUEUE_CAPACITY = 1024


class Precision(StrEnum):
    """Number format of the matmul; tf32 is a compute mode of fp32 data."""

    FP32 = "fp32"
    TF32 = "tf32"
    FP16 = "fp16"
    BF16 = "bf16"

    @property
    def bytes_per_element(self) -> int:
        """Storage of one operand element in bytes."""
        return 4 if self.is_stored_in_32_bits else 2

    @property
    def is_stored_in_32_bits(self) -> bool:
        """Whether operands are stored as fp32, however they are multiplied."""
        return self in (Precision.FP32, Precision.TF32)


class Hold(StrEnum):
    """How the operands are held on the device."""

    CONSTANT = "constant"
    VARIABLE = "variable"


class OperandSource(StrEnum):
    """Where the values of A come from."""

    MNIST = "mnist"
    MNIST_LIKE = "mnist-like"


class DeviceKind(StrEnum):
    """How epochs reach the device: synchronously, through TensorFlow's bounded queue, or through CUDA's."""

    CPU = "cpu"
    CPU_ASYNC = "cpu-async"
    GPU = "gpu"


_DEVICE = re.compile(r"(cpu)|(cpu-async)(?::(\d{1,9}))?|(gpu):(\d{1,3})")


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """A device as a person names it: `cpu`, `cpu-async[:CAPACITY]` or `gpu:N`.

    `auto` is resolved before a request is made (bench_core.measure.devices).
    """

    kind: DeviceKind
    index: int = 0
    queue_capacity: int | None = None

    @classmethod
    def parse(cls, text: str) -> "DeviceRequest":
        """Read a device name.

        Raises:
            ValueError: not a device name, or a queue capacity of 0.
        """
        match = _DEVICE.fullmatch(text.strip().lower())
        if match is None:
            raise ValueError(f"need auto, cpu, cpu-async[:CAPACITY] or gpu:N, got {text!r}")
        if match[1]:
            return cls(DeviceKind.CPU)
        if match[2]:
            capacity = int(match[3]) if match[3] else DEFAULT_QUEUE_CAPACITY
            if capacity < 1:
                raise ValueError("the queue capacity of cpu-async must be at least 1")
            return cls(DeviceKind.CPU_ASYNC, queue_capacity=capacity)
        return cls(DeviceKind.GPU, index=int(match[5]))

    def __str__(self) -> str:
        if self.kind is DeviceKind.GPU:
            return f"gpu:{self.index}"
        if self.kind is DeviceKind.CPU_ASYNC and self.queue_capacity != DEFAULT_QUEUE_CAPACITY:
            return f"cpu-async:{self.queue_capacity}"
        return self.kind.value


@dataclass(frozen=True, slots=True)
class Operands:
    """Which values are multiplied: the source of A, the seed of B and how both are held."""

    source: OperandSource = OperandSource.MNIST_LIKE
    hold: Hold = Hold.CONSTANT
    seed: int = 0
    mnist_path: str | None = None


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """When a case has been sampled enough.

    Samples repeat until the 95 % interval of the median wall time is narrower than `interval_fraction` of the
    median, or `max_samples` are there, or `budget_s` of measuring is spent; never fewer than `min_samples`.
    """

    min_samples: int = 3
    max_samples: int = 10
    interval_fraction: float = 0.05
    budget_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Case:
    """One point of a sweep, ready to be measured.

    Attributes:
        epoch_count: epochs issued back to back and timed as one sample.
        timeout_s: after this long the case is ended from outside and recorded as timed out.
    """

    device: DeviceRequest
    shape: Shape
    precision: Precision
    mitigation: Mitigation
    epoch_count: int
    operands: Operands = field(default_factory=Operands)
    sampling: SamplingPlan = field(default_factory=SamplingPlan)
    timeout_s: float = 600.0

    @property
    def case_id(self) -> str:
        """Hash of what decides the result, so that the same case has the same id in every run.

        A parameter at its default is left out: adding one later does not orphan history.
        How often and how long a case is sampled does not change what it measures.
        """
        canonical: dict[str, Any] = {
            "device": str(self.device),
            "shape": str(self.shape),
            "precision": self.precision.value,
            "mitigation": str(self.mitigation),
            "epoch_count": self.epoch_count,
        }
        defaults = asdict(Operands())
        canonical |= {
            name: str(value)
            for name, value in asdict(self.operands).items()
            if value != defaults[name] and name != "mnist_path"
        }
        return hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def flop_per_epoch(self) -> int:
        """FLOP of one epoch."""
        return self.shape.flop_per_epoch

    @property
    def label(self) -> str:
        """What a person reads: `none fp32 512x784x512 x 2000`."""
        return f"{self.mitigation} {self.precision} {self.shape} x {self.epoch_count}"

    def to_json(self) -> dict[str, Any]:
        """Plain values, as they cross the process boundary."""
        return asdict(self) | {
            "device": str(self.device),
            "shape": str(self.shape),
            "mitigation": str(self.mitigation),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Case":
        """The inverse of to_json."""
        operands = value["operands"]
        return cls(
            device=DeviceRequest.parse(value["device"]),
            shape=Shape.parse(value["shape"]),
            precision=Precision(value["precision"]),
            mitigation=Mitigation.parse(value["mitigation"]),
            epoch_count=value["epoch_count"],
            operands=Operands(
                OperandSource(operands["source"]), Hold(operands["hold"]), operands["seed"], operands["mnist_path"]
            ),
            sampling=SamplingPlan(**value["sampling"]),
            timeout_s=value["timeout_s"],
        )
