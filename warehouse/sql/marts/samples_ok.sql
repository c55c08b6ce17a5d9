-- One row per run, case and sample that estimates are made from: steady and undisturbed.
-- Where every steady sample of a case was disturbed, all of them are here: cases.disturbed_count tells.
select *
from samples
where is_ok
