"""What a sweep would measure and what that would cost, without measuring it."""

from dataclasses import dataclass
from typing import Any

from bench_core.measure.client import MeasureClient
from bench_core.measure.plan import Estimate, estimate, reason_to_refuse
from bench_core.model.case import Case
from bench_core.model.run import DeviceIdentity
from bench_core.model.spec import SweepSpec
from bench_core.model.units import format_bytes, format_duration
from flows.begin import plan_cases, settle
from flows.terminal import TerminalProgress


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case and why it will not be tried here, if so."""

    case: Case
    reason: str | None


@dataclass(frozen=True, slots=True)
class DryRun:
    """The cases of a sweep in the order they would be measured, and the cost of those that can be."""

    device: DeviceIdentity
    cases: tuple[PlannedCase, ...]
    cost: Estimate

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names the records use."""
        return {
            "device": self.device.device,
            "device_name": self.device.device_name,
            "cases": [
                {
                    "case_id": planned.case.case_id,
                    "precision": planned.case.precision.value,
                    "mitigation": str(planned.case.mitigation),
                    "shape": str(planned.case.shape),
                    "epoch_count": planned.case.epoch_count,
                    "reason": planned.reason,
                }
                for planned in self.cases
            ],
            "duration_s": self.cost.duration_s,
            "memory_bytes": self.cost.memory_bytes,
        }

    def to_text(self) -> str:
        """One line a case, then the cost."""
        lines = [f"{planned.case.label}{f': {planned.reason}' if planned.reason else ''}" for planned in self.cases]
        cost = (
            f"{len(self.cases)} cases on {self.device.device_name}: at least "
            f"{format_duration(self.cost.duration_s)} of measuring and {format_bytes(self.cost.memory_bytes)}"
        )
        return "\n".join((*lines, cost))


def dry_run(spec: SweepSpec, client: MeasureClient) -> DryRun:
    """Plan the sweep; the device's rate is the ceiling found now, in the first precision it can measure."""
    with TerminalProgress() as progress:
        cases = plan_cases(settle(spec, client, progress))
        planned = tuple(PlannedCase(case, _reason(case, client.identity)) for case in cases)
        measurable = [item.case for item in planned if item.reason is None]
        if not measurable:
            return DryRun(client.identity, planned, Estimate(0.0, 0))
        first = measurable[0]
        progress.say(f"finding the ceiling in {first.precision}")
        ceiling = client.measure_ceiling(first.precision, first.operands, first.shape)
    return DryRun(client.identity, planned, estimate(measurable, flop_per_s=ceiling.flop_per_s))


def _reason(case: Case, device: DeviceIdentity) -> str | None:
    refusal = reason_to_refuse(case, device)
    return refusal[1] if refusal else None
