"""A sweep: measure every case, commit, diagnose; as a Prefect flow whose cases are task runs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from prefect import Flow, flow, runtime
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from bench_core.analyze.proof import judge
from bench_core.measure.client import MeasureClient
from bench_core.model.case import Case
from bench_core.model.errors import WarehouseError
from bench_core.model.result import CaseResult
from bench_core.model.run import Run, RunStatus
from bench_core.model.spec import SweepSpec
from flows.begin import begin_run, plan_cases, resume_run
from flows.interruption import interruption_behind, uninterrupted
from flows.progress import Progress
from tasks.diagnose import DiagnosedCurve, diagnose_run
from tasks.judge import Judgement, judge_run
from tasks.measure import MeasuresCases, measure_case
from warehouse.curves import FailedCase
from warehouse.store import Warehouse
from warehouse.writer import RunWriter

# With more failed cases than this the comparison a sweep was made for is mostly holes: the flow run is Failed.
MAX_FAILED_FRACTION = 0.5


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A committed run with its findings.

    Attributes:
        case_count: cases of the plan, measured or not.
        wall_time_s: from the first case until the findings were stored.
        measured_time_s: summed wall time of the recorded samples of this execution, without warm-up.
    """

    run: Run
    curves: tuple[DiagnosedCurve, ...]
    judgement: Judgement
    failed_cases: tuple[FailedCase, ...]
    case_count: int
    wall_time_s: float
    measured_time_s: float

    @property
    def has_failed(self) -> bool:
        """Whether too many cases failed for the run to answer what it was made for."""
        return len(self.failed_cases) > MAX_FAILED_FRACTION * self.case_count

    @property
    def summary(self) -> str:
        """One sentence for a flow run's state."""
        measured_count = self.case_count - len(self.failed_cases)
        sentence = f"{measured_count} of {self.case_count} cases measured in run {self.run.run_id}"
        first = next(iter(self.failed_cases), None)
        return f"{sentence}; the first failure: {first.outcome}, {first.reason}" if first else sentence


@dataclass(slots=True)
class Execution:
    """One execution of a settled spec: what it needs, and what has come of it so far.

    Call it inside a flow run: every case becomes a task run.

    Attributes:
        resume: id of the run to go on with; None begins a new one.
        finished: set once the findings are stored.
    """

    client: MeasureClient
    warehouse: Warehouse
    progress: Progress
    resume: str | None = None
    finished: FinishedRun | None = None
    _writer: RunWriter | None = None

    @property
    def run_id(self) -> str | None:
        """The run, once it has begun: whoever catches an interruption can name it."""
        return self._writer.run.run_id if self._writer else None

    def __call__(self, spec: SweepSpec) -> FinishedRun:
        """Measure what the run lacks, commit it, diagnose it."""
        started_s = time.monotonic()
        writer = self._writer = self._begin(spec)
        cases = plan_cases(spec)
        missing = [case for case in cases if case.case_id not in writer.done_case_ids]
        measured_time_ns = measure_run(missing, writer, self.client, self.progress)
        self.progress.say("diagnosing")
        curves = diagnose_run(writer.run.run_id, self.warehouse)
        judgement = judge_run(writer.run.run_id, curves, self.warehouse)
        self.finished = FinishedRun(
            writer.run,
            curves,
            judgement,
            self.warehouse.failed_cases(writer.run.run_id),
            len(cases),
            time.monotonic() - started_s,
            measured_time_ns / 1e9,
        )
        return self.finished

    def _begin(self, spec: SweepSpec) -> RunWriter:
        if self.resume:
            return resume_run(self.resume, self.client, self.warehouse)
        return begin_run(spec, self.client, self.warehouse, self.progress)


def sweep_flow(execute: Callable[[SweepSpec], FinishedRun]) -> Flow[[SweepSpec], State[Any]]:
    """The flow `sweep` around one execution; its state says how many cases were measured."""

    @flow(name="sweep", flow_run_name=_comparison, persist_result=False, validate_parameters=False)
    def sweep(spec: SweepSpec) -> State[Any]:
        return state_of(execute(spec))

    return sweep


def state_of(finished: FinishedRun) -> State[Any]:
    """How a flow run ends: Failed when too many cases did, with the same sentence either way."""
    state = Failed if finished.has_failed else Completed
    return state(message=finished.summary)


def _comparison() -> str:
    """A flow run's name: what it compares."""
    return describe(runtime.flow_run.parameters["spec"])


def describe(spec: SweepSpec) -> str:
    """`quick: none, graph_loop in fp32 on cpu-async, 100 to 2,000 epochs`."""
    epochs = sorted({*spec.epochs, *spec.control_epochs})
    return (
        f"{spec.name}: {', '.join(spec.mitigations)} in {', '.join(spec.precisions)} on {spec.device}, "
        f"{epochs[0]:,} to {epochs[-1]:,} epochs"
    )


def measure_run(cases: Sequence[Case], writer: RunWriter, client: MeasuresCases, progress: Progress) -> int:
    """Measure and keep one case after the other; committed as complete, or as partial if anything ends it early.

    Returns:
        Summed wall time of the recorded samples in nanoseconds.
    """
    measured_time_ns = 0
    progress.start(cases)
    try:
        for case in cases:
            progress.begin_case(case)
            result = _judged(measure_case(case, client), writer.run)
            writer.add(result)
            measured_time_ns += result.measured_time_ns
            progress.end_case(result)
    except BaseException as error:
        with uninterrupted():
            writer.commit(RunStatus.PARTIAL)
        raise interruption_behind(error) or error from None
    _commit(writer)
    return measured_time_ns


def _commit(writer: RunWriter) -> None:
    try:
        writer.commit(RunStatus.COMPLETE)
    except WarehouseError as error:
        kept = f"what run {writer.run.run_id} measured is kept: with room to write, the next start takes it in"
        raise WarehouseError(f"{error}\n{kept}") from error


def _judged(result: CaseResult, run: Run) -> CaseResult:
    """The result with the verdict of its proof, against the ceiling found in the same run."""
    return judge(
        result,
        ceiling_flop_per_s=run.ceiling_flop_per_s.get(result.case.precision.value),
        uncertainty_fraction=run.ceiling_uncertainty_fraction,
    )
