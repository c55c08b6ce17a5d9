"""`cliffwatch hypotheses`: the explanations people give, held against what a run measured."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bench_core.model.errors import WarehouseError
from bench_core.model.hypothesis import HYPOTHESES
from flows.request import warehouse_folder
from flows.warehouse_option import WarehouseOption

if TYPE_CHECKING:
    from bench_core.model.hypothesis import HypothesisTest


def hypotheses(
    run_id: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A run's id; else the newest.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    warehouse: WarehouseOption = None,
) -> None:
    """Hold the usual explanations of the cliff against a stored run: supported, refuted or undecided, and why."""
    from warehouse.store import Warehouse

    store = Warehouse.read(warehouse_folder(warehouse))
    known = store.run_ids()
    if run_id is None and not known:
        raise WarehouseError(f"no complete run in {store.root} yet")
    run, _ = store.run(run_id or known[-1])
    # After the lookup: these load Prefect, and a mistyped id should be answered at once.
    from bench_core.analyze.diagnose import diagnose
    from tasks.diagnose import DiagnosedCurve
    from tasks.judge import judge

    diagnosed = [DiagnosedCurve(curve, diagnose(curve)) for curve in store.curves(run.run_id)]
    tests = judge(run.run_id, diagnosed, store).hypotheses
    if not tests:
        raise WarehouseError(f"run {run.run_id} has no measured control `none`: nothing can be tested")
    print(json.dumps(_as_json(run.run_id, tests)) if as_json else _as_text(run.run_id, tests))


def _as_json(run_id: str, tests: "tuple[HypothesisTest, ...]") -> dict[str, Any]:
    rows = [{"claim": HYPOTHESES[test.hypothesis], **asdict(test)} for test in tests]
    return {"run_id": run_id, "hypotheses": rows}


def _as_text(run_id: str, tests: "tuple[HypothesisTest, ...]") -> str:
    lines = [f"Run {run_id}"]
    for test in tests:
        lines += ["", f"{test.hypothesis}  {HYPOTHESES[test.hypothesis]}", f"    {test.verdict}: {test.sentence}"]
    return "\n".join(lines)
