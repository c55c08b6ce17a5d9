-- One row per damaged file that was set aside.
select
    run_id,
    file,
    kept_as,
    reason,
    make_timestamp(found_at_ns // 1000) as found_at
from raw_quarantine
