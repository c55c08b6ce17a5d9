"""`cliffwatch run`: measure a sweep here and now."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.measure.readiness import device_warnings
from bench_core.model.spec import SweepSpec, preset_names
from flows.begin import refuse_the_impossible
from flows.request import read_request, read_resumed, warehouse_folder
from flows.warehouse_option import WarehouseOption
from warehouse.store import Warehouse

if TYPE_CHECKING:
    from flows.local_run import LocalRun

FAILED = 1


def run(
    spec_file: Annotated[Path | None, typer.Argument(metavar="[SPEC.toml]", help="A sweep as a TOML file.")] = None,
    preset: Annotated[
        str | None, typer.Option(help=f"A sweep that ships with cliffwatch: {', '.join(preset_names())}.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cpu-async[:CAPACITY] or gpu:N.")] = None,
    epochs: Annotated[str | None, typer.Option(help="Epoch counts, such as 100,200,1000.")] = None,
    precision: Annotated[str | None, typer.Option(help="Number formats, such as fp32,bf16.")] = None,
    mitigation: Annotated[str | None, typer.Option(help="STRATEGY[+SETTING...], such as none,graph_loop.")] = None,
    shape: Annotated[str | None, typer.Option(help="ROWSxINNERxUNITS, or auto.")] = None,
    budget: Annotated[str | None, typer.Option(metavar="SECONDS", help="Seconds of measuring to aim for.")] = None,
    isolation: Annotated[str | None, typer.Option(help="A fresh child process for each case, or each curve.")] = None,
    seed: Annotated[str | None, typer.Option(help="Order of the cases and values of B.")] = None,
    hold: Annotated[str | None, typer.Option(help="Operands as constant or variable.")] = None,
    operands: Annotated[str | None, typer.Option(help="Values of A: mnist or mnist-like.")] = None,
    mnist: Annotated[
        str | None, typer.Option(metavar="FILE", help="A local mnist.npz; means --operands mnist.")
    ] = None,
    warehouse: WarehouseOption = None,
    resume: Annotated[str | None, typer.Option(metavar="RUN_ID", help="Measure only what that run lacks.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be measured, and its cost.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Measure a sweep on this machine and explain its scaling curves.

    Without a file or a preset the sweep is `quick`, about a minute on two cores. Options replace what it says.
    """
    folder = warehouse_folder(warehouse)
    options = {
        "device": device,
        "epochs": epochs,
        "precisions": precision,
        "mitigations": mitigation,
        "shape": shape,
        "budget_s": budget,
        "isolation": isolation,
        "seed": seed,
        "hold": hold,
        "operands": operands or ("mnist" if mnist else None),
        "mnist_path": mnist,
    }
    store = Warehouse.open(folder) if resume else None
    if resume and store:
        spec = read_resumed(store.run(resume)[0], {"SPEC.toml": spec_file, "preset": preset, **options})
    else:
        spec = read_request(spec_file, preset, options, folder)
    with MeasureClient(resolve(spec.device), isolation=spec.isolation) as client:
        refuse_the_impossible(spec, client)
        # Looked at before this process makes the machine busy itself.
        warnings = device_warnings(client.device.kind, client.identity)
        client.start()
        if dry_run:
            _show_plan(spec, client, as_json=as_json)
        else:
            done = _measure(spec, client, store or Warehouse.open(folder), resume, warnings)
            _show(done, store or Warehouse.read(folder), as_json=as_json)


def _show_plan(spec: SweepSpec, client: MeasureClient, *, as_json: bool) -> None:
    from flows.dry_run import dry_run

    planned = dry_run(spec, client)
    print(json.dumps(planned.to_json()) if as_json else planned.to_text())


def _measure(
    spec: SweepSpec, client: MeasureClient, store: Warehouse, resume: str | None, warnings: tuple[str, ...]
) -> "LocalRun":
    from flows.local_run import Interrupted, measure_here

    try:
        return measure_here(spec, client, store, resume=resume, warnings=warnings)
    except Interrupted as interruption:
        print(f"cliffwatch: {interruption}", file=sys.stderr)
        raise typer.Exit(128 + interruption.signal_number) from None


def _show(done: "LocalRun", store: Warehouse, *, as_json: bool) -> None:
    from flows.show import show

    show(done, store, as_json=as_json)
    if done.finished.has_failed:
        raise typer.Exit(FAILED)
