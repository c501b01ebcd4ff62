"""A terminal for the commands that documents show: what a person would see, without colour."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

COLUMNS, LINES = 100, 50

_ENVIRONMENT = {
    "TERM": "dumb",
    "COLUMNS": str(COLUMNS),
    "LINES": str(LINES),
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True)
class Command:
    """A command of a console block, the line in the block that it stands in, and the output that is shown."""

    text: str
    line: int
    output: str


def commands(text: str) -> list[Command]:
    """The commands of a console block: `$ command`, a backslash at the end of a line, then the output."""
    found: list[Command] = []
    continued = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            found.append(Command(line.removeprefix("$ "), number, ""))
        else:
            assert found, f"a console block begins with a command, found: {line}"
            last = found.pop()
            if continued:
                found.append(Command(f"{last.text}\n{line}", last.line, last.output))
            else:
                found.append(Command(last.text, last.line, f"{last.output}{line}\n"))
        continued = line.endswith("\\") and not found[-1].output
    return found


def run(command: str, folder: Path, *first: Path) -> str:
    """What a shell in the folder shows for the command: both outputs as they come, on a terminal of 100 columns.

    `first` are folders at the front of its path.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    path = os.pathsep.join([*map(str, first), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {name: value for name, value in os.environ.items() if name != "CERA_ENGINE"}
    shell = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**environment, **_ENVIRONMENT, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    output = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    shell.wait()
    return output.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other side is closed
        return b""


def agrees(shown: str, actual: str) -> bool:
    """Whether the output is the shown one: `…` stands for the rest of a word or line, a line of it for some lines.

    Blank lines and blanks at the ends of lines do not count.
    """
    pattern = "\n".join("(?:.*\n)*?.*" if line == "…" else _line_pattern(line) for line in _lines(shown))
    return re.fullmatch(pattern, "\n".join(_lines(actual))) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("…"))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
