import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import made
import numpy as np
import pytest
from asked import rows

from bench_core.model.diagnosis import Diagnosis, NextStep, Verdict
from bench_core.model.errors import WarehouseError
from bench_core.model.proof import Proof, ProofVerdict
from bench_core.model.run import RunStatus
from warehouse.store import Warehouse

RUN_ID = "20260101T000000Z-000001"


def test_a_complete_run_is_shown_and_a_partial_one_only_when_asked_for(warehouse: Warehouse) -> None:
    for run_id, status in (
        ("20260101T000000Z-000001", RunStatus.COMPLETE),
        ("20260102T000000Z-000002", RunStatus.PARTIAL),
    ):
        writer = warehouse.begin(made.run(run_id))
        writer.add(made.measured())
        writer.commit(status)

    assert warehouse.run_ids() == ("20260101T000000Z-000001",)
    assert warehouse.run_ids(all_runs=True) == ("20260101T000000Z-000001", "20260102T000000Z-000002")
    assert warehouse.query("select count(*) from samples").rows == ((4,),)
    assert warehouse.query("select count(*) from all_runs.samples").rows == ((8,),)


def test_nothing_of_a_run_is_visible_before_its_commit(warehouse: Warehouse) -> None:
    warehouse.begin(made.run()).add(made.measured())

    assert warehouse.run_ids(all_runs=True) == ()
    assert rows(warehouse, "select count(*) from all_runs.cases") == ((0,),)


def test_a_curve_has_its_steady_samples_with_traces_and_no_configured_capacity(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured(made.case(epoch_count=4), sample_count=2))
    writer.add(made.crashed(made.case(epoch_count=8)))
    writer.commit(RunStatus.COMPLETE)

    (curve,) = warehouse.curves(RUN_ID)

    assert curve.key is not None
    assert curve.key.device == "cpu-async"
    assert curve.work.flop_per_epoch == 2 * 8**3
    assert (curve.work.ceiling_flop_per_s, curve.work.ceiling_uncertainty_fraction) == (7e10, 0.02)
    assert curve.work.gpu is None
    assert [sample.epoch_count for sample in curve.samples] == [4, 4]
    # 4,000 ns of enqueueing over 4 calls; 1,000 ns of drain.
    assert curve.samples[0].enqueue_time_s == 4e-6
    assert curve.samples[0].drain_time_s == 1e-6
    assert curve.samples[0].call_end_s is not None
    np.testing.assert_allclose(curve.samples[0].call_end_s, [1e-6, 2e-6, 3e-6, 4e-6])


def test_a_failed_case_is_a_row_with_its_reason(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.crashed(made.case(epoch_count=8)))
    writer.commit(RunStatus.COMPLETE)

    (failed,) = warehouse.failed_cases(RUN_ID)

    assert (failed.epoch_count, failed.outcome) == (8, "crashed")
    assert failed.reason == "the process ended with signal 11"


def test_a_resumed_run_knows_its_finished_cases_and_gains_the_rest(warehouse: Warehouse) -> None:
    finished, retried = made.case(epoch_count=4), made.case(epoch_count=8)
    writer = warehouse.begin(made.run())
    writer.add(made.measured(finished))
    writer.add(made.crashed(retried))
    writer.commit(RunStatus.PARTIAL)

    resumed = warehouse.resume(RUN_ID)
    assert resumed.run == made.run()
    assert resumed.done_case_ids == {finished.case_id}
    resumed.add(made.measured(retried))
    resumed.commit(RunStatus.COMPLETE)

    assert rows(warehouse, "select epoch_count, outcome from cases order by 1") == (
        (4, "measured"),
        (8, "measured"),
    )


def test_a_complete_run_cannot_be_resumed(warehouse: Warehouse) -> None:
    warehouse.begin(made.run()).commit(RunStatus.COMPLETE)

    with pytest.raises(WarehouseError, match="nothing to resume"):
        warehouse.resume(RUN_ID)


def test_a_run_that_is_not_there_is_named_with_those_that_are(warehouse: Warehouse) -> None:
    warehouse.begin(made.run()).commit(RunStatus.COMPLETE)

    with pytest.raises(WarehouseError, match=f"no run nonsense .* {RUN_ID}"):
        warehouse.run("nonsense")


