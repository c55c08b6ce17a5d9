-- One row per run and case, failed cases included.
select *
from stg_cases
where run_id in (select run_id from shown_runs)
