"""Calls of programs: words are cut before values are put in, and no shell reads anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.connectors.actions.action import ActionError
from cera.connectors.actions.commands import call, command_problems, words_of
from cera.connectors.actions.texts.printf import FormatError

HOSTILE = "$(touch /tmp/x); rm -rf / 'a b' \"c\" `id` | cat"


@given(st.text() | st.just(HOSTILE))
def test_a_value_is_one_argument_whatever_is_in_it(value: str) -> None:
    assert words_of("mail -s 'to %s' %s", [value, value]) == ["mail", "-s", f"to {value}", value]


@pytest.mark.processes
def test_a_program_gets_the_value_as_it_is() -> None:
    assert call(words_of("printf '<%%s>' %s", [HOSTILE]), 10, {}) == f"<{HOSTILE}>".encode()


@pytest.mark.processes
def test_a_program_that_fails_or_takes_too_long_or_is_not_there_is_told() -> None:
    with pytest.raises(ActionError, match="sh ended with status 3: no way"):
        call(["sh", "-c", "echo no way >&2; exit 3"], 10, {})
    with pytest.raises(ActionError, match=r"sleep took longer than 0\.05 seconds"):
        call(["sleep", "60"], 0.05, {})
    with pytest.raises(ActionError, match="took longer"):
        call(["sh", "-c", "sleep 60 & sleep 60"], 0.05, {})
    with pytest.raises(ActionError, match="could not be started"):
        call(["there-is-no-such-program"], 1, {})
    with pytest.raises(ActionError, match="could not be started"):
        call(["echo", "a\0b"], 1, {})


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("echo %s", 1, None),
        ("echo 'a | b' \"c > d\" \\;", 0, None),
        ("echo %s", 0, "places for 1 value"),
        ("echo %s | cat", 1, "'|' is for a shell, and none is used"),
        ("echo %s > file", 1, "'>' is for a shell"),
        ("echo `id`", 0, "'`' is for a shell"),
        ("echo 'a", 0, "cannot be cut into words"),
        ("%s -l", 1, "the program itself must not come from data"),
        ("", 0, "the call is empty"),
        ("no-such-program", 0, "there is no program 'no-such-program'"),
        ("echo %d", 1, None),
    ],
)
def test_wrong_calls_are_found_before_a_run(text: str, arguments: int, expected: str | None) -> None:
    found = command_problems(text, [None] * arguments)
    assert expected in found[0] if expected else not found


def test_values_that_are_too_many_are_refused() -> None:
    with pytest.raises(FormatError):
        words_of("echo %s", ["a", "b"])
    with pytest.raises(FormatError):
        words_of("echo %s %s", ["a"])
