"""A property becomes two tests: a short one that always runs the same way, and a long one that searches further."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")

#: How long a failing example is made smaller; hypothesis itself would take minutes.
SHRINKING_SECONDS = 40


def holds_for(
    strategy: SearchStrategy[Drawn], *, short: int = 150, long: int = 2_000
) -> Callable[[Callable[[Drawn], None]], Callable[[int], None]]:
    """The decorated property holds for so many examples of the strategy; a failure shows the smallest one found."""

    def decorate(check: Callable[[Drawn], None]) -> Callable[[int], None]:
        @pytest.mark.parametrize(
            "examples", [pytest.param(short, id="short"), pytest.param(long, id="long", marks=pytest.mark.long)]
        )
        def test(examples: int) -> None:
            profile = settings(
                max_examples=examples,
                deadline=None,
                derandomize=examples == short,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
            )
            profile(given(strategy)(_hurried(check)))()

        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate


def _hurried(check: Callable[[Drawn], None]) -> Callable[[Drawn], None]:
    """The check, which lets pass what it has not seen fail before when it has been failing for too long.

    That ends the search for a smaller example; the smallest one so far, which hypothesis tries again, still fails.
    """
    failed: set[str] = set()
    first_failure = float("inf")

    def run(drawn: Drawn) -> None:
        nonlocal first_failure
        if time.monotonic() > first_failure + SHRINKING_SECONDS and repr(drawn) not in failed:
            return
        try:
            check(drawn)
        except Exception:
            first_failure = min(first_failure, time.monotonic())
            failed.add(repr(drawn))
            raise

    run.__name__ = run.__qualname__ = check.__name__
    return run
