-- One row per run, device, precision, mitigation, shape and epoch count that was measured.
-- Medians over samples, from the roll-up each case carries: one late sample must not bend the curve.
select
    run_id,
    started_at,
    host,
    device,
    device_kind,
    device_uuid,
    precision,
    mitigation,
    strategy,
    settings,
    shape,
    epoch_count,
    case_id,
    series_id,
    ok_count,
    enqueue_time_s,
    drain_time_s,
    wall_time_s,
    wall_time_mad_s,
    wall_time_p05_s,
    wall_time_p95_s,
    enqueue_time_s / epoch_count as enqueue_s_per_epoch,
    wall_time_s / epoch_count as wall_s_per_epoch,
    flop_per_epoch,
    case when wall_time_s > 0 then flop_per_epoch::double * epoch_count / wall_time_s end as flop_per_s,
    ceiling_flop_per_s,
    proof_verdict
from cases
where outcome = 'measured'
