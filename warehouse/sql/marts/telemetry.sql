-- One row per run, case and moment the device was looked at.
select *
from stg_telemetry
