"""A small warehouse with two hosts, seven runs and known answers: what the cookbook asks and every view is tested on.

A device of one queue is made up: the host enqueues an epoch in D seconds into a queue of capacity Q, the device takes
S seconds an epoch, so that E epochs need E * S, and the host blocks from the epoch K = Q / (1 - D / S) on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench_core.model.case import Case, DeviceRequest, Precision
from bench_core.model.curve import CurveKey
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.hypothesis import HypothesisTest, HypothesisVerdict, MitigationEffect
from bench_core.model.mitigation import Mitigation
from bench_core.model.proof import CountMethod, Proof, ProofVerdict
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.run import DeviceIdentity, Environment, Run, RunStatus
from bench_core.model.shape import Shape
from bench_core.model.telemetry import TelemetryReading
from warehouse.store import Warehouse

SHAPE = Shape(512, 784, 512)
EPOCH_COUNTS = (100, 400, 1000, 2000)


@dataclass(frozen=True)
class Host:
    """A machine with one device; times in nanoseconds an epoch."""

    name: str
    device: DeviceIdentity
    enqueue_ns: int
    steady_ns: int
    capacity: int


ATLAS = Host("atlas", DeviceIdentity("gpu:0", "GPU-5f1c", "NVIDIA RTX A4000", 16 * 2**30), 10_000, 40_000, 1024)
BIRCH = Host("birch", DeviceIdentity("cpu-async:256", "CPU-77aa", "AMD EPYC", 32 * 2**30), 400_000, 4_000_000, 256)

# Cost of an epoch, as a factor of the control's on host and device, and what the proof says.
MITIGATIONS = {
    "none": (1.0, 1.0, ProofVerdict.PROVEN),
    "graph_loop": (0.02, 0.001, ProofVerdict.WORK_ELIMINATED),
    "graph_loop_kept": (0.1, 0.95, ProofVerdict.PROVEN),
    "sync_each": (1.0, 1.5, ProofVerdict.PROVEN),
}


def build(root: Path) -> Warehouse:
    """Four weekly runs of atlas, the last slower and on a new driver; two of birch, and one that was cancelled."""
    warehouse = Warehouse.open(root)
    for week in range(4):
        driver, slower = ("535.10", 1.0) if week < 3 else ("550.54", 1.08)
        _run(warehouse, ATLAS, week, driver=driver, slower=slower)
    for week in range(2):
        _run(warehouse, BIRCH, week)
    _run(warehouse, BIRCH, 2, status=RunStatus.PARTIAL)
    return warehouse


def _run(
    warehouse: Warehouse,
    host: Host,
    week: int,
    *,
    driver: str | None = None,
    slower: float = 1.0,
    status: RunStatus = RunStatus.COMPLETE,
) -> None:
    started_at = datetime(2026, 1, 5, 6, tzinfo=UTC) + timedelta(weeks=week)
    run = Run(
        run_id=f"{started_at:%Y%m%dT%H%M%SZ}-{host.name[:6].encode().hex()[:6]}",
        started_at=started_at,
        spec_name="weekly",
        spec_json="{}",
        seed=week,
        device=host.device,
        environment=Environment(host.name, "Linux 6.8", "Some CPU", 8, 2**35, "3.11", "2.3", "2.21.0", driver),
        ceiling_flop_per_s={"fp32": SHAPE.flop_per_epoch / (host.steady_ns / 1e9) * 1.05},
        ceiling_uncertainty_fraction=0.02,
        cliffwatch_version="0.1.0",
    )
    writer = warehouse.begin(run)
    for result in _results(host, run, slower):
        writer.add(result)
    writer.commit(status)
    warehouse.add_findings(run.run_id, _findings(host, run, slower))


def _results(host: Host, run: Run, slower: float) -> Iterator[CaseResult]:
    start_ns = int(run.started_at.timestamp()) * 10**9
    device = DeviceRequest.parse(host.device.device)
    for mitigation in MITIGATIONS:
        for epoch_count in EPOCH_COUNTS:
            case = Case(device, SHAPE, Precision.FP32, Mitigation.parse(mitigation), epoch_count)
            yield _measured(host, case, start_ns, slower)
            start_ns += 60 * 10**9
    big = Case(device, Shape(60000, 784, 51200), Precision.FP32, Mitigation(), 100)
    yield CaseResult(big, Outcome.REFUSED, reason="needs 11.7 GiB, 9.8 GiB are free")


def _measured(host: Host, case: Case, start_ns: int, slower: float) -> CaseResult:
    host_factor, device_factor, verdict = MITIGATIONS[str(case.mitigation)]
    enqueue_ns, steady_ns = host.enqueue_ns * host_factor, host.steady_ns * device_factor * slower
    samples = tuple(_sample(i, case, host, start_ns, enqueue_ns, steady_ns) for i in range(4))
    if case.epoch_count == 400 and case.mitigation.strategy == "sync_each":
        samples = (*samples[:3], replace(samples[3], disturbed_by="another process used 0.9 of a core"))
    expected = 8
    proof = Proof(
        expected_matmuls=expected,
        executed_matmuls=0 if verdict is ProofVerdict.WORK_ELIMINATED else expected,
        count_method=CountMethod.PROFILER,
        max_rel_error=None if verdict is ProofVerdict.WORK_ELIMINATED else 2e-7,
        ran_as="fp32",
        verdict=verdict,
    )
    readings = tuple(
        TelemetryReading(start_ns + i * 10**8, device_memory_bytes=2**30, sm_clock_mhz=1560.0, power_w=120.0 + i)
        for i in range(3)
    )
    return CaseResult(
        case,
        Outcome.MEASURED,
        samples,
        stopped_by=StoppedBy.INTERVAL,
        ran_on="/device:GPU:0",
        proof=proof,
        telemetry=readings,
    )


def _sample(index: int, case: Case, host: Host, start_ns: int, enqueue_ns: float, steady_ns: float) -> Sample:
    """The first sample is warm-up and a tenth slower; the others differ by a hundredth."""
    factor = 1.1 if index == 0 else 1 + 0.01 * (index - 2)
    wall_ns = round(case.epoch_count * max(steady_ns, enqueue_ns) * factor)
    free_ns = case.epoch_count * enqueue_ns * factor
    blocked_ns = (case.epoch_count - host.capacity) * steady_ns * factor
    spent_ns = min(wall_ns, round(max(free_ns, blocked_ns)))
    is_traced = case.mitigation.strategy == "none" and case.epoch_count == EPOCH_COUNTS[-1] and index
    return Sample(
        sample_index=index,
        epoch_count=case.epoch_count,
        is_warmup=index == 0,
        started_at_ns=start_ns + index * 10**9,
        enqueue_time_ns=spent_ns,
        drain_time_ns=wall_ns - spent_ns,
        call_end_ns=_trace(case, host, enqueue_ns * factor, steady_ns * factor, spent_ns) if is_traced else None,
        resident_bytes=2**30,
    )


def _trace(case: Case, host: Host, enqueue_ns: float, steady_ns: float, end_ns: int) -> tuple[int, ...]:
    ends = (round(max(n * enqueue_ns, (n - host.capacity) * steady_ns)) for n in range(1, case.epoch_count + 1))
    return tuple(min(end_ns, end) for end in ends)


def _findings(
    host: Host, run: Run, slower: float
) -> Iterator[tuple[CurveKey, Diagnosis] | HypothesisTest | MitigationEffect]:
    steady_s, enqueue_s = host.steady_ns * slower / 1e9, host.enqueue_ns / 1e9
    knee = host.capacity / (1 - enqueue_s / steady_s)
    for mitigation, (_, factor, verdict) in MITIGATIONS.items():
        has_knee = mitigation == "none" and knee < EPOCH_COUNTS[-1]
        key = CurveKey(run.run_id, host.device.device, "fp32", mitigation, mitigation, (), str(SHAPE))
        yield (
            key,
            Diagnosis(
                _verdict(has_knee, verdict),
                confidence=0.99,
                knee_epoch_count=knee if has_knee else None,
                knee_interval=(knee * 0.99, knee * 1.01) if has_knee else None,
                queue_capacity=float(host.capacity) if has_knee else None,
                queue_capacity_interval=(host.capacity * 0.99, host.capacity * 1.01) if has_knee else None,
                enqueue_s_per_epoch=enqueue_s,
                steady_s_per_epoch=steady_s * factor,
            ),
        )
    yield from _hypotheses()
    yield MitigationEffect("fp32", "graph_loop_kept", str(SHAPE), "faster", "5 % faster", 0.95, (0.94, 0.96), 0.1)
    yield MitigationEffect("fp32", "graph_loop", str(SHAPE), "does_no_work", "runs no matmul: no mitigation")
    yield MitigationEffect(
        "fp32", "sync_each", str(SHAPE), "slower", "50 % slower, no illusion", 1.5, (1.48, 1.52), 4.0
    )


def _verdict(has_knee: bool, proof: ProofVerdict) -> Verdict:
    if proof is ProofVerdict.WORK_ELIMINATED:
        return Verdict.WORK_ELIMINATED
    return Verdict.QUEUE_SATURATION if has_knee else Verdict.LINEAR


def _hypotheses() -> Iterator[HypothesisTest]:
    yield HypothesisTest("H0", HypothesisVerdict.SUPPORTED, "the knee moves with the queue's capacity")
    yield HypothesisTest("H1", HypothesisVerdict.REFUTED, "the graph was traced once", {"graph_trace_count": 1.0})
    yield HypothesisTest("H2", HypothesisVerdict.REFUTED, "memory stayed at 1.00 GiB")
    yield HypothesisTest("H3", HypothesisVerdict.REFUTED, "the host cost of a launch does not grow")
    yield HypothesisTest("H4", HypothesisVerdict.REFUTED, "the host waits, and nothing is lost")
