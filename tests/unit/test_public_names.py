"""The public names of the package are the ones it lists, and they are there."""

from __future__ import annotations

import inspect
import re
import sys

import pytest

import cera


def test_the_public_names_are_these() -> None:
    names = """
    Answer Calendar CeraError CeraWarning Comparison CsvDialect DataError Derivation DerivedEvent Diagnostic EngineError
    Event FailedActionsError Failure Interval Layout MatchLimitError Performed Program ProgramError Recipient
    RecursionLimitError Rejected Session Source Span State Term Time TimeFormat UsageError compare load perform
        state_of
    """
    assert sorted(cera.__all__) == names.split()
    assert all(hasattr(cera, name) for name in cera.__all__)


def test_each_error_has_the_exit_status_of_its_kind() -> None:
    statuses = {error: error.exit_status for error in (cera.ProgramError, cera.UsageError, cera.DataError)}
    assert statuses == {cera.ProgramError: 1, cera.UsageError: 2, cera.DataError: 3}
    assert cera.FailedActionsError.exit_status == 5
    assert {cera.EngineError.exit_status, cera.MatchLimitError.exit_status, cera.RecursionLimitError.exit_status} == {4}


def public_parts() -> list[tuple[str, object]]:
    """Returns the public functions and methods, and the class that users make instances of."""
    found: list[tuple[str, object]] = []
    for name in cera.__all__:
        part = getattr(cera, name)
        if inspect.isclass(part):
            found += [(name, part)] if part is cera.Layout else []
            found += [
                (f"{name}.{own}", value) for own, value in vars(part).items() if own[0] != "_" and callable(value)
            ]
        elif inspect.isfunction(part):
            found.append((name, part))
    return found


@pytest.mark.parametrize(("name", "part"), public_parts(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_type_in_a_public_signature_is_public(name: str, part: object) -> None:
    annotations = {key: str(value) for key, value in getattr(part, "__annotations__", {}).items() if key[0] != "_"}
    names = {word for text in annotations.values() for word in re.findall(r"[A-Z]\w+", text)}
    module = vars(sys.modules[getattr(part, "__module__", "builtins")])
    own = {word for word in names if inspect.isclass(module.get(word)) and module[word].__module__.startswith("cera.")}
    assert own <= set(cera.__all__), name
