"""Real TensorFlow in a real worker process."""

import os
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bench_core.analyze.proof import judge
from bench_core.measure.client import MeasureClient
from bench_core.measure.devices import resolve
from bench_core.measure.environments import OWN_WORKER
from bench_core.model.case import Case, Hold, Operands, OperandSource, Precision, SamplingPlan
from bench_core.model.errors import DeviceError
from bench_core.model.mitigation import SETTINGS, STRATEGIES, Mitigation
from bench_core.model.proof import ProofVerdict
from bench_core.model.result import CaseResult, Outcome
from bench_core.model.shape import Shape
from bench_core.model.spec import Isolation

pytestmark = pytest.mark.tensorflow

SHAPE = Shape(96, 784, 128)
SAMPLING = SamplingPlan(min_samples=2, max_samples=2, budget_s=1.0)
SABOTAGE_WORKER = (sys.executable, str(Path(__file__).parents[1] / "support" / "sabotage_worker.py"))
ELIMINATED = {"".join(random.choices(string.ascii_lowercase, k=9)): kind for kind in ("graph_loop", "while_loop")}
SABOTAGE = ELIMINATED | {
    kind: kind
    for kind in (
        "skips_the_last_tenth",
        "never_drains",
        "returns_a_stale_product",
        "runs_in_lower_precision",
        "dies",
        "never_returns",
    )
}


def case(
    mitigation: str = "none",
    *,
    precision: Precision = Precision.FP32,
    epochs: int = 40,
    shape: Shape = SHAPE,
    **more: object,
) -> Case:
    device = resolve("cpu-async")
    return Case(device, shape, precision, Mitigation.parse(mitigation), epochs, sampling=SAMPLING, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def client() -> Iterator[MeasureClient]:
    with MeasureClient(resolve("cpu-async"), isolation=Isolation.CURVE) as opened:
        opened.acquire_device()
        yield opened


@pytest.fixture(scope="module")
def saboteur() -> Iterator[MeasureClient]:
    import json

    os.environ["SABOTAGE"] = json.dumps(SABOTAGE)
    with MeasureClient(resolve("cpu-async"), worker_command=SABOTAGE_WORKER) as opened:
        yield opened


def verdict(result: CaseResult) -> ProofVerdict:
    judged = judge(result, ceiling_flop_per_s=None, uncertainty_fraction=0.0)
    assert judged.proof is not None, judged.reason
    return judged.proof.verdict


DROPPING = {"graph_loop", "while_loop", "xla"}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("precision", [Precision.FP32, Precision.BF16])
def test_every_strategy_is_proven_or_found_to_do_no_work(
    client: MeasureClient, strategy: str, precision: Precision
) -> None:
    result = client.measure(case(strategy, precision=precision))

    assert result.outcome is Outcome.MEASURED, result.reason
    expected = ProofVerdict.WORK_ELIMINATED if strategy in DROPPING else ProofVerdict.PROVEN
    assert verdict(result) is expected, result.proof
    assert result.proof is not None
    # merged stacks 20 epochs of the counting pass into one matmul; every other strategy runs one an epoch.
    assert result.proof.expected_matmuls == (1 if strategy == "merged" else 20)
    assert result.proof.executed_matmuls == (0 if strategy in DROPPING else result.proof.expected_matmuls)
    assert result.proof.ran_as == (None if strategy in DROPPING else precision)


@pytest.mark.parametrize("name", ELIMINATED)
def test_an_eliminated_loop_is_found_under_any_name(saboteur: MeasureClient, name: str) -> None:
    assert verdict(saboteur.measure(case(name))) is ProofVerdict.WORK_ELIMINATED


@pytest.mark.parametrize(
    ("sabotage", "caught_as"),
    [
        ("skips_the_last_tenth", ProofVerdict.WORK_SKIPPED),
        ("never_drains", ProofVerdict.NOT_FINISHED),
        ("returns_a_stale_product", ProofVerdict.WRONG_PRODUCT),
        ("runs_in_lower_precision", ProofVerdict.OTHER_PRECISION),
    ],
)
def test_each_sabotage_is_caught_by_the_proof_meant_for_it(
    saboteur: MeasureClient, sabotage: str, caught_as: ProofVerdict
) -> None:
    # An epoch far longer than its enqueueing, so that something is left to wait for when the last call returns.
    assert verdict(saboteur.measure(case(sabotage, epochs=200, shape=Shape(512, 784, 512)))) is caught_as


def test_skipped_epochs_show_in_the_checksum_of_the_timed_samples_too(saboteur: MeasureClient) -> None:
    proof = saboteur.measure(case("skips_the_last_tenth", epochs=200)).proof

    assert proof is not None
    assert proof.executed_matmuls == 18  # of the 20 counted
    assert proof.checksum_rel_error == pytest.approx(0.1)  # 180 of 200 epochs contributed


def test_a_case_that_dies_is_an_outcome_and_the_sweep_goes_on(saboteur: MeasureClient) -> None:
    died = saboteur.measure(case("dies"))
    after = saboteur.measure(case())

    assert died.outcome is Outcome.CRASHED
    assert died.reason is not None
    assert "SIGSEGV" in died.reason
    assert after.outcome is Outcome.MEASURED


def test_native_code_that_never_returns_is_ended_at_its_limit(saboteur: MeasureClient) -> None:
    started_s = time.monotonic()
    # The proof's pass hangs first: its own, longer limit is not this test's subject, so the case is measured directly.
    end = saboteur._request(SABOTAGE_WORKER, "measure", case("never_returns", timeout_s=2.0), "alone", [])

    assert end["outcome"] == Outcome.TIMED_OUT
    assert time.monotonic() - started_s < 60


def test_a_killed_child_is_one_crashed_case(client: MeasureClient) -> None:
    client.measure(case())
    pid = client.child_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)

    crashed = client.measure(case(epochs=41))
    after = client.measure(case(epochs=42))

    assert crashed.outcome is Outcome.CRASHED
    assert crashed.reason is not None
    assert "SIGKILL" in crashed.reason
    assert after.outcome is Outcome.MEASURED


