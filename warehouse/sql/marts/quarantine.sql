-- One row per damaged file that was set aside, with the reason.
select *
from stg_quarantine
