"""Runs and results made by hand, with numbers a reader can check."""

from datetime import UTC, datetime

from bench_core.model.case import Case, DeviceRequest, Precision
from bench_core.model.mitigation import Mitigation
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.run import DeviceIdentity, Environment, Run
from bench_core.model.shape import Shape

DEVICE = "cpu-async:256"


def run(run_id: str = "20260101T000000Z-000001", device: str = DEVICE) -> Run:
    return Run(
        run_id=run_id,
        started_at=datetime.strptime(run_id[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
        spec_name="quick",
        spec_json="{}",
        seed=7,
        device=DeviceIdentity(device, "uuid-1", "Some CPU", 1 << 34),
        environment=Environment(
            "host-1", "Linux 6", "Some CPU", 2, 1 << 34, "3.11", "2.3", "2.21.0", variables=(("A", "b"),)
        ),
        ceiling_flop_per_s={"fp32": 7e10},
        ceiling_uncertainty_fraction=0.02,
        cliffwatch_version="0.1.0",
    )


def case(epoch_count: int = 4, mitigation: str = "none", device: str = DEVICE) -> Case:
    return Case(DeviceRequest.parse(device), Shape(8, 8, 8), Precision.FP32, Mitigation.parse(mitigation), epoch_count)


def sample(index: int, epoch_count: int = 4, enqueue_ns: int = 4_000, drain_ns: int = 1_000) -> Sample:
    """The first sample of a case is warm-up; every call of the others returns after an equal part of the enqueueing."""
    step = enqueue_ns // epoch_count
    return Sample(
        sample_index=index,
        epoch_count=epoch_count,
        is_warmup=index == 0,
        started_at_ns=1_767_225_600_000_000_000 + index,
        enqueue_time_ns=enqueue_ns,
        drain_time_ns=drain_ns,
        call_end_ns=tuple(step * (i + 1) for i in range(epoch_count)),
    )


def measured(of: Case | None = None, sample_count: int = 3) -> CaseResult:
    """A case with one warm-up sample and `sample_count` steady ones."""
    of = of or case()
    samples = tuple(sample(index, of.epoch_count) for index in range(sample_count + 1))
    return CaseResult(of, Outcome.MEASURED, samples, stopped_by=StoppedBy.MAX_SAMPLES, ran_on="/device:CPU:0")


def crashed(of: Case) -> CaseResult:
    return CaseResult(of, Outcome.CRASHED, reason="the process ended with signal 11")
