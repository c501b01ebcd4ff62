"""Settings for all tests: a slow machine is no failure."""

from hypothesis import HealthCheck, settings

settings.register_profile("cera", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cera")
