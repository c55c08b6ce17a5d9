"""What every column of every view means: one name has one meaning and one unit wherever it appears."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column as documentation shows it.

    Attributes:
        unit: of the values; empty for text, flags and lists.
    """

    meaning: str
    unit: str = ""

    @property
    def comment(self) -> str:
        """Meaning and unit in one line."""
        return f"{self.meaning} [{self.unit}]" if self.unit else self.meaning


_TIMERS = {
    "enqueue": "host time from the first call until the last returned, stalls included",
    "drain": "wait from the last call until the device was idle; null where nobody waited",
    "wall": "enqueue and drain together; null where nobody waited",
}
_PARTS = {
    "_mad": "median absolute deviation over samples",
    "_min": "smallest of the samples",
    "_p05": "5 % quantile over samples",
    "_p25": "25 % quantile over samples",
    "_p75": "75 % quantile over samples",
    "_p95": "95 % quantile over samples",
}

COLUMNS: dict[str, Column] = {
    # which run
    "run_id": Column("the run; ids sort by start"),
    "previous_run_id": Column("the run before it on the same physical device"),
    "status": Column("complete, partial (cancelled) or adopted (what a killed run left)"),
    "attempt": Column("1, and one more each time the run was resumed", "count"),
    "started_at": Column("when the run or the sample began", "UTC"),
    "committed_at": Column("when the run became visible", "UTC"),
    "spec_name": Column("name of the sweep"),
    "spec_json": Column("the sweep as asked for, canonical JSON"),
    "seed": Column("seed of the order of cases"),
    "case_count": Column("cases of the run, failed ones included", "count"),
    "sample_count": Column("samples: of a case the steady ones, of a run all of them", "count"),
    "launch_count": Column("calls in the traces of the run", "count"),
    "file_sha256": Column("SHA-256 of each file the run was committed with, by path below tables/"),
    "cliffwatch_version": Column("version of cliffwatch that measured"),
    "schema_version": Column("version of the columns written"),
    # on what
    "device": Column("device as requested, for example gpu:0 or cpu-async:256"),
    "device_kind": Column("cpu, cpu-async, gpu, or imported"),
    "device_uuid": Column("the physical device: the driver's UUID, or one made from the host's machine id"),
    "device_name": Column("the maker's name of the device"),
    "device_memory_bytes": Column("memory of the device, or in use on it at a reading", "bytes"),
    "host": Column("name of the machine"),
    "os": Column("operating system"),
    "cpu_model": Column("model of the processor"),
    "logical_cpu_count": Column("logical processors", "count"),
    "memory_bytes": Column("memory of the machine", "bytes"),
    "python_version": Column("version of Python"),
    "numpy_version": Column("version of NumPy"),
    "tensorflow_version": Column("version of TensorFlow"),
    "driver_version": Column("version of the GPU driver"),
    "cuda_version": Column("version of CUDA"),
    "variables": Column("environment variables that can change a result"),
    "ceiling_flop_per_s": Column(
        "best synchronised matmul rate found on this device in this run; in runs by precision", "FLOP/s"
    ),
    "ceiling_uncertainty_fraction": Column("relative uncertainty of the ceiling", "1"),
    "environment_part": Column("which part of the environment changed"),
    "environment_value": Column("its value in this run"),
    "previous_environment_value": Column("its value in the run before"),
    # which case
    "series_id": Column(
        "the same case on the same physical device, whatever index it had; null in samples of schema version 1"
    ),
    "case_id": Column("hash of what decides the result: the same case has the same id in every run"),
    "precision": Column("number format asked for: fp32, tf32, fp16 or bf16"),
    "mitigation": Column("strategy with any settings, as strategy+setting; none is the control"),
    "strategy": Column("how the same epochs are issued"),
    "settings": Column("how the process was prepared"),
    "tuned": Column("what the strategy chose for itself, by name"),
    "shape": Column("the matmul of one epoch, ROWSxINNERxUNITS"),
    "epoch_count": Column("epochs issued back to back and timed as one sample", "epochs"),
    "flop_per_epoch": Column("floating-point operations of one epoch", "FLOP"),
    "operand_source": Column("where the values of A come from: mnist, mnist-like or unknown"),
    "hold": Column("how the operands are held: constant, variable or unknown"),
    "operand_seed": Column("seed of the values of B"),
    "outcome": Column("how the case ended: measured, or why not"),
    "reason": Column("one sentence why there is no measurement, or why a file was set aside"),
    "stopped_by": Column("what ended sampling: interval, max_samples or budget"),
    "ran_on": Column("the device as TensorFlow reported it"),
    "warmup_count": Column("samples taken before the steady state", "count"),
    "ok_count": Column("samples the estimates are made from", "count"),
    "disturbed_count": Column("steady samples taken while throttled or beside another process", "count"),
    "peak_memory_bytes": Column("most memory seen in use: of the device, on a CPU of the process", "bytes"),
    "first_result_time_s": Column("wall time of the first sample, warm-up included", "s"),
    # proof
    "executed_matmuls": Column("matmuls counted in an untimed pass; null where no counter exists", "count"),
    "expected_matmuls": Column("matmuls the epochs of that pass need", "count"),
    "count_method": Column("how executed matmuls were counted"),
    "finish_lag_s": Column("how long a value of the last epoch was still awaited after the drain", "s"),
    "max_rel_error": Column("largest error of sampled elements against a float64 reference", "1"),
    "rms_rel_error": Column("root mean square of those errors", "1"),
    "tiny_rel_error": Column("the same for operands below fp16's range", "1"),
    "checksum_rel_error": Column("error of the sum to which every epoch contributed", "1"),
    "ran_as": Column("precision the evidence shows"),
    "proof_verdict": Column("what the proof of work says; only proven times are compared"),
    "control_proof_verdict": Column("the same for the control"),
    # one sample
    "sample_index": Column("position within the case, warm-up first, from 0"),
    "is_warmup": Column("taken before the steady state"),
    "is_ok": Column("part of the estimates: steady and undisturbed"),
    "disturbed_by": Column("what else had the device, or why it was throttled; null when nothing was seen"),
    "resident_bytes": Column("memory of the measuring process", "bytes"),
    "allocator_bytes": Column("what TensorFlow's allocator had in use", "bytes"),
    "allocator_peak_bytes": Column("the most it had in use so far", "bytes"),
    "graph_trace_count": Column("how often the strategy's function had been traced", "count"),
    "graph_node_count": Column("nodes of the graph its latest trace made", "count"),
    "epoch_index": Column("position of the call within the sample, from 0"),
    "call_end_s": Column("time from the start of the sample until the call returned", "s"),
    # telemetry
    "read_at": Column("when the reading was taken", "UTC"),
    "sm_clock_mhz": Column("clock of the streaming multiprocessors, or of the CPU", "MHz"),
    "memory_clock_mhz": Column("clock of the device's memory", "MHz"),
    "temperature_celsius": Column("temperature of the device", "degrees Celsius"),
    "power_w": Column("power drawn by the device", "W"),
    "throttle_reasons": Column("the driver's reasons for lowering clocks; empty when there are none"),
    "process_cpu_fraction": Column("CPU time of the measuring process, 1 is one core", "1"),
    "other_cpu_fraction": Column("CPU time of all other processes, 1 is one core", "1"),
    "load_average": Column("one-minute load of the system", "1"),
    "other_process_count": Column("other processes on the GPU", "count"),
    # per epoch, and rates
    "enqueue_s_per_epoch": Column("host cost of one epoch", "s"),
    "wall_s_per_epoch": Column("wall time divided by epochs", "s"),
    "steady_s_per_epoch": Column("device cost of one more epoch, fitted", "s"),
    "intercept_s": Column("cost at zero epochs, fitted", "s"),
    "flop_per_s": Column("rate", "FLOP/s"),
    "peak_fraction": Column("rate divided by the data sheet's peak of ran_as", "1"),
    # findings
    "kind": Column("what the finding is about: curve, hypothesis or mitigation"),
    "hypothesis": Column("H0 to H4"),
    "verdict": Column("the finding"),
    "also": Column("other verdicts that hold at the same time"),
    "confidence": Column("weight of the verdict among the models compared, 0 to 1", "1"),
    "knee_epoch_count": Column("epochs at which the slope of the unsynchronized curve changes", "epochs"),
    "knee_interval": Column("95 % interval of the knee, or the counts it lies between", "epochs"),
    "queue_capacity": Column("epochs accepted and not finished when the queue is full", "epochs"),
    "queue_capacity_interval": Column("95 % interval of the capacity", "epochs"),
    "evidence": Column("named numbers the verdict rests on, JSON"),
    "next_step": Column("the measurement that would settle what is open, JSON"),
    "sentence": Column("the finding in one sentence"),
    "method_version": Column("version of the method that found it"),
    "found_at": Column("when it was found", "UTC"),
    # comparisons
    "control_wall_time_s": Column("median wall time of the control", "s"),
    "control_enqueue_time_s": Column("median enqueue time of the control", "s"),
    "control_peak_memory_bytes": Column("peak memory of the control", "bytes"),
    "control_first_result_time_s": Column("first sample's wall time of the control", "s"),
    "speedup": Column("wall time of the control divided by this one's; null without proof of both", "1"),
    "steady_cost_ratio": Column("device cost per epoch divided by the control's, fitted", "1"),
    "steady_cost_ratio_interval": Column("95 % interval of that ratio", "1"),
    "enqueue_cost_ratio": Column("what the unsynchronized stopwatch shows divided by the control's", "1"),
    "previous_wall_s_per_epoch": Column("wall time per epoch of the run before", "s"),
    "wall_time_ratio": Column("wall time per epoch divided by that of the run before or the baseline", "1"),
    "baseline_run_count": Column("runs the baseline is made of, at most 8", "count"),
    "baseline_wall_s_per_epoch": Column("median wall time per epoch of the baseline", "s"),
    "baseline_min_wall_s_per_epoch": Column("smallest wall time per epoch of the baseline", "s"),
    "baseline_max_wall_s_per_epoch": Column("largest wall time per epoch of the baseline", "s"),
    # what is wrong
    "check_name": Column("which check found something"),
    "row_count": Column("how often", "count"),
    "file": Column("name the damaged file had"),
    "kept_as": Column("name it has in quarantine/"),
    **{f"{timer}_time_s": Column(f"{meaning}; of a case the median", "s") for timer, meaning in _TIMERS.items()},
    **{
        f"{timer}_time{part}_s": Column(f"{timer} time: {meaning}", "s")
        for timer in _TIMERS
        for part, meaning in _PARTS.items()
    },
}
