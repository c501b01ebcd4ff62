"""Calls of programs, without a shell: the text is split into words, and then values are put into single words."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence

from cera.connectors.actions.action import ActionError
from cera.connectors.actions.failure import passing
from cera.connectors.actions.texts.interpreters import CODE_HINT, code_from_data, code_message
from cera.connectors.actions.texts.printf import ArgumentKind, FormatError, conversion_problems, parse_command
from cera.model.terms.term import Value

#: How much of a program's output is kept for a message.
_SHOWN = 500
#: The exit statuses of a shell for a program that may not be run or does not exist: retrying does not help.
_LASTING = (126, 127)


def command_problems(text: str, arguments: Sequence[ArgumentKind]) -> list[str]:
    """Returns the problems of a call with arguments of these kinds; none if it is right."""
    try:
        words = parse_command(text)
    except FormatError as error:
        return [str(error)]
    if (interpreter := code_from_data(text)) is not None:
        return [f"{code_message(interpreter)}; {CODE_HINT}"]
    if shutil.which(program := words[0].apply(())) is None:
        return [f"there is no program '{program}' that may be run"]
    return conversion_problems([conversion for word in words for conversion in word.conversions], arguments)


def words_of(text: str, values: Sequence[Value | None]) -> list[str]:
    """Returns the program and its arguments; a value never becomes more than one of them."""
    waiting = list(values)
    words = []
    for word in parse_command(text):
        taken = [waiting.pop(0) for _ in word.conversions if waiting]
        words.append(word.apply(taken))
    if waiting:
        raise FormatError(f"the call has fewer places than the {len(values)} arguments")
    return words


def call(words: Sequence[str], seconds: float, environment: Mapping[str, str]) -> bytes:
    """Returns the standard output of a program. Raises ActionError if it fails or takes too long."""
    try:
        running = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        again = isinstance(error, OSError) and passing(error)
        raise ActionError(f"{words[0]} could not be started: {error}", passing=again) from error
    try:
        written, complaints = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)  # with all processes that it has started
        running.communicate()
        raise ActionError(f"{words[0]} took longer than {seconds:g} seconds and was ended", passing=True) from None
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        raise
    if running.returncode:
        said = complaints.decode("utf-8", "replace").strip()[-_SHOWN:]
        reason = f"{words[0]} ended with status {running.returncode}{f': {said}' if said else ''}"
        raise ActionError(reason, passing=running.returncode not in _LASTING)
    return written
