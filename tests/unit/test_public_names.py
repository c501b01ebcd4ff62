"""The public names of the package are the ones it lists, and they are there."""

from __future__ import annotations

import cera


def test_the_public_names_are_these() -> None:
    names = """
    Answer CeraError CeraWarning Comparison DataError Derivation DerivedEvent Diagnostic EngineError Event
    FailedActionsError Interval Layout MatchLimitError Performed Program ProgramError Recipient RecursionLimitError
    Rejected Span Term Time UsageError compare load perform
    """
    assert sorted(cera.__all__) == names.split()
    assert all(hasattr(cera, name) for name in cera.__all__)


def test_each_error_has_the_exit_status_of_its_kind() -> None:
    statuses = {error: error.exit_status for error in (cera.ProgramError, cera.UsageError, cera.DataError)}
    assert statuses == {cera.ProgramError: 1, cera.UsageError: 2, cera.DataError: 3}
    assert cera.FailedActionsError.exit_status == 5
    assert {cera.EngineError.exit_status, cera.MatchLimitError.exit_status, cera.RecursionLimitError.exit_status} == {4}
