"""From a checked spec to a run that is ready to be measured: the device held, the shape known, the ceiling found."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from bench_core.measure.client import MeasureClient
from bench_core.measure.plan import plan, reason_to_refuse
from bench_core.model.case import Case, DeviceRequest
from bench_core.model.errors import SpecError, WarehouseError
from bench_core.model.run import Ceiling, Run, new_run_id
from bench_core.model.shape import Shape
from bench_core.model.spec import AUTO, SweepSpec
from flows.environment import describe_environment, differences
from flows.progress import Progress
from warehouse.store import Warehouse
from warehouse.writer import RunWriter


def settle(spec: SweepSpec, client: MeasureClient, progress: Progress) -> SweepSpec:
    """Wait for the device, then put in the place of `auto` what it turns out to be here.

    The settled spec is what the run records: planning it again gives the same cases, which is how a run is resumed.
    """
    refuse_the_impossible(spec, client)
    client.acquire_device(lambda holder: progress.wait(f"waiting for {client.identity.device_name}: used by {holder}"))
    progress.say("loading TensorFlow")
    client.worker_info()
    return spec.model_copy(update={"device": str(client.device), "shape": str(_shape(spec, client, progress))})


def refuse_the_impossible(spec: SweepSpec, client: MeasureClient) -> None:
    """Refuse a sweep no case of which can be measured here; a case among others is an outcome instead.

    Raises:
        SpecError: names every case with what it needs.
    """
    if spec.shape == AUTO:
        return
    cases = plan(spec, device=client.device, shape=Shape.parse(spec.shape))
    reasons = {case.label: reason_to_refuse(case, client.identity) for case in cases}
    if all(reasons.values()):
        raise SpecError({label: reason[1] for label, reason in reasons.items() if reason})


def plan_cases(spec: SweepSpec) -> tuple[Case, ...]:
    """The cases of a settled spec."""
    return plan(spec, device=DeviceRequest.parse(spec.device), shape=Shape.parse(spec.shape))


def begin_run(spec: SweepSpec, client: MeasureClient, warehouse: Warehouse, progress: Progress) -> RunWriter:
    """Find the ceilings of the device and start writing a new run of a settled spec."""
    ceilings = _measure_ceilings(plan_cases(spec), client, progress)
    run = Run(
        run_id=new_run_id(),
        started_at=datetime.now(UTC),
        spec_name=spec.name,
        spec_json=spec.model_dump_json(),
        seed=spec.seed,
        device=client.identity,
        environment=describe_environment(client),
        ceiling_flop_per_s={precision: ceiling.flop_per_s for precision, ceiling in ceilings.items()},
        ceiling_uncertainty_fraction=max((ceiling.uncertainty_fraction for ceiling in ceilings.values()), default=0.0),
        cliffwatch_version=version("cliffwatch"),
    )
    return warehouse.begin(run)


def resume_run(run_id: str, client: MeasureClient, warehouse: Warehouse) -> RunWriter:
    """Go on with a run where it stopped.

    Raises:
        WarehouseError: there is nothing to resume, or this is not the environment the run began in: one curve must not
            mix two machines.
    """
    run, _ = warehouse.run(run_id)
    changed = differences(run.environment, describe_environment(client))
    if run.device != client.identity:
        changed = (f"the device was {run.device.device_name} and is {client.identity.device_name}", *changed)
    if changed:
        raise WarehouseError("\n".join((f"run {run_id} is not resumed, its environment has changed:", *changed)))
    return warehouse.resume(run_id)


def _shape(spec: SweepSpec, client: MeasureClient, progress: Progress) -> Shape:
    if spec.shape != AUTO:
        return Shape.parse(spec.shape)
    candidates = plan(spec, device=client.device, shape=Shape(1, 1, 1))
    reasons = [reason_to_refuse(case, client.identity) for case in candidates]
    measurable = [case for case, reason in zip(candidates, reasons, strict=True) if reason is None]
    if not measurable:
        raise SpecError({"precisions": "; ".join(sorted({reason[1] for reason in reasons if reason}))})
    progress.say("calibrating the shape")
    return client.calibrate(measurable[0].precision, measurable[0].operands)


def _measure_ceilings(cases: Sequence[Case], client: MeasureClient, progress: Progress) -> dict[str, Ceiling]:
    """The ceiling of each precision that at least one case can be measured in."""
    measurable = {case.precision: case for case in cases if reason_to_refuse(case, client.identity) is None}
    ceilings = {}
    for precision, case in sorted(measurable.items()):
        progress.say(f"finding the ceiling in {precision}")
        ceilings[precision.value] = client.measure_ceiling(precision, case.operands, case.shape)
    return ceilings
