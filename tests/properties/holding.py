"""A property becomes two tests: a short one that always runs the same way, and a long one that searches further."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from hypothesis_profiles import examples

Drawn = TypeVar("Drawn")

#: How long a failing example is made smaller; hypothesis itself would take minutes.
SHRINKING_SECONDS = 30


def holds_for(
    strategy: SearchStrategy[Drawn], *, short: int = 75, long: int = 2_000
) -> Callable[[Callable[[Drawn], None]], Callable[[int], None]]:
    """The decorated property holds for so many examples of the strategy; a failure shows the smallest one found."""

    def decorate(check: Callable[[Drawn], None]) -> Callable[[int], None]:
        @pytest.mark.parametrize(
            "tried", [pytest.param(examples(short), id="short"), pytest.param(long, id="long", marks=pytest.mark.long)]
        )
        def test(tried: int) -> None:
            search = _Search(check)
            profile = settings(
                max_examples=tried,
                deadline=None,
                derandomize=tried != long,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
                report_multiple_bugs=False,
            )

            def run(drawn: Drawn) -> None:
                search.run(drawn)

            run.__name__ = run.__qualname__ = check.__name__
            try:
                profile(given(strategy)(run))()
            except (_EnoughError, BaseExceptionGroup):  # a group when it comes in the middle of the final replay
                if not search.over:
                    raise
                raise AssertionError(f"does not hold for\n{search.smallest}") from search.error

        test.__name__ = check.__name__
        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate


class _EnoughError(BaseException):
    """Leaves the search for a smaller example; hypothesis does not catch it."""


@dataclass
class _Search(Generic[Drawn]):
    """A check, and the smallest example that it has failed for."""

    check: Callable[[Drawn], None]
    smallest: str = ""
    error: Exception | None = None
    first_failure: float = field(default=float("inf"))

    @property
    def over(self) -> bool:
        return time.monotonic() > self.first_failure + SHRINKING_SECONDS

    def run(self, drawn: Drawn) -> None:
        if self.over:
            raise _EnoughError
        try:
            self.check(drawn)
        except Exception as error:
            self.first_failure = min(self.first_failure, time.monotonic())
            shown = repr(drawn)
            if self.error is None or len(shown) < len(self.smallest):
                self.smallest, self.error = shown, error
            raise
