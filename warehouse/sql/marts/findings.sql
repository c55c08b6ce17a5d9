-- One row per run, kind and subject (a curve, a hypothesis or a mitigation): the newest finding.
select *
from stg_findings
qualify row_number() over (
    partition by run_id, kind, precision, mitigation, shape, hypothesis
    order by found_at desc
) = 1
