-- One row per run that views show: complete ones. The schema all_runs has the same views over runs of every status.
select run_id
from raw_runs
where status = 'complete'
