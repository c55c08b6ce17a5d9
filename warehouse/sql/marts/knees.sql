-- One row per run and curve that has a knee, from the newest finding.
with

knees as (

    select *
    from findings
    where kind = 'curve' and knee_epoch_count is not null

)

select
    runs.run_id,
    runs.started_at,
    runs.host,
    runs.device,
    runs.device_kind,
    runs.device_uuid,
    runs.device_name,
    knees.precision,
    knees.mitigation,
    knees.shape,
    knees.verdict,
    knees.confidence,
    knees.knee_epoch_count,
    knees.knee_interval,
    knees.queue_capacity,
    knees.queue_capacity_interval,
    knees.enqueue_s_per_epoch,
    knees.steady_s_per_epoch,
    knees.method_version
from knees
inner join runs using (run_id)
