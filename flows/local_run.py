"""A sweep in this process: Prefect's server starts while TensorFlow loads and the shape is calibrated."""

import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench_core.measure.client import MeasureClient
from bench_core.model.spec import SweepSpec
from flows.begin import settle
from flows.deferred import deferred_signals
from flows.prefect_session import prefect_session
from flows.terminal import TerminalProgress
from warehouse.store import Warehouse

if TYPE_CHECKING:  # imports Prefect, which must wait until the worker process has been started
    from flows.sweep import FinishedRun


class Interrupted(Exception):
    """The sweep was ended from outside.

    Attributes:
        signal_number: SIGINT or SIGTERM.
        run_id: the partial run that keeps what was measured; None when nothing had begun.
    """

    def __init__(self, signal_number: int, run_id: str | None) -> None:
        self.signal_number = signal_number
        self.run_id = run_id
        go_on = f"what was measured is kept: go on with `cliffwatch run --resume {run_id}`"
        kept = go_on if run_id else "nothing was measured yet"
        super().__init__(f"ended by {signal.Signals(signal_number).name}; {kept}")


@dataclass(frozen=True, slots=True)
class LocalRun:
    """A finished run and how long it took to get started.

    Attributes:
        start_time_s: from the call until the first measurement: TensorFlow, Prefect's server, the shape.
        warnings: what was wrong with the device before it began, a sentence each.
    """

    finished: "FinishedRun"
    start_time_s: float
    warnings: tuple[str, ...] = ()


def measure_here(
    spec: SweepSpec,
    client: MeasureClient,
    warehouse: Warehouse,
    *,
    resume: str | None = None,
    warnings: tuple[str, ...] = (),
) -> LocalRun:
    """Measure, commit and diagnose a sweep; what the device was like before is handed on to the report.

    Raises:
        Interrupted: by Ctrl-C or SIGTERM.
    """
    started_s = time.monotonic()
    try:
        with deferred_signals():
            from flows.interruption import interruption_behind, signal_of, sigterm_raises
            from flows.sweep import Execution, sweep_flow
    except KeyboardInterrupt:
        raise Interrupted(signal.SIGINT, None) from None
    with TerminalProgress() as progress, prefect_session() as prefect:
        execution = Execution(client, warehouse, progress, resume=resume)
        try:
            with sigterm_raises():
                settled = settle(spec, client, progress)
                progress.say("waiting for Prefect's server")
                prefect.wait_until_ready()
                start_time_s = time.monotonic() - started_s
                # Called without return_state, so that what ended the flow run is raised here.
                sweep_flow(execution)(settled)
        except BaseException as error:
            interruption = interruption_behind(error)
            if interruption:
                raise Interrupted(signal_of(interruption), execution.run_id) from None
            if execution.finished is None:
                raise
    assert execution.finished is not None
    return LocalRun(execution.finished, start_time_s, warnings)
