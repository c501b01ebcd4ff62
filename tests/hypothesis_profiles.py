"""How many examples hypothesis tries: as many as a test says, or a share of them: an eighth in `make test`, a tenth in
`make quick`."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

#: What hypothesis tries where a test does not say, so that the profile's number is the percentage of examples.
_EXAMPLES = 100

QUICK = 10


def load(percent: int) -> None:
    """Chooses the share of the examples; before the tests are imported, because `examples` is asked there."""
    # a slow machine is not a failure
    shared = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("cera", shared, max_examples=max(1, _EXAMPLES * percent // 100))
    settings.load_profile("cera")


def examples(usual: int) -> int:
    """Returns how many examples to try in this run where `make test-long` tries `usual`."""
    return max(1, usual * settings.default.max_examples // _EXAMPLES)
