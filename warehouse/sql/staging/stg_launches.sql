-- One row per run, case, sample and call: the trace.
select
    run_id,
    case_id,
    sample_index,
    epoch_index,
    call_end_ns / 1e9 as call_end_s
from raw_launches
