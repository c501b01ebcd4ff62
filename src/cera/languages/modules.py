"""The modules of a program: those of EPL files and of Datalog_1S files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from cera.datalog.checks import check as check_datalog
from cera.datalog.directives import Section
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

#: The warning that a rule remembers events for ever.
UNBOUNDED = "EP501"
#: The name of a module of Datalog that is neither a file nor says one.
TEXT = "Text"


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
    """The enabled modules without errors, the names of all, what there is to say about the enabled ones, and the number
    of their rules that could be read."""

    found: tuple[ProgramModule, ...]
    names: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    rules: int

    def of(self, severity: str) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.severity == severity)

    @property
    def state_warnings(self) -> tuple[Diagnostic, ...]:
        """Where what must be remembered grows with the stream."""
        return tuple(each for each in self.of("warning") if each.code == UNBOUNDED)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Errors, and warnings about what a program says."""
        return (*self.of("error"), *(each for each in self.of("warning") if each.code != UNBOUNDED))


def read_modules(epl: Sequence[Source], datalog: Sequence[Source], enabled: Collection[str] | None) -> Modules:
    """Everything that is wrong is said; a module that does not run is looked at only as far as it can be read."""
    reading = _Reading(enabled)
    reading.epl(epl)
    for source in datalog:
        reading.datalog(source)
    return Modules(tuple(reading.found), tuple(reading.names), tuple(reading.diagnostics), reading.rules)


class _Reading:
    def __init__(self, enabled: Collection[str] | None) -> None:
        self._enabled = enabled
        self.found: list[ProgramModule] = []
        self.names: dict[str, Span | None] = {}
        self.diagnostics: list[Diagnostic] = []
        self.rules = 0

    def epl(self, sources: Sequence[Source]) -> None:
        parsed = [parse_epl(source) for source in sources]
        self.diagnostics += [diagnostic for each in parsed for diagnostic in each.diagnostics]
        modules = [module for each in parsed for module in each.modules]
        self.names |= {module.name.name: module.name.span for module in modules}
        running = [module for module in modules if self._runs(module.name.name)]
        self.rules += sum(len(module.rules) for module in running)
        if not self.diagnostics:
            self.diagnostics += check_modules(running)
        if not any(each.severity == "error" for each in self.diagnostics):
            self.found += [_compiled(module) for module in running]

    def datalog(self, source: Source) -> None:
        parsed = parse_datalog(source)
        self.diagnostics += parsed.diagnostics
        for section in parsed.modules:
            self._section(section, source, readable=not parsed.diagnostics)

    def _section(self, section: Section, source: Source, *, readable: bool) -> None:
        """A module of Datalog: it has the name that it says, or that of its file."""
        said = section.name
        name = said.name if said is not None else _file_name(source)
        span = said.span if said is not None else Span(source, 0, 0)
        self.diagnostics += self._twice(name, span)
        self.names.setdefault(name, span)
        if not self._runs(name):
            return
        self.rules += len(section.program.rules)
        if not readable:
            return
        module, problems = standalone(section, name, span)
        problems = (*check_datalog(section.program), *problems)
        errors = [each for each in problems if each.severity == "error"]
        self.diagnostics += errors or problems
        if not errors:
            self.found.append(ProgramModule(module, section.program))

    def _runs(self, name: str) -> bool:
        return self._enabled is None or name in self._enabled

    def _twice(self, name: str, span: Span | None) -> Iterator[Diagnostic]:
        if name in self.names:
            message = f"there are two modules with the name `{name}`; without `module Name.` it is that of the file"
            note = Note("here is the first", self.names[name])
            yield Diagnostic("EP101", "error", message, span, "rename one of them", (note,))


def _file_name(source: Source) -> str:
    """What a module is called that does not say it; a text that is no file has no other name either."""
    return TEXT if source.name.startswith("<") else PurePath(source.name).stem


def _compiled(module: Module) -> ProgramModule:
    compiled = compile_module(module)
    actions = tuple(
        RuleAction(rule.name, rule.action, rule.action.span or written.name.span)
        for written, rule in zip(module.rules, compiled.rules, strict=True)
        if rule.action is not None
    )
    return ProgramModule(event_module(module, compiled), translated(module), actions)
