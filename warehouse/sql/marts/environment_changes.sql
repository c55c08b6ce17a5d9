-- One row per run and part of its environment that differs from the run before on the same physical device.
with

parts as (

    select
        run_id,
        started_at,
        host,
        device_uuid,
        unnest([
            {'name': 'host', 'value': host},
            {'name': 'os', 'value': os},
            {'name': 'device_name', 'value': device_name},
            {'name': 'cpu_model', 'value': cpu_model},
            {'name': 'logical_cpu_count', 'value': logical_cpu_count::varchar},
            {'name': 'memory_bytes', 'value': memory_bytes::varchar},
            {'name': 'python_version', 'value': python_version},
            {'name': 'numpy_version', 'value': numpy_version},
            {'name': 'tensorflow_version', 'value': tensorflow_version},
            {'name': 'driver_version', 'value': driver_version},
            {'name': 'cuda_version', 'value': cuda_version},
            {'name': 'variables', 'value': variables::varchar},
            {'name': 'cliffwatch_version', 'value': cliffwatch_version}
        ]) as part
    from runs

),

compared as (

    select
        run_id,
        started_at,
        host,
        device_uuid,
        part.name as environment_part,
        part.value as environment_value,
        lag(run_id) over previous as previous_run_id,
        lag(part.value) over previous as previous_environment_value
    from parts
    window previous as (partition by device_uuid, part.name order by started_at, run_id)

)

select *
from compared
where previous_run_id is not null and environment_value is distinct from previous_environment_value
