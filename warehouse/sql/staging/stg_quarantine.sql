-- One row per damaged file that was set aside.
select
    run_id,
    file,
    kept_as,
    reason,
    make_timestamp_ns(found_at_ns) as found_at
from raw_quarantine