def test_the_newest_finding_of_a_curve_is_shown(warehouse: Warehouse) -> None:
    writer = warehouse.begin(made.run())
    writer.add(made.measured())
    writer.commit(RunStatus.COMPLETE)
    key = warehouse.curves(RUN_ID)[0].key
    assert key is not None
    for knee in (300.0, 310.0):
        finding = Diagnosis(
            Verdict.QUEUE_SATURATION, 0.9, knee_epoch_count=knee, knee_interval=(290.0, 320.0), evidence={"bic": 1.5},
            next_step=NextStep("drain", {"epochs": 4}),
        )  # fmt: skip
        warehouse.add_findings(RUN_ID, [(key, finding)])

    knees = rows(warehouse, "select device, knee_epoch_count, knee_interval from knees")

    assert knees == (("cpu-async:256", 310.0, [290.0, 320.0]),)
    assert rows(warehouse, "select count(*) from stg_findings") == ((2,),)


@pytest.mark.slow
def test_a_run_being_measured_is_left_alone_and_adopted_once_its_process_is_killed(root: Path) -> None:
    script = Path(made.__file__).with_name("begin_and_wait.py")
    with subprocess.Popen(
        [sys.executable, script, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "added\n"
        assert Warehouse.open(root).run_ids(all_runs=True) == ()
        process.kill()

    warehouse = Warehouse.open(root)

    assert warehouse.run_ids(all_runs=True) == (RUN_ID,)
    assert warehouse.run(RUN_ID) == (made.run(), RunStatus.ADOPTED)
    assert warehouse.query("select count(*) from all_runs.cases").rows == ((1,),)


def test_a_file_where_the_warehouse_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("not a folder")

    with pytest.raises(WarehouseError, match="is a file; a warehouse is a folder"):
        Warehouse.open(tmp_path / "taken")


def test_a_folder_of_other_things_is_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("dear to somebody")

    with pytest.raises(WarehouseError, match="holds other things"):
        Warehouse.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.doc"]


@pytest.mark.parametrize(
    "sql",
    [
        "select 1; select 2",
        "drop view runs",
        "copy (select 1) to '/tmp/cliffwatch-must-not-appear'",
        "select * from read_csv('/etc/passwd')",
        "set threads = 1",
        "attach '/tmp/cliffwatch-must-not-appear'",
    ],
)
def test_a_query_can_only_read_the_warehouse(warehouse: Warehouse, sql: str) -> None:
    with pytest.raises(WarehouseError):
        warehouse.query(sql)
    assert not Path("/tmp/cliffwatch-must-not-appear").exists()


@pytest.mark.parametrize(
    ("verdicts", "weakest"),
    [
        (["proven", "proven"], "proven"),
        (["proven", None], "unproven"),
        (["unproven", "work_eliminated"], "work_eliminated"),
        ([None, None], None),
    ],
)
def test_a_curve_carries_the_weakest_proof_of_its_cases(
    warehouse: Warehouse, verdicts: list[str | None], weakest: str | None
) -> None:
    writer = warehouse.begin(made.run())
    for epoch_count, verdict in zip((4, 8), verdicts, strict=True):
        proof = Proof(expected_matmuls=8, verdict=ProofVerdict(verdict)) if verdict else None
        writer.add(replace(made.measured(made.case(epoch_count)), proof=proof))
    writer.commit(RunStatus.COMPLETE)

    assert warehouse.curves(RUN_ID)[0].proof_verdict == weakest


def test_estimates_leave_disturbed_samples_out_unless_there_are_no_others(warehouse: Warehouse) -> None:
    warmup, quiet, disturbed = made.sample(0), made.sample(1), made.sample(2, enqueue_ns=40_000)
    disturbed = replace(disturbed, disturbed_by="another process")
    some, all_ = made.case(epoch_count=4), made.case(epoch_count=4, mitigation="graph_loop")
    writer = warehouse.begin(made.run())
    writer.add(replace(made.measured(some), samples=(warmup, quiet, disturbed)))
    writer.add(replace(made.measured(all_), samples=(warmup, disturbed)))
    writer.commit(RunStatus.COMPLETE)

    sql = "select mitigation, enqueue_time_s, ok_count, disturbed_count, sample_count from cases order by mitigation"
    assert rows(warehouse, sql) == (("graph_loop", 4e-5, 1, 1, 1), ("none", 4e-6, 1, 1, 2))
    assert {curve.key.mitigation: len(curve.samples) for curve in warehouse.curves(RUN_ID) if curve.key} == {
        "none": 1,
        "graph_loop": 1,
    }
