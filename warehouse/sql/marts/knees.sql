-- One row per run and curve that has a knee, from the newest finding.
with

findings as (

    select *
    from findings
    where knee_epoch_count is not null

),

runs as (

    select
        run_id,
        started_at,
        host,
        device,
        device_uuid,
        device_name
    from runs

)

select
    runs.run_id,
    runs.started_at,
    runs.host,
    runs.device,
    runs.device_uuid,
    runs.device_name,
    findings.precision,
    findings.mitigation,
    findings.shape,
    findings.verdict,
    findings.confidence,
    findings.knee_epoch_count,
    findings.knee_interval,
    findings.queue_capacity,
    findings.queue_capacity_interval,
    findings.enqueue_s_per_epoch,
    findings.steady_s_per_epoch,
    findings.method_version
from findings
inner join runs using (run_id)
