-- One row per run and measured case, beside the run before it of the same case on the same physical device.
-- A GPU is known by its UUID: its index may change with a driver or a slot, and the history goes on.
select
    series_id,
    device_uuid,
    device_kind,
    device,
    case_id,
    precision,
    mitigation,
    shape,
    epoch_count,
    run_id,
    started_at,
    host,
    cliffwatch_version,
    enqueue_time_s / epoch_count as enqueue_s_per_epoch,
    wall_time_s / epoch_count as wall_s_per_epoch,
    flop_per_epoch::double * epoch_count / nullif(wall_time_s, 0) as flop_per_s,
    lag(run_id) over previous as previous_run_id,
    lag(wall_time_s / epoch_count) over previous as previous_wall_s_per_epoch,
    wall_time_s / nullif(lag(wall_time_s) over previous, 0) as wall_time_ratio
from cases
where outcome = 'measured'
window previous as (partition by series_id order by started_at, run_id)
