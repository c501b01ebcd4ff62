"""A property becomes two tests: a short one that always runs the same way, and a long one that searches further."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")


def holds_for(
    strategy: SearchStrategy[Drawn], *, short: int = 150, long: int = 2_000
) -> Callable[[Callable[[Drawn], None]], Callable[[int], None]]:
    """The decorated property holds for so many examples of the strategy; a failure shows the smallest one found."""

    def decorate(check: Callable[[Drawn], None]) -> Callable[[int], None]:
        @pytest.mark.parametrize(
            "examples", [pytest.param(short, id="short"), pytest.param(long, id="long", marks=pytest.mark.long)]
        )
        def test(examples: int) -> None:
            searching = examples == long
            profile = settings(
                max_examples=examples,
                deadline=None,
                derandomize=not searching,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
                print_blob=False,
            )
            profile(given(strategy)(check))()

        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate
