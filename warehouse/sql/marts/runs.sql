-- One row per run.
select *
from stg_runs
where run_id in (select run_id from shown_runs)
