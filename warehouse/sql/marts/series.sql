-- One row per series: a case on a physical device, whatever the run.
-- Grouping samples by series_id reads one text instead of five; what the id stands for is looked up here.
select
    series_id,
    any_value(device_uuid) as device_uuid,
    any_value(device_kind) as device_kind,
    any_value(precision) as precision,
    any_value(mitigation) as mitigation,
    any_value(strategy) as strategy,
    any_value(settings) as settings,
    any_value(shape) as shape,
    any_value(epoch_count) as epoch_count,
    any_value(flop_per_epoch) as flop_per_epoch,
    any_value(operand_source) as operand_source,
    any_value(hold) as hold,
    any_value(operand_seed) as operand_seed,
    count(*) as run_count
from cases
group by series_id
