-- One row per run.
select *
from stg_runs
