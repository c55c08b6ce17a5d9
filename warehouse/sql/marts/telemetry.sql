-- One row per run, case and moment the device was looked at.
select *
from stg_telemetry
where run_id in (select run_id from shown_runs)
