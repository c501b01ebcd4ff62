"""The modules of a program: those of EPL files, and Datalog_1S files, each of which is one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from cera.datalog.checks import check as check_datalog
from cera.datalog.modules import EventModule
from cera.datalog.parser import parse as parse_datalog
from cera.datalog.standalone import event_module as standalone
from cera.datalog.syntax import Program
from cera.diagnostics import Diagnostic, Note, Source, Span
from cera.languages.epl.checks import check_modules
from cera.languages.epl.compiler import compile_module, translated
from cera.languages.epl.hosting import event_module
from cera.languages.epl.parser import parse as parse_epl
from cera.languages.epl.syntax import Action, Module


@dataclass(frozen=True)
class RuleAction:
    """What a rule does for each of its events."""

    rule: str
    action: Action
    span: Span | None


@dataclass(frozen=True)
class ProgramModule:
    """A module that can run, its translation as it is shown, and what its rules do."""

    module: EventModule
    shown: Program
    actions: tuple[RuleAction, ...] = ()


@dataclass(frozen=True)
class Modules:
    """The enabled modules without errors, the names of all, and what there is to say about the enabled ones."""

    found: tuple[ProgramModule, ...]
    names: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    def of(self, severity: str) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.severity == severity)


def read_modules(epl: Sequence[Source], datalog: Sequence[Source], enabled: Collection[str] | None) -> Modules:
    """Everything that is wrong is said; a module that does not run is looked at only as far as it can be read."""
    reading = _Reading(enabled)
    reading.epl(epl)
    for source in datalog:
        reading.datalog(source)
    return Modules(tuple(reading.found), tuple(reading.names), tuple(reading.diagnostics))


class _Reading:
    def __init__(self, enabled: Collection[str] | None) -> None:
        self._enabled = enabled
        self.found: list[ProgramModule] = []
        self.names: dict[str, Span | None] = {}
        self.diagnostics: list[Diagnostic] = []

    def epl(self, sources: Sequence[Source]) -> None:
        parsed = [parse_epl(source) for source in sources]
        self.diagnostics += [diagnostic for each in parsed for diagnostic in each.diagnostics]
        modules = [module for each in parsed for module in each.modules]
        self.names |= {module.name.name: module.name.span for module in modules}
        running = [module for module in modules if self._runs(module.name.name)]
        if not self.diagnostics:
            self.diagnostics += check_modules(running)
        if not any(each.severity == "error" for each in self.diagnostics):
            self.found += [_compiled(module) for module in running]

    def datalog(self, source: Source) -> None:
        parsed = parse_datalog(source)
        name = PurePath(source.name).stem
        self.diagnostics += parsed.diagnostics
        self.diagnostics += self._twice(name, source)
        self.names.setdefault(name, Span(source, 0, 0))
        if parsed.diagnostics or not self._runs(name):
            return
        problems = check_datalog(parsed.program)
        module, wrong_events = standalone(parsed.program, name)
        self.diagnostics += [*problems, *wrong_events]
        if not problems and not wrong_events:
            self.found.append(ProgramModule(module, parsed.program))

    def _runs(self, name: str) -> bool:
        return self._enabled is None or name in self._enabled

    def _twice(self, name: str, source: Source) -> Iterator[Diagnostic]:
        if name in self.names:
            message = f"there are two modules with the name `{name}`; a Datalog file is called as its file is"
            note = Note("here is the first", self.names[name])
            yield Diagnostic("EP101", "error", message, Span(source, 0, 0), "rename one of them", (note,))


def _compiled(module: Module) -> ProgramModule:
    compiled = compile_module(module)
    actions = tuple(
        RuleAction(rule.name, rule.action, rule.action.span or written.name.span)
        for written, rule in zip(module.rules, compiled.rules, strict=True)
        if rule.action is not None
    )
    return ProgramModule(event_module(module, compiled), translated(module), actions)
