"""One execution of a sweep, and the machine it ran on."""

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum


class RunStatus(StrEnum):
    """Whether all of a run is there: cancelled runs are partial, cases of a killed run are adopted."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    ADOPTED = "adopted"


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """The physical device behind a name.

    Attributes:
        device: as requested, for example `gpu:0` or `cpu-async:256`.
        device_uuid: the driver's UUID; for a CPU, derived from the host's machine id.
        device_name: the maker's name, for example `NVIDIA RTX A4000`.
    """

    device: str
    device_uuid: str
    device_name: str
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The best synchronised matmul rate found on a device, for one precision.

    Attributes:
        uncertainty_fraction: by how much the device could be faster than was found.
        shape: the matmul that reached it.
    """

    flop_per_s: float
    uncertainty_fraction: float
    shape: str


@dataclass(frozen=True, slots=True)
class Environment:
    """What a reading depends on besides the case."""

    host: str
    os: str
    cpu_model: str
    logical_cpu_count: int
    memory_bytes: int
    python_version: str
    numpy_version: str | None
    tensorflow_version: str | None
    driver_version: str | None = None
    cuda_version: str | None = None
    variables: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a sweep on one device.

    Attributes:
        ceiling_flop_per_s: best synchronised matmul rate found on this device in this run, by precision.
        ceiling_uncertainty_fraction: relative spread of the ceiling's own samples.
        spec_json: the sweep as asked for, canonical JSON.
    """

    run_id: str
    started_at: datetime
    spec_name: str
    spec_json: str
    seed: int
    device: DeviceIdentity
    environment: Environment
    ceiling_flop_per_s: dict[str, float] = field(default_factory=dict)
    ceiling_uncertainty_fraction: float = 0.0
    cliffwatch_version: str = "0.0.0"


def new_run_id(now: datetime | None = None) -> str:
    """Sortable by start, unique without coordination: `20261130T160708Z-3f9a1c`."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
