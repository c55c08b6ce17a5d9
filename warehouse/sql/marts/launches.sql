-- One row per run, case, sample and call: the trace, kept for a year.
select *
from stg_launches
where run_id in (select run_id from shown_runs)
