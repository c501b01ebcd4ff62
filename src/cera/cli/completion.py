"""`cera --install-completion`: completion of commands, options and files in bash, zsh and fish."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from cera.cli import report

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_CERA_COMPLETE"


def install_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    """Writes the script of a shell and, for bash and zsh, the line that reads it; reports what was done."""
    if shell is None or ctx.resilient_parsing:
        return
    name = _shell() if shell == "auto" else shell
    script = _script_file(name)
    made = _write(script, _script(name, ctx.command))
    start = _start_file(name)
    line = f". {shlex.quote(str(script))}  # completion of cera"
    added = start is not None and _append(start, line)
    report.say(f"{script} {'written' if made else 'is up to date'}")
    if start is not None:
        report.say(f"{start} {'reads it now' if added else 'reads it already'}")
    report.say(f"start another {name} for it to take effect" if made or added else "nothing had to be done")
    ctx.exit()


def _shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        found = f"your shell is {name}" if name else "SHELL does not say which shell you have"
        raise click.UsageError(f"{found}; give one of {', '.join(SHELLS)}: cera --install-completion bash")
    return name


def _script(shell: str, command: click.Command) -> str:
    from click.shell_completion import get_completion_class

    known = get_completion_class(shell)
    assert known is not None
    completion = known(command, {}, "cera", _VARIABLE)
    return completion.source_template % completion.source_vars()


def _script_file(shell: str) -> Path:
    if shell == "fish":
        return _folder("XDG_CONFIG_HOME", ".config") / "fish" / "completions" / "cera.fish"
    return _folder("XDG_DATA_HOME", ".local/share") / "cera" / f"completion.{shell}"


def _start_file(shell: str) -> Path | None:
    """Returns the file that a shell reads when it starts; None for fish, which finds completions by itself."""
    match shell:
        case "bash":
            return Path.home() / ".bashrc"
        case "zsh":
            return Path(os.environ.get("ZDOTDIR") or Path.home()) / ".zshrc"
        case _:
            return None


def _folder(variable: str, usual: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / usual)


def _write(file: Path, text: str) -> bool:
    """Writes the file unless it is up to date; returns whether it had to."""
    try:
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}") from None
    return True


def _append(file: Path, line: str) -> bool:
    """Appends the line unless the file has it; returns whether it had to."""
    try:
        present = file.read_text(encoding="utf-8", errors="surrogateescape") if file.exists() else ""
        if line in present.splitlines():
            return False
        with file.open("a", encoding="utf-8") as stream:
            stream.write(("" if not present or present.endswith("\n") else "\n") + line + "\n")
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}") from None
    return True
