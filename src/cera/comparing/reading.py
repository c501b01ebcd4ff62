"""The types to compare, as the command line names them: `file.cet:E4`, or the text of a type or of an expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cera.comparing.subjects import Subject, subject
from cera.diagnostics import Diagnostic, Source, did_you_mean
from cera.errors import ProgramError, UsageError
from cera.instances.types import InstanceModule
from cera.languages.cet import hosting as cet_hosting
from cera.languages.cet import parser as cet_parser
from cera.languages.snoop import hosting as snoop_hosting
from cera.languages.snoop import parser as snoop_parser
from cera.model.url_paths import shown_path

#: The module of a source, or None; the types that it defines, in the order of the text; what there is to say about it.
_Read = tuple[InstanceModule | None, Sequence[str], Sequence[Diagnostic]]
_Reader = Callable[[Source, str], _Read]

_FILE = re.compile(r"(?P<path>[^\n]*\.(?P<language>cet|snoop))(?::(?P<type>[\w-]+))?")
_DEFINITION = re.compile(r"(^|[;.\s])[A-Za-z_][\w-]*\s*:=")


def read(text: str) -> Subject:
    """The type of a file, or of a text. Raises ProgramError for what is wrong in it."""
    file = _FILE.fullmatch(text)
    return _of_text(text) if file is None else _of_file(Path(file["path"]), file["language"], file["type"], text)


def _of_file(path: Path, language: str, type_name: str | None, name: str) -> Subject:
    try:
        source = Source(str(path), path.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
    module, types, diagnostics = READERS[language](source, path.stem)
    if module is None:
        raise ProgramError(diagnostics)
    meant = types[0] if type_name is None and len(types) == 1 else type_name
    if meant is None or meant not in types:
        raise UsageError(_unknown(path, type_name, types))
    return subject(name, module, meant)


def _unknown(path: Path, type_name: str | None, types: Sequence[str]) -> str:
    if not types:
        return f"{path} has no event type"
    listed = ", ".join(types)
    if type_name is None:
        return f"{path} has several event types; say which, as in {path}:{types[-1]}: {listed}"
    hint = did_you_mean(type_name, types)
    return f"{path} has no event type {type_name}; {hint or f'it has {listed}'}"


def _of_text(text: str) -> Subject:
    """Of a text in either language. Of several definitions the last one is meant."""
    if not text.strip():
        raise UsageError("an event type is expected: a file (.cet, .snoop), or the text of one; found an empty text")
    if Path(text).suffix and _is_file(text):
        raise UsageError(f"{text}: event types are in files that end in .cet or .snoop")
    source = Source("<text>", text if _DEFINITION.search(text) else f"Type := {text}")
    problems: list[Sequence[Diagnostic]] = []
    for reader in READERS.values():
        module, types, diagnostics = reader(source, "Text")
        if module is not None and types:
            return subject(" ".join(text.split()), module, types[-1])
        problems.append(diagnostics)
    raise ProgramError(sorted(problems, key=_progress)[-1])


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False


def _progress(diagnostics: Sequence[Diagnostic]) -> int:
    """How far the text was understood: the language in which it goes wrong later is the one that was meant."""
    return min((each.span.start for each in diagnostics if each.span is not None), default=0)


def _reader(parse: Callable[[Source], Any], instance_module: Callable[..., Any]) -> _Reader:
    def read_module(source: Source, name: str) -> _Read:
        parsed = parse(source)
        types = [each.name.name for each in parsed.program.definitions]
        if parsed.diagnostics:
            return None, types, parsed.diagnostics
        module, diagnostics = instance_module(parsed.program, name)
        return module, types, diagnostics

    return read_module


READERS: Mapping[str, _Reader] = {
    "cet": _reader(cet_parser.parse, cet_hosting.instance_module),
    "snoop": _reader(snoop_parser.parse, snoop_hosting.instance_module),
}
