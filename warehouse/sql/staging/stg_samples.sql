-- One row per run, case and sample, warm-up included, of every run status.
select
    run_id,
    case_id,
    sample_index,
    epoch_count,
    is_warmup,
    make_timestamp_ns(started_at_ns) as started_at,
    enqueue_time_ns / 1e9 as enqueue_time_s,
    drain_time_ns / 1e9 as drain_time_s,
    (enqueue_time_ns + drain_time_ns) / 1e9 as wall_time_s
from raw_samples
