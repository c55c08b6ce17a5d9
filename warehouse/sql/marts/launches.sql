-- One row per run, case, sample and call: the trace, kept for a year.
select *
from stg_launches
