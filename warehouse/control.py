"""What a run's control left behind beside its times: memory, traces, counted work, lost cases."""

import duckdb

from bench_core.model.hypothesis import ControlRecord, SampleState

# Warm-up epochs count: memory and graphs remember them. Only steady samples are compared with each other.
_STATES = """
with

counted as (

    select
        *,
        sum(epoch_count) over (partition by case_id order by sample_index) as epochs_so_far

    from all_runs.samples
    where run_id = $run_id and mitigation = 'none' and precision = $precision and shape = $shape

)

select
    case_id,
    epochs_so_far::bigint,
    wall_time_s / epoch_count,
    coalesce(allocator_bytes, resident_bytes),
    graph_trace_count,
    graph_node_count
from counted
where not is_warmup
order by case_id, sample_index
"""

_WORK = """
select
    min(executed_matmuls),
    max(expected_matmuls),
    count(*) filter (outcome in ('crashed', 'out_of_memory'))
from all_runs.cases
where run_id = $run_id and mitigation = 'none' and precision = $precision and shape = $shape
"""


def read_control_record(
    connection: duckdb.DuckDBPyConnection, run_id: str, precision: str, shape: str
) -> ControlRecord:
    """The record of the control of one precision and shape, of a run of any status."""
    which = {"run_id": run_id, "precision": precision, "shape": shape}
    states = tuple(SampleState(*row) for row in connection.execute(_STATES, which).fetchall())
    row = connection.execute(_WORK, which).fetchone()
    executed, expected, lost = row or (None, None, 0)
    return ControlRecord(states, executed, expected, lost)
