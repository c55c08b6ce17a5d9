-- One row per run and curve: the newest finding.
select *
from stg_findings
where run_id in (select run_id from shown_runs)
qualify row_number() over (
    partition by run_id, precision, mitigation, shape
    order by found_at desc
) = 1
