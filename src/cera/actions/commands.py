"""Calls of programs, without a shell: the text is cut into words, and then values are put into single words."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence

from cera.actions.action import ActionError
from cera.model.printf import ArgumentKind, Format, FormatError, conversion_problems, parse_format
from cera.model.terms import Value

_QUOTED_OR_OPERATOR = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[|&;<>`]""", re.DOTALL)
#: How much of what a program writes is kept for a message.
_SHOWN = 500


def parse_command(text: str) -> list[Format]:
    """The words of a call. Raises FormatError."""
    for found in _QUOTED_OR_OPERATOR.finditer(text):
        if found[0] in "|&;<>`":
            raise FormatError(f"'{found[0]}' is for a shell, and none is used; call a script, or put it into quotes")
    try:
        words = [parse_format(word) for word in shlex.split(text)]
    except ValueError as error:  # FormatError is one too
        raise FormatError(f"the call cannot be cut into words: {error}") from None
    if not words:
        raise FormatError("the call is empty; it begins with the name of a program")
    if words[0].conversions:
        raise FormatError("the program itself must not come from data; write its name")
    return words


def command_problems(text: str, arguments: Sequence[ArgumentKind]) -> list[str]:
    """What is wrong with a call for arguments of which this is known; nothing if it is right."""
    try:
        words = parse_command(text)
    except FormatError as error:
        return [str(error)]
    if shutil.which(program := words[0].apply(())) is None:
        return [f"there is no program '{program}' that may be run"]
    return conversion_problems([conversion for word in words for conversion in word.conversions], arguments)


def words_of(text: str, values: Sequence[Value | None]) -> list[str]:
    """The program and its arguments; a value never becomes more than one of them."""
    waiting = list(values)
    words = []
    for word in parse_command(text):
        taken = [waiting.pop(0) for _ in word.conversions if waiting]
        words.append(word.apply(taken))
    if waiting:
        raise FormatError(f"the call has fewer places than the {len(values)} arguments")
    return words


def call(words: Sequence[str], seconds: float, environment: Mapping[str, str]) -> bytes:
    """What a program wrote on standard output. Raises ActionError where it fails or takes too long."""
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
        raise ActionError(f"{words[0]} could not be started: {error}") from error
    try:
        written, complaints = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)  # with whatever it has started itself
        running.communicate()
        raise ActionError(f"{words[0]} took longer than {seconds:g} seconds and was ended") from None
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        raise
    if running.returncode:
        said = complaints.decode("utf-8", "replace").strip()[-_SHOWN:]
        raise ActionError(f"{words[0]} ended with status {running.returncode}{f': {said}' if said else ''}")
    return written
