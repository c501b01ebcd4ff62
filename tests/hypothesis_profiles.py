"""How many examples hypothesis tries: as many as a test says, or with `--quick` a tenth of them."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL, QUICK = "cera", "quick"

#: What hypothesis tries where a test does not say.
_EXAMPLES = 100


def load(profile: str) -> None:
    """Chooses the profile; before the tests are imported, because `examples` is asked there."""
    settings.load_profile(profile)


def examples(usual: int) -> int:
    """Returns how many examples to try in this run where `usual` are tried in `make test`."""
    return max(1, usual * settings.default.max_examples // _EXAMPLES)


def _register() -> None:
    # a slow machine is not a failure
    shared = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile(USUAL, shared, max_examples=_EXAMPLES)
    settings.register_profile(QUICK, shared, max_examples=_EXAMPLES // 10)


_register()
