"""Calls in which a value would become code: a place for values in what a shell or another interpreter reads.

    sh -c 'echo %s'            the value is read by the shell: `$(rm -rf .)` is a value, too
    sh -c 'echo "$1"' sh %s    the value is an argument of the code, and never code

Known are

- shells, wherever they stand in the call;
- the usual interpreters, by their names, also behind programs that call others (`env`, `xargs`, `flock` …);
- options that give code to most programs: `-c` and `-e` before a value among other text, `--eval` and the like;
- words that begin as commands of a client do (`.shell`, `\\!`), and values that name the program to call.

No list of programs is complete, and a script that does the same inside cannot be seen.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from cera.connectors.actions.texts.interpreter_table import (
    ASSIGNED_OR_NUMBER,
    CALLING,
    CLIENT_COMMAND,
    INTERPRETERS,
    JOINED_CODE,
    LONG_CODE,
    RUNS_ARGUMENTS,
    SHELL,
    SHELL_IN_WORD,
    SHELLS,
    SHORT_CODE,
    SPLITTING,
    WITHOUT_CODE,
    Interpreter,
)
from cera.connectors.actions.texts.printf import parse_format

_VERSION = re.compile(r"[-.]?[0-9][0-9.]*$")


def code_from_data(text: str) -> str | None:
    """Returns what would read a value of a call as code: an interpreter, or a program with its option; None if nothing
    does.

    The call is one that `parse_command` accepts.
    """
    words = shlex.split(text)
    taking_values = [bool(parse_format(word).conversions) for word in words]
    if not any(taking_values):
        return None
    return (
        _by_interpreter(words, taking_values)
        or _by_option(words, taking_values)
        or _by_word(words, taking_values)
        or _by_name(words, taking_values)
    )


def _by_interpreter(words: Sequence[str], taking_values: Sequence[bool]) -> str | None:
    """Returns the interpreter with a value in its code. Shells are found anywhere, others where a program can stand."""
    calling = _name(words[0]) in CALLING
    zeroth = None  # a shell's code may name the shell itself, as in sh -c 'echo "$1"' sh %s
    for place, word in enumerate(words):
        name, behind = _name(word), slice(place + 1, None)
        if place == zeroth or not (name in SHELLS or calling or place == 0):
            continue
        if name in INTERPRETERS and _code_place(INTERPRETERS[name], words[behind], taking_values[behind]):
            return name
        if name == "env" and any(SPLITTING.fullmatch(each) for each in words[behind]):
            return name
        if name in SHELLS and (code := _code_of_shell(words, place)) is not None:
            if RUNS_ARGUMENTS.fullmatch(words[code]) and any(taking_values[code + 1 :]):
                return name
            zeroth = code + 1
    return None


def _code_of_shell(words: Sequence[str], place: int) -> int | None:
    """Returns the place of the code that a shell is given by an option; None where it has a script."""
    options = [each for each in range(place + 1, len(words)) if re.fullmatch(SHELL.code, words[each])]
    following = range(options[0] + 1, len(words)) if options else ()
    return next((each for each in following if not words[each].startswith(("-", "+"))), None)


def _by_option(words: Sequence[str], taking_values: Sequence[bool]) -> str | None:
    """Returns the program and its option that takes code, as such options are usually named."""
    program = _name(words[0])
    for place, word in enumerate(words[1:], 1):
        follows = taking_values[place + 1 : place + 2] == [True]
        option = word.partition("=")[0]
        if LONG_CODE.fullmatch(word) and (taking_values[place] or (follows and "=" not in word)):
            return f"{program} {option}"
        if program in WITHOUT_CODE:
            continue
        if follows and SHORT_CODE.fullmatch(word) and not _is_value(words[place + 1]):
            return f"{program} {word}"
        if taking_values[place] and JOINED_CODE.fullmatch(word):
            return f"{program} {word[:2]}"
    return None


def _by_word(words: Sequence[str], taking_values: Sequence[bool]) -> str | None:
    """Returns the program in whose own language a word is, or that would hand it to a shell."""
    taking = [word for word, is_taking in zip(words, taking_values, strict=True) if is_taking]
    found = any(CLIENT_COMMAND.fullmatch(word) or SHELL_IN_WORD.fullmatch(word) for word in taking)
    return _name(words[0]) if found else None


def _by_name(words: Sequence[str], taking_values: Sequence[bool]) -> str | None:
    """Returns the program that would call another one whose name is a value."""
    if (program := _name(words[0])) not in CALLING:
        return None
    if program == "find":
        named = (each + 1 for each, word in enumerate(words[:-1]) if re.fullmatch(r"-(exec|ok)(dir)?", word))
        return program if any(taking_values[each] for each in named) else None
    for word, taking in zip(words[1:], taking_values[1:], strict=True):
        if not word.startswith("-") and not ASSIGNED_OR_NUMBER.fullmatch(word):
            return program if taking else None
    return None


def _is_value(word: str) -> bool:
    """Returns whether a word consists of the place of one value."""
    return len(parse_format(word).conversions) == 1 and re.fullmatch(r"%[^%\s]*[a-zA-Z]", word) is not None


def code_message(program: str) -> str:
    return f"`{program}` would read a value as code: an event could run anything"


CODE_HINT = "give the value as an argument of its own, for example sh -c 'echo \"$1\"' sh %s, or call a script with it"


def _name(word: str) -> str:
    """Returns the name of a program without its folder, ending and version: `python` of /usr/bin/python3.11."""
    name = PurePath(word.replace("\\", "/")).name.lower().removesuffix(".exe")
    return _VERSION.sub("", name) or name


def _code_place(interpreter: Interpreter, words: Sequence[str], taking_values: Sequence[bool]) -> bool:
    """Returns whether a value falls into the code, into an option before it, or into the name of a script."""
    after_option, given, place = False, False, 0
    while place < len(words):
        word, taking = words[place], taking_values[place]
        if re.fullmatch(interpreter.code, word, re.DOTALL):
            if interpreter.rest:
                return any(taking_values[place:])
            after_option = given = True
        elif not word.startswith(("-", "+")) or word == "-":
            if taking and (after_option or not (given or interpreter.operands)):
                return True
            if not interpreter.operands and (not interpreter.repeats or not given):
                return False
            after_option = False
            taking = False  # an argument, which is data
        elif word in interpreter.values:
            place += 1
        elif word in interpreter.script:
            return any(taking_values[place + 1 : place + 2])
        elif word in interpreter.settings:
            place += 1
            taking = any(taking_values[place : place + 1])
        if taking and not (interpreter.operands and not given):
            return True
        place += 1
    return False
