"""One run with three curves, as the report's tests see it: a saturated queue, a loop that did no work, a fair loop."""

from datetime import UTC, datetime

from bench_core.model.curve import CurveKey, CurvePoint, CurveSample, ScalingCurve, Work
from bench_core.model.diagnosis import Diagnosis, NextStep, Verdict
from bench_core.model.run import DeviceIdentity, Environment, Run
from bench_core.report.curve_table import RunCurve

# 2 x 512 x 784 x 512
FLOP_PER_EPOCH = 411_041_792.0
# A queue of 1,024 epochs of 4 ms each, filled at 0.4 ms an epoch: the first epoch waits at 1024 / (1 - 0.1) = 1,138.
S_PER_EPOCH = 4e-3
ENQUEUE_S_PER_EPOCH = 4e-4
KNEE = 1138.0

RUN = Run(
    run_id="20261130T160708Z-3f9a1c",
    started_at=datetime(2026, 11, 30, 16, 7, 8, tzinfo=UTC),
    spec_name="quick",
    spec_json="{}",
    seed=7,
    device=DeviceIdentity("cpu-async", "CPU-0", "Example CPU @ 2 GHz", 8 * 2**30),
    environment=Environment(
        host="host",
        os="Linux 6.1",
        cpu_model="Example CPU @ 2 GHz",
        logical_cpu_count=2,
        memory_bytes=8 * 2**30,
        python_version="3.11.9",
        numpy_version="2.0.0",
        tensorflow_version="2.21.0",
    ),
    ceiling_flop_per_s={"fp32": 1.1e11},
)


def saturated() -> RunCurve:
    counts = (100, 400, 1000, 1500, 2000)
    points = tuple(
        CurvePoint(
            count,
            enqueue_time_s=ENQUEUE_S_PER_EPOCH * count + max(0.0, count - KNEE) * (S_PER_EPOCH - ENQUEUE_S_PER_EPOCH),
            wall_time_s=S_PER_EPOCH * count if count != 1500 else None,
            fitted_wall_time_s=S_PER_EPOCH * count if count == 1500 else None,
        )
        for count in counts
    )
    diagnosis = Diagnosis(
        Verdict.QUEUE_SATURATION,
        0.99,
        also=(Verdict.UNSYNCHRONIZED,),
        knee_epoch_count=KNEE,
        knee_interval=(1130.0, 1146.0),
        queue_capacity=1024.0,
        queue_capacity_interval=(1010.0, 1040.0),
        enqueue_s_per_epoch=ENQUEUE_S_PER_EPOCH,
        steady_s_per_epoch=S_PER_EPOCH,
        flop_per_s=FLOP_PER_EPOCH / S_PER_EPOCH,
        evidence={"queue_capacity_at_bend": 1024.2, "queue_capacity_at_end": 1019.6},
        next_step=NextStep("resize_queue", {"queue_capacity": 1024.0, "knee_epoch_count": KNEE}),
    )
    return _curve("none", points), points, diagnosis


def eliminated(mitigation: str = "graph_loop") -> RunCurve:
    points = tuple(CurvePoint(count, 3e-5 * count, 3.3e-5 * count) for count in (100, 400, 1000))
    diagnosis = Diagnosis(
        Verdict.WORK_ELIMINATED,
        1.0,
        also=(Verdict.IMPLAUSIBLE_RATE,),
        steady_s_per_epoch=3.3e-5,
        flop_per_s=FLOP_PER_EPOCH / 3.3e-5,
        evidence={"excess_ratio": 90.6, "limit_flop_per_s": 1.375e11},
        next_step=NextStep("keep_result", {"epoch_count": 1000.0, "doubled_epoch_count": 2000.0}),
    )
    return _curve(mitigation, points), points, diagnosis


def fair() -> RunCurve:
    points = tuple(CurvePoint(count, 3.9e-3 * count, 4.2e-3 * count) for count in (100, 400, 1000))
    diagnosis = Diagnosis(
        Verdict.LINEAR,
        0.98,
        steady_s_per_epoch=4.2e-3,
        flop_per_s=FLOP_PER_EPOCH / 4.2e-3,
        evidence={"noise_fraction": 0.012},
        next_step=NextStep("none"),
    )
    return _curve("graph_loop_kept", points), points, diagnosis


def _curve(mitigation: str, points: tuple[CurvePoint, ...]) -> ScalingCurve:
    key = CurveKey(RUN.run_id, "cpu-async", "fp32", mitigation, mitigation, (), "512x784x512")
    samples = tuple(CurveSample(point.epoch_count, point.enqueue_time_s or 0.0) for point in points)
    work = Work(flop_per_epoch=FLOP_PER_EPOCH, precision="fp32", ceiling_flop_per_s=1.1e11)
    return ScalingCurve(samples, work, key)
