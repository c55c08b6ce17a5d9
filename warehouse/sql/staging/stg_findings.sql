-- One row per finding, of every run status, method version and time.
select
    run_id,
    precision,
    mitigation,
    shape,
    verdict,
    also,
    confidence,
    knee_epoch_count,
    knee_interval,
    queue_capacity,
    queue_capacity_interval,
    enqueue_s_per_epoch,
    steady_s_per_epoch,
    intercept_s,
    flop_per_s,
    peak_fraction,
    ran_as,
    evidence,
    next_step,
    method_version,
    make_timestamp_ns(found_at_ns) as found_at
from raw_findings
