-- One row per run, case and moment a reading was taken.
select
    run_id,
    case_id,
    make_timestamp(read_at_ns // 1000) as read_at,
    device_memory_bytes,
    sm_clock_mhz,
    memory_clock_mhz,
    temperature_celsius,
    power_w,
    throttle_reasons,
    resident_bytes,
    process_cpu_fraction,
    other_cpu_fraction,
    load_average,
    other_process_count
from raw_telemetry
