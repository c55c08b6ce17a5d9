-- One row per run and check that found something; a run without rows here passed them all.
with

counted as (

    select
        run_id,
        count(*) as case_count,
        count(*) filter (where outcome <> 'measured') as failed_count,
        count(*) filter (where outcome = 'measured' and proof_verdict is distinct from 'proven') as unproven_count,
        count(*) filter (where disturbed_count > 0) as disturbed_count,
        count(*) filter (where outcome = 'measured' and disturbed_count = sample_count) as all_disturbed_count,
        count(*) filter (where outcome = 'measured' and ok_count < 3) as few_count,
        count(*) filter (where wall_time_mad_s > 0.1 * wall_time_s) as noisy_count,
        coalesce(sum(sample_count + warmup_count), 0) as sample_count
    from cases
    group by run_id

),

checks as (

    select
        runs.run_id,
        runs.started_at,
        unnest([
            {'check_name': 'case_failed', 'count': counted.failed_count},
            {'check_name': 'case_unproven', 'count': counted.unproven_count},
            {'check_name': 'case_disturbed', 'count': counted.disturbed_count},
            {'check_name': 'case_all_disturbed', 'count': counted.all_disturbed_count},
            {'check_name': 'case_with_under_3_samples', 'count': counted.few_count},
            {'check_name': 'case_with_mad_above_a_tenth', 'count': counted.noisy_count},
            {'check_name': 'case_count_differs', 'count': abs(counted.case_count - runs.case_count)},
            {'check_name': 'sample_count_differs', 'count': abs(counted.sample_count - runs.sample_count)},
            {'check_name': 'clock_went_backwards', 'count': (runs.committed_at < runs.started_at)::bigint}
        ]) as outcome
    from runs
    inner join counted using (run_id)

)

select
    run_id,
    started_at,
    outcome.check_name,
    outcome.count as row_count
from checks
where outcome.count > 0
