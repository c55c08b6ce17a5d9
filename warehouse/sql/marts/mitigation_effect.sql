-- One row per run, device, precision, shape, epoch count and mitigation, against the control at equal FLOP.
-- A mitigation or control without proof of work is shown with its verdict and has no ratio: it is ranked nowhere.
with

proven_or_not as (

    select *
    from cases
    where outcome = 'measured' and proof_verdict is not null

),

controls as (

    select *
    from proven_or_not
    where mitigation = 'none'

),

compared as (

    select
        mitigated.*,
        controls.proof_verdict as control_proof_verdict,
        controls.wall_time_s as control_wall_time_s,
        controls.enqueue_time_s as control_enqueue_time_s,
        controls.peak_memory_bytes as control_peak_memory_bytes,
        controls.first_result_time_s as control_first_result_time_s,
        mitigated.proof_verdict = 'proven' and controls.proof_verdict = 'proven' as is_comparable

    from proven_or_not as mitigated
    inner join controls
        on
            mitigated.run_id = controls.run_id
            and mitigated.device = controls.device
            and mitigated.precision = controls.precision
            and mitigated.shape = controls.shape
            and mitigated.epoch_count = controls.epoch_count
            and mitigated.operand_source = controls.operand_source
            and mitigated.hold = controls.hold
            and mitigated.operand_seed = controls.operand_seed

    where mitigated.mitigation <> 'none'

),

effects as (

    select *
    from findings
    where kind = 'mitigation'

)

select
    compared.run_id,
    compared.started_at,
    compared.host,
    compared.device,
    compared.device_uuid,
    compared.precision,
    compared.mitigation,
    compared.strategy,
    compared.settings,
    compared.shape,
    compared.epoch_count,
    compared.wall_time_s,
    compared.control_wall_time_s,
    case
        when compared.is_comparable then compared.control_wall_time_s / nullif(compared.wall_time_s, 0)
    end as speedup,
    compared.enqueue_time_s,
    compared.control_enqueue_time_s,
    compared.peak_memory_bytes,
    compared.control_peak_memory_bytes,
    compared.first_result_time_s,
    compared.control_first_result_time_s,
    effects.steady_cost_ratio,
    effects.steady_cost_ratio_interval,
    effects.enqueue_cost_ratio,
    compared.proof_verdict,
    compared.control_proof_verdict,
    effects.verdict,
    effects.sentence
from compared
left join effects
    on
        compared.run_id = effects.run_id
        and compared.precision = effects.precision
        and compared.mitigation = effects.mitigation
        and compared.shape = effects.shape
