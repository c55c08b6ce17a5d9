"""Examples of each test: a few hundred in `make test`, a tenth of them in `make check`, ten thousand in `make fuzz`."""

from hypothesis import HealthCheck, settings

# Reading a table takes milliseconds and this may run beside a measurement: no example has a deadline.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}

settings.register_profile("brief", max_examples=30, **_COMMON)
settings.register_profile("few", max_examples=300, **_COMMON)
settings.register_profile("fuzz", max_examples=10_000, **_COMMON)
settings.load_profile("few")
