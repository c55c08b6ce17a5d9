-- One row per run and case, failed cases included.
select *
from stg_cases
