-- One row per run, case and sample, warm-up included and marked.
select *
from stg_samples
