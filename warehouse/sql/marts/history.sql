-- One row per run and measured case, beside the run before it of the same case on the same physical device.
select
    device_uuid,
    device_kind,
    case_id,
    precision,
    mitigation,
    shape,
    epoch_count,
    run_id,
    started_at,
    host,
    cliffwatch_version,
    enqueue_s_per_epoch,
    wall_s_per_epoch,
    flop_per_s,
    lag(run_id) over previous as previous_run_id,
    lag(wall_s_per_epoch) over previous as previous_wall_s_per_epoch,
    wall_s_per_epoch / nullif(lag(wall_s_per_epoch) over previous, 0) as wall_time_ratio
from (

    select
        scaling_curve.*,
        runs.cliffwatch_version
    from scaling_curve
    inner join runs using (run_id)

)
window previous as (partition by device_uuid, case_id order by started_at, run_id)
