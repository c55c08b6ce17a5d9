"""A sweep into cases, in the order they are measured, and what they will cost."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bench_core.model.case import Case, DeviceKind, DeviceRequest, Operands, Precision, SamplingPlan
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import Outcome
from bench_core.model.run import DeviceIdentity
from bench_core.model.shape import Shape
from bench_core.model.spec import SweepSpec
from bench_core.model.units import format_bytes


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep will cost.

    Attributes:
        duration_s: warm-up and the samples every case gets, at the rate given.
        memory_bytes: the largest case's operands and products on the device.
    """

    duration_s: float
    memory_bytes: int


def plan(spec: SweepSpec, *, device: DeviceRequest, shape: Shape) -> tuple[Case, ...]:
    """Every case of the sweep, curves in a seeded shuffled order and shuffled within.

    A curve's cases stay together, so that one child can measure them under `--isolation curve`.
    """
    order = random.Random(spec.seed)
    curves = [(precision, mitigation) for precision in spec.precisions for mitigation in spec.parsed_mitigations]
    order.shuffle(curves)
    epoch_total = sum(sum(_epochs(spec, mitigation)) for _, mitigation in curves)
    cases: list[Case] = []
    for precision, mitigation in curves:
        epochs = _epochs(spec, mitigation)
        order.shuffle(epochs)
        cases += [
            _case(spec, device, shape, precision, mitigation, count, spec.budget_s * count / epoch_total)
            for count in epochs
        ]
    return tuple(cases)


def estimate(cases: Sequence[Case], *, flop_per_s: float) -> Estimate:
    """What the cases will cost on a device of that rate."""
    flop = sum(case.flop_per_epoch * case.epoch_count * case.sampling.min_samples for case in cases)
    return Estimate(flop / flop_per_s, max((required_bytes(case) for case in cases), default=0))


def required_bytes(case: Case) -> int:
    """Device memory a case needs: both operands and one product.

    What a call returns is dropped before the next call: the question's product of 12.3 GB fits its card of 16 GB once.
    """
    return case.precision.bytes_per_element * (case.shape.operand_elements + case.shape.product_elements)


def reason_to_refuse(case: Case, device: DeviceIdentity) -> tuple[Outcome, str] | None:
    """Why a case will not be tried on this device, or None."""
    if case.precision is Precision.TF32 and case.device.kind is not DeviceKind.GPU:
        return Outcome.UNSUPPORTED, f"tf32 is a mode of NVIDIA tensor cores; {case.device} has none"
    needed = required_bytes(case)
    if needed > device.memory_bytes:
        return Outcome.REFUSED, (
            f"{case.shape} in {case.precision} needs {format_bytes(needed)} ({needed} bytes); "
            f"{device.device_name} has {format_bytes(device.memory_bytes)}"
        )
    return None


def _epochs(spec: SweepSpec, mitigation: Mitigation) -> list[int]:
    control = spec.control_epochs if mitigation == Mitigation() else ()
    return sorted({*spec.epochs, *control})


def _case(
    spec: SweepSpec,
    device: DeviceRequest,
    shape: Shape,
    precision: Precision,
    mitigation: Mitigation,
    epoch_count: int,
    budget_s: float,
) -> Case:
    return Case(
        device=device,
        shape=shape,
        precision=precision,
        mitigation=mitigation,
        epoch_count=epoch_count,
        operands=Operands(spec.operands, spec.hold, spec.seed, spec.mnist_path),
        sampling=SamplingPlan(
            spec.sampling.min_samples, spec.sampling.max_samples, spec.sampling.interval_fraction, budget_s
        ),
        timeout_s=spec.timeout_s,
    )
