"""Calls in which a value would become code: a place for values in what a shell or another interpreter reads.

    sh -c 'echo %s'            the value is read by the shell: `$(rm -rf .)` is a value, too
    sh -c 'echo "$1"' sh %s    the value is an argument of the code, and never code

Known are the usual shells and interpreters, by their names, also behind programs that call others (`env`, `xargs`,
`busybox` …). A script that does the same inside cannot be seen.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from cera.model.printf import parse_format


@dataclass(frozen=True)
class _Interpreter:
    """How an interpreter is given code: after an option that `code` matches, else as a script, its first argument.

    `settings` are options with a value that data must not choose, `values` those with one that it may. `script` are
    those that name a file or a module with the code. With `repeats` the option may come several times, with `rest` all
    that follows it is code.
    """

    code: str
    settings: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    script: tuple[str, ...] = ()
    repeats: bool = False
    rest: bool = False


_SHELL = _Interpreter(r"-[A-Za-z]*c[A-Za-z]*|--command(=.*)?", ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
_BY_E = _Interpreter(r"-[A-Za-z0-9]*[eE].*", ("-I", "-M", "-m", "-r", "-C"), repeats=True)
_NODE = _Interpreter(r"-[a-z]*[ep][a-z]*|--eval(=.*)?|--print(=.*)?", ("-r", "--require", "--import"))
_AWK = _Interpreter(
    r"-e|--source(=.*)?", values=("-v", "-F", "--assign", "--field-separator"), script=("-f", "--file"), repeats=True
)
_SED = _Interpreter(r"-[A-Za-z]*e|--expression(=.*)?", values=("-l",), script=("-f", "--file"), repeats=True)
_PSQL = _Interpreter(r"-c.*|--command(=.*)?", values=("-d", "-h", "-U", "-p", "-v"), script=("-f",), repeats=True)
_ALL = _Interpreter(r".*", rest=True)
_INTERPRETERS = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash"), _SHELL),
    **dict.fromkeys(("su", "runuser", "script", "flock"), _SHELL),
    **dict.fromkeys(("python", "pypy"), _Interpreter(r"-[A-Za-z]*c.*", ("-W", "-X"), script=("-m",))),
    **dict.fromkeys(("perl", "ruby", "lua", "luajit", "osascript", "rscript"), _BY_E),
    **dict.fromkeys(("node", "nodejs", "bun", "deno"), _NODE),
    "php": _Interpreter(r"-[rBRE].*|--run(=.*)?", ("-d", "-c"), script=("-f",)),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _AWK),
    "sed": _SED,
    "psql": _PSQL,
    "cmd": _Interpreter(r"/[cCkKrR].*", rest=True),
    **dict.fromkeys(("powershell", "pwsh"), _Interpreter(r"[-/][cCeE].*", rest=True)),
    **dict.fromkeys(("ssh", "eval", "watch", "parallel"), _ALL),
}
#: Programs that call the program which their arguments name.
_CALLING = frozenset(
    {
        *("env", "sudo", "doas", "nohup", "nice", "ionice", "time", "timeout", "setsid", "stdbuf", "xargs", "find"),
        *("busybox", "toybox", "command", "exec", "chroot", "unshare", "nsenter", "docker", "podman", "kubectl"),
        *("strace", "ltrace", "systemd-run", "start-stop-daemon"),
    }
)
_SPLITTING = re.compile(r"-[A-Za-z]*S.*|--split-string.*", re.DOTALL)
_VERSION = re.compile(r"[-.]?[0-9][0-9.]*$")


def code_from_data(text: str) -> str | None:
    """The interpreter that would read a value of a call as code, or None. `parse_command` accepts the call."""
    words = shlex.split(text)
    taking_values = [bool(parse_format(word).conversions) for word in words]
    if not any(taking_values):
        return None
    for place, word in enumerate(words):
        name = _name(word)
        if name in _INTERPRETERS:
            found = _code_place(_INTERPRETERS[name], words[place + 1 :], taking_values[place + 1 :])
            if found:
                return name
        if name == "env" and any(_SPLITTING.fullmatch(each) for each in words[place + 1 :]):
            return name
        if place == 0 and name not in _CALLING:
            return None
    return None


def code_message(program: str) -> str:
    return f"`{program}` would read a value as code: an event could run anything"


CODE_HINT = "give the value as an argument of its own, for example sh -c 'echo \"$1\"' sh %s, or call a script with it"


def _name(word: str) -> str:
    """The name of a program without its folder, its ending and its version: `python` of /usr/bin/python3.11."""
    name = PurePath(word.replace("\\", "/")).name.lower().removesuffix(".exe")
    return _VERSION.sub("", name) or name


def _code_place(interpreter: _Interpreter, words: Sequence[str], taking_values: Sequence[bool]) -> bool:
    """Whether a value falls into the code, into an option before it, or into the name of a script."""
    after_option, given, place = False, False, 0
    while place < len(words):
        word, taking = words[place], taking_values[place]
        if re.fullmatch(interpreter.code, word, re.DOTALL):
            if interpreter.rest:
                return any(taking_values[place:])
            after_option = given = True
        elif not word.startswith(("-", "+")) or word == "-":
            if taking and (after_option or not given):
                return True
            if not interpreter.repeats or not given:
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
        if taking:
            return True
        place += 1
    return False
