-- One row per run and hypothesis: supported, refuted or undecided, from the newest test.
select
    run_id,
    hypothesis,
    verdict,
    sentence,
    evidence,
    method_version,
    found_at
from findings
where kind = 'hypothesis'
