"""A measuring client without TensorFlow, and small specs."""

from collections.abc import Callable, Iterable

import pytest

from bench_core.measure.worker_process import WorkerInfo
from bench_core.model.case import Case, DeviceRequest, Operands, Precision
from bench_core.model.result import CaseResult, Outcome, Sample, StoppedBy
from bench_core.model.run import Ceiling, DeviceIdentity
from bench_core.model.shape import Shape
from bench_core.model.spec import SweepSpec, build_spec

Answer = Outcome | BaseException
ENQUEUE_NS = 1_000
DRAIN_NS = 99_000


class FakeClient:
    """Answers cases from a script, then measures everything: 100 us an epoch count, enqueue 1 us of it."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self.device = DeviceRequest.parse("cpu-async:64")
        self.identity = DeviceIdentity("cpu-async:64", "CPU-fake", "Fake CPU", 2**40)
        self.tensorflow_version = "2.21.0"
        self.measured: list[Case] = []
        self.answers = list(answers)

    def acquire_device(self, on_wait: Callable[[str], None] | None = None) -> None:
        """The fake device is always free."""

    def worker_info(self) -> WorkerInfo:
        return WorkerInfo(self.tensorflow_version, "2.0.0", "3.11.7", 0.0)

    def calibrate(self, precision: Precision, operands: Operands) -> Shape:
        return Shape(8, 16, 8)

    def measure_ceiling(self, precision: Precision, operands: Operands, shape: Shape) -> Ceiling:
        return Ceiling(1e12, 0.02, str(shape))

    def measure(self, case: Case) -> CaseResult:
        self.measured.append(case)
        answer = self.answers.pop(0) if self.answers else Outcome.MEASURED
        if isinstance(answer, BaseException):
            raise answer
        if answer is not Outcome.MEASURED:
            return CaseResult(case, answer, reason="because the script says so")
        samples = tuple(_sample(index, case.epoch_count) for index in range(3))
        return CaseResult(case, answer, samples, stopped_by=StoppedBy.MAX_SAMPLES, ran_on="/device:CPU:0")


def _sample(index: int, epoch_count: int) -> Sample:
    return Sample(
        sample_index=index,
        epoch_count=epoch_count,
        is_warmup=False,
        started_at_ns=0,
        enqueue_time_ns=ENQUEUE_NS * epoch_count,
        drain_time_ns=DRAIN_NS * epoch_count,
    )


@pytest.fixture
def fake_client() -> Callable[..., FakeClient]:
    return FakeClient


@pytest.fixture
def spec() -> SweepSpec:
    """Two curves of three epoch counts: six cases."""
    return build_spec(
        {
            "name": "small",
            "device": "cpu-async:64",
            "shape": "8x16x8",
            "epochs": [10, 20, 30],
            "mitigations": ["none", "graph_loop"],
        }
    )


class Silent:
    """A progress that nobody watches."""

    def say(self, message: str) -> None: ...
    def wait(self, message: str) -> None: ...
    def start(self, cases: object) -> None: ...
    def begin_case(self, case: object) -> None: ...
    def end_case(self, result: object) -> None: ...


@pytest.fixture
def silent() -> Silent:
    return Silent()
