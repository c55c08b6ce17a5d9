-- One row per run, case and sample, warm-up included and marked.
select *
from stg_samples
where run_id in (select run_id from shown_runs)