def test_a_killed_worker_takes_its_child_along_and_is_replaced(client: MeasureClient) -> None:
    client.measure(case())
    (worker,) = client._workers.values()
    child = worker.child_pid
    assert child is not None
    os.kill(worker.pid, signal.SIGKILL)

    assert client.measure(case(epochs=43)).outcome in (Outcome.CRASHED, Outcome.MEASURED)
    assert client.measure(case(epochs=44)).outcome is Outcome.MEASURED
    assert not _is_running(child)


def test_a_killed_client_leaves_no_process_and_no_lock(tmp_path: Path) -> None:
    script = (
        "from bench_core.measure.client import MeasureClient\n"
        "from bench_core.measure.devices import resolve\n"
        "from bench_core.measure.device_lock import DeviceLock\n"
        "import time\n"
        "client = MeasureClient(resolve('cpu-async'))\n"
        "client._lock = DeviceLock('test-killed-client')\n"
        "client.acquire_device()\n"
        "client.worker_info()\n"
        "print(*(worker.pid for worker in client._workers.values()), client._lock.path, flush=True)\n"
        "time.sleep(600)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    flow = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
    assert flow.stdout is not None
    worker, path = flow.stdout.readline().split()
    flow.kill()
    flow.communicate()

    deadline_s = time.monotonic() + 20
    while _is_running(int(worker)) and time.monotonic() < deadline_s:
        time.sleep(0.1)
    assert not _is_running(int(worker))
    assert list(tmp_path.iterdir()) == []
    assert subprocess.run(["flock", "--nonblock", path, "true"], check=False).returncode == 0
    Path(path).unlink()


def test_nothing_temporary_is_left_when_the_client_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with MeasureClient(resolve("cpu-async")) as opened:
        # AutoGraph writes the source it makes of the loop into a file.
        assert opened.measure(case("graph_loop_kept")).outcome is Outcome.MEASURED
        assert list(tmp_path.rglob("__autograph_generated_file*"))

    assert list(tmp_path.iterdir()) == []


def test_what_means_nothing_on_a_device_is_unsupported_with_the_reason(client: MeasureClient) -> None:
    for setting in ("memory_growth", "cuda_malloc_async", "tf32:on", "tensorflow:1.0.0"):
        result = client.measure(case(f"none+{setting}"))
        assert result.outcome is Outcome.UNSUPPORTED
        assert result.reason


def test_the_launch_queue_setting_moves_where_the_host_first_blocks(client: MeasureClient) -> None:
    result = client.measure(case("none+launch_queue:8", epochs=60))

    # With 8 places the host waits for 60 - 8 epochs while it enqueues: most of the wall time.
    sample = result.steady_samples[0]
    assert sample.enqueue_time_ns > 0.5 * sample.wall_time_ns


def test_no_sample_traces_the_function_again_nor_does_looking_at_its_graph(client: MeasureClient) -> None:
    for strategy in ("none", "graph_loop_kept"):
        samples = client.measure(case(strategy, epochs=30)).samples + client.measure(case(strategy, epochs=31)).samples

        assert {sample.graph_trace_count for sample in samples} == {1}
        assert len({sample.graph_node_count for sample in samples}) == 1


def test_the_trace_is_there_where_the_host_makes_one_call_an_epoch(client: MeasureClient) -> None:
    traced = client.measure(case("none")).steady_samples[0]
    single = client.measure(case("graph_loop_kept")).steady_samples[0]

    assert traced.call_end_ns is not None
    assert len(traced.call_end_ns) == 40
    assert list(traced.call_end_ns) == sorted(traced.call_end_ns)
    assert traced.call_end_ns[-1] == traced.enqueue_time_ns
    assert single.call_end_ns is None


def test_warm_up_is_recorded_before_the_samples(client: MeasureClient) -> None:
    samples = client.measure(case("none", operands=Operands(seed=5))).samples

    assert [sample.is_warmup for sample in samples] == sorted((sample.is_warmup for sample in samples), reverse=True)
    assert sum(sample.is_warmup for sample in samples) >= 5  # the first call, the second, and three without a trend


def test_a_case_that_would_overrun_its_budget_shrinks_and_says_so(client: MeasureClient) -> None:
    tight = replace(case(epochs=5000), sampling=SamplingPlan(min_samples=2, max_samples=2, budget_s=0.05))
    result = client.measure(tight)

    assert result.epoch_count < 5000
    assert {sample.epoch_count for sample in result.steady_samples} == {result.epoch_count}
    assert result.reason == f"shrunk from 5000 to {result.epoch_count} epochs to keep its budget of 0.05 s"


def test_operands_can_be_held_as_variables(client: MeasureClient) -> None:
    result = client.measure(case("none", operands=Operands(hold=Hold.VARIABLE)))

    assert verdict(result) is ProofVerdict.PROVEN


def test_the_device_is_read_back_from_the_operand(client: MeasureClient) -> None:
    assert (client.measure(case()).ran_on or "").endswith("device:CPU:0")


def test_mnist_that_cannot_be_found_stops_the_sweep_with_a_sentence(client: MeasureClient) -> None:
    operands = Operands(OperandSource.MNIST, mnist_path="/nowhere/mnist.npz")

    with pytest.raises(DeviceError, match=r"cannot be read as mnist\.npz"):
        client.measure_ceiling(Precision.FP32, operands, Shape(10, 784, 10))


def test_calibration_picks_a_shape_whose_epoch_dwarfs_its_enqueueing(client: MeasureClient) -> None:
    shape = client.calibrate(Precision.FP32, Operands())

    assert (shape.inner, shape.units) == (784, 512)
    assert shape.rows >= 64


def test_no_proven_rate_beats_the_ceiling(client: MeasureClient) -> None:
    ceiling = client.measure_ceiling(Precision.FP32, Operands(), SHAPE)
    result = client.measure(case("graph_loop_kept", epochs=45))
    judged = judge(result, ceiling_flop_per_s=ceiling.flop_per_s, uncertainty_fraction=ceiling.uncertainty_fraction)

    assert judged.proof is not None
    assert judged.proof.verdict is ProofVerdict.PROVEN


def _is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_every_name_in_the_catalogue_has_its_function_and_none_is_missing() -> None:
    code = (
        "from bench_core.measure.worker import settings, strategies\n"
        "print(' '.join(strategies.STRATEGIES), ';', ' '.join(settings.SETTINGS))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    strategies, settings = shown.strip().splitlines()[-1].split(";")

    assert strategies.split() == list(STRATEGIES)
    assert settings.split() == list(SETTINGS)


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_what_an_ended_worker_leaves_goes_at_the_next_start_at_the_latest(
    ending: signal.Signals, tmp_path: Path
) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "TF_CPP_MIN_LOG_LEVEL": "2"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}

    def folders_beside(signalled: signal.Signals) -> int:
        with subprocess.Popen(OWN_WORKER, env=environment, **pipes) as worker:  # type: ignore[call-overload]
            assert b"ready" in worker.stdout.readline()
            count = len(list(tmp_path.iterdir()))
            worker.send_signal(signalled)
        return count

    assert folders_beside(ending) == 1
    assert len(list(tmp_path.iterdir())) == (1 if ending is signal.SIGKILL else 0)
    assert folders_beside(signal.SIGTERM) == 1
    assert list(tmp_path.iterdir()) == []
