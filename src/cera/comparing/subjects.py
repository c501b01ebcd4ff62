"""The subjects of a comparison: event types, each in a module that detects it and nothing else.

The command line names a file and a type in it, or gives the text of a type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cera.diagnostics import Diagnostic, Source, did_you_mean
from cera.errors import ProgramError, UsageError
from cera.instances.types import ComplexType, Component, EventType, InstanceModule, TimerType
from cera.languages.protocol.language import Language
from cera.languages.protocol.results import CompileOptions
from cera.languages.registry import LANGUAGES, by_ending
from cera.model.url_paths import shown_path
from cera.modules.monitoring import MonitoredEvents, Output

#: The module of a source, or None; the types that it defines, in the order of the text; its diagnostics.
_Read = tuple[InstanceModule | None, Sequence[str], Sequence[Diagnostic]]

#: The languages of event types, and what their files end in.
TYPE_LANGUAGES = tuple(language for language in LANGUAGES if language.event_type is not None)
ENDINGS = tuple(language.ending for language in TYPE_LANGUAGES)

_FILE = re.compile(rf"(?P<path>[^\n]*(?:{'|'.join(map(re.escape, ENDINGS))}))(?::(?P<type>[\w-]+))?")
_DEFINITION = re.compile(r"(^|[;.\s])[A-Za-z_][\w-]*\s*:=")


@dataclass(frozen=True)
class Subject:
    """An event type and its display name."""

    name: str
    module: InstanceModule


def read(text: str) -> Subject:
    """Returns the type of a file, or of a text. Raises ProgramError if it has errors."""
    file = _FILE.fullmatch(text)
    return _of_text(text) if file is None else _of_file(Path(file["path"]), file["type"], text)


def _of_file(path: Path, type_name: str | None, name: str) -> Subject:
    try:
        source = Source(str(path), path.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{shown_path(path)} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
    language = by_ending(path.name)
    assert language is not None
    module, types, diagnostics = _module(source, language)
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
    """Returns the type of a text in any of the languages. Of several definitions the last one is meant."""
    if not text.strip():
        raise UsageError(
            f"an event type is expected: a file ({', '.join(ENDINGS)}), or the text of one; found an empty text"
        )
    if Path(text).suffix and _is_file(text):
        raise UsageError(f"{text}: event types are in files that end in {' or '.join(ENDINGS)}")
    source = Source("<text>", text if _DEFINITION.search(text) else f"Type := {text}")
    problems: list[Sequence[Diagnostic]] = []
    for language in TYPE_LANGUAGES:
        module, types, diagnostics = _module(source, language)
        if module is not None and types:
            return subject(" ".join(text.split()), module, types[-1])
        problems.append(diagnostics)
    raise ProgramError(sorted(problems, key=_progress)[-1])


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or not a path at all
        return False


def _progress(diagnostics: Sequence[Diagnostic]) -> int:
    """Returns how far the text was understood: the language in which it goes wrong later is the one that was meant."""
    return min((each.span.start for each in diagnostics if each.span is not None), default=0)


def _module(source: Source, language: Language[Any]) -> _Read:
    """Returns the module that a source is."""
    parsed = language.parse(source)
    types = [name for each in parsed.modules for name in each.definitions]
    if parsed.diagnostics:
        return None, types, parsed.diagnostics
    compiled = language.compile([parsed], CompileOptions())
    modules = [each.module for each in compiled.modules if isinstance(each.module, InstanceModule)]
    return next(iter(modules), None), types, compiled.diagnostics


def subject(name: str, module: InstanceModule, type_name: str) -> Subject:
    """Returns one type of a module as a subject. A timer is compared by its ticks."""
    by_name = {each.name: each for each in module.types}
    target = by_name[type_name]
    inside = _inside(target, by_name)
    types = tuple(_hidden(each) for each in module.types if each.name in inside)
    visible = _visible(target)
    output = Output(f"{module.name}.{visible.name}", visible.name, (), visible.label, ())
    made = replace(module, types=(*types, visible), outputs=(output,))
    return Subject(name, replace(made, monitored=tuple(_monitored(made))))


def _inside(target: EventType, by_name: Mapping[str, EventType]) -> set[str]:
    """Returns the types that it is made of; a timer is among them, because its ticks need a type that reads them."""
    found = {target.name} if isinstance(target, TimerType) else set()
    waiting = [target]
    while waiting:
        for name in component_types(waiting.pop()):
            if name in by_name and name not in found:
                found.add(name)
                waiting.append(by_name[name])
    return found


def component_types(type_: EventType) -> tuple[str, ...]:
    match type_:
        case ComplexType():
            return tuple(each.type for each in type_.components)
        case TimerType():
            return (type_.start,) if type_.stop is None else (type_.start, type_.stop)


def _hidden(type_: EventType) -> EventType:
    """Hides a type that is not compared itself; it keeps its attributes."""
    return replace(type_, hidden=True) if isinstance(type_, ComplexType) else type_


def _visible(type_: EventType) -> ComplexType:
    """Returns the compared type without children: its detections are compared by what they are based on."""
    match type_:
        case ComplexType():
            return replace(type_, hidden=False, fields=(), folds=())
        case TimerType():
            ticks = (Component(type_.name, type_.name),)
            return ComplexType(f"{type_.name}/", "or", ticks, label=type_.name, fields=())


def _monitored(module: InstanceModule) -> Iterator[MonitoredEvents]:
    """Returns the events that matter: those of its components, and all if every event interrupts something."""
    named = {name for each in module.types for name in component_types(each)}
    every = any(isinstance(each, ComplexType) and each.continuous for each in module.types)
    return (each for each in module.monitored if every or each.predicate in named)


def complex_types(modules: Iterable[InstanceModule]) -> Iterator[tuple[InstanceModule, ComplexType]]:
    for module in modules:
        for each in module.types:
            if isinstance(each, ComplexType):
                yield module, each
