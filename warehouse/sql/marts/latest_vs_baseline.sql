-- One row per physical device and case: its newest run against the median of up to eight runs before it.
with

numbered as (

    select
        *,
        row_number() over (partition by series_id order by started_at desc, run_id desc) as age
    from history

),

latest as (

    select *
    from numbered
    where age = 1

),

baselines as (

    select
        series_id,
        count(*) as baseline_run_count,
        median(wall_s_per_epoch) as baseline_wall_s_per_epoch,
        min(wall_s_per_epoch) as baseline_min_wall_s_per_epoch,
        max(wall_s_per_epoch) as baseline_max_wall_s_per_epoch
    from numbered
    where age between 2 and 9
    group by series_id

)

select
    latest.series_id,
    latest.device_uuid,
    latest.device_kind,
    latest.device,
    latest.case_id,
    latest.precision,
    latest.mitigation,
    latest.shape,
    latest.epoch_count,
    latest.run_id,
    latest.started_at,
    latest.wall_s_per_epoch,
    baselines.baseline_run_count,
    baselines.baseline_wall_s_per_epoch,
    baselines.baseline_min_wall_s_per_epoch,
    baselines.baseline_max_wall_s_per_epoch,
    latest.wall_s_per_epoch / nullif(baselines.baseline_wall_s_per_epoch, 0) as wall_time_ratio
from latest
inner join baselines using (series_id)
