"""The modules of a program: those of EPL and of Datalog_1S files, and files of event types, each of which is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from pathlib import PurePath

from cera.datalog.checks import check as check_datalog
from cera.datalog.directives import Section
from cera.datalog.modules import EventModule
from cera.datalog.syntax import Program
from cera.diagnostics import Diagnostic, Note, Source, Span, in_source_order
from cera.instances.types import InstanceModule
from cera.languages.cet import hosting as cet
from cera.languages.cet import syntax as cet_syntax
from cera.languages.cet.parser import parse as parse_cet
from cera.languages.datalog.parser import Parsed as ParsedDatalog
from cera.languages.datalog.parser import parse as parse_datalog
from cera.languages.datalog.standalone import event_module as standalone
from cera.languages.epl.checks import check_module, check_names
from cera.languages.epl.compiler import compile_module, translated
from cera.languages.epl.hosting import event_module
from cera.languages.epl.parser import parse as parse_epl
from cera.languages.epl.syntax import Action, Module
from cera.languages.snoop import hosting as snoop
from cera.languages.snoop import syntax as snoop_syntax
from cera.languages.snoop.parser import parse as parse_snoop

#: The warnings that events are remembered for ever.
UNBOUNDED = ("EP501", "CE501")
#: The name of a module that is neither a file nor says one.
TEXT = "Text"


@dataclass(frozen=True)
class RuleAction:
    """What a rule does for each of its events."""

    rule: str
    action: Action
    span: Span | None


@dataclass(frozen=True)
class ProgramModule:
    """A module that can run, and what its rules do: of Datalog with the program as it is shown, of event types with
    their text."""

    module: EventModule | InstanceModule
    source: Program | Module | None = None
    actions: tuple[RuleAction, ...] = ()
    types: cet_syntax.Program | snoop_syntax.Program | None = None

    @cached_property
    def shown(self) -> Program | None:
        """The program in Datalog as it is printed: of EPL, the translation of the paper."""
        return translated(self.source) if isinstance(self.source, Module) else self.source


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
        return tuple(each for each in self.of("warning") if each.code in UNBOUNDED)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Errors, and warnings about what a program says."""
        return (*self.of("error"), *(each for each in self.of("warning") if each.code not in UNBOUNDED))


@dataclass(frozen=True)
class Sources:
    """What is written in each language of modules."""

    epl: Sequence[Source] = ()
    datalog: Sequence[Source] = ()
    cet: Sequence[Source] = ()
    snoop: Sequence[Source] = ()


def read_modules(sources: Sources, enabled: Collection[str] | None) -> Modules:
    """Everything that is wrong is said; a module that does not run is looked at only as far as it can be read."""
    reading = _Reading(enabled)
    reading.epl(sources.epl)
    parsed = [parse_datalog(source) for source in sources.datalog]
    said = {section.name.name for each in parsed for section in each.modules if section.name is not None}
    unnamed = [
        source
        for source, each in zip(sources.datalog, parsed, strict=True)
        if any(section.name is None for section in each.modules)
    ]
    reading.clashing = _clashing({*reading.names, *said}, (*unnamed, *sources.cet, *sources.snoop))
    for source, each in zip(sources.datalog, parsed, strict=True):
        reading.datalog(source, each)
    for source in sources.cet:
        reading.cet(source)
    for source in sources.snoop:
        reading.snoop(source)
    return Modules(tuple(reading.found), tuple(reading.names), tuple(reading.diagnostics), reading.rules)


def _clashing(said: Collection[str], files: Iterable[Source]) -> frozenset[str]:
    """The names of files that a module has too, or a file with another ending: these are called with their endings."""
    counts = Counter([*said, *map(_file_name, files)])
    return frozenset(name for name, number in counts.items() if number > 1)


def language_of_types(source: Source) -> str:
    """The language of a text that is no file: the one in which it can be read, or goes wrong later."""
    found = {"complex event types": parse_cet(source).diagnostics, "Snoop": parse_snoop(source).diagnostics}

    def understood(language: str) -> float:
        return min((each.span.start for each in found[language] if each.span is not None), default=inf)

    return max(found, key=understood)


class _Reading:
    def __init__(self, enabled: Collection[str] | None) -> None:
        self._enabled = enabled
        self.found: list[ProgramModule] = []
        self.names: dict[str, Span | None] = {}
        self.diagnostics: list[Diagnostic] = []
        self.rules = 0
        #: The names of files that would be those of several modules.
        self.clashing: Collection[str] = ()

    def epl(self, sources: Sequence[Source]) -> None:
        parsed = [parse_epl(source) for source in sources]
        self.diagnostics += [diagnostic for each in parsed for diagnostic in each.diagnostics]
        modules = [module for each in parsed for module in each.modules]
        self.names |= {module.name.name: module.name.span for module in modules}
        running = [module for module in modules if self._runs(module.name.name)]
        self.rules += sum(len(module.rules) for module in running)
        found = [check_module(module) for module in running] if not self.diagnostics else []
        if not self.diagnostics:
            self.diagnostics += in_source_order([*chain.from_iterable(found), *check_names(running)])
        if not any(each.severity == "error" for each in self.diagnostics):
            self.found += [_compiled(module, checked) for module, checked in zip(running, found, strict=True)]

    def datalog(self, source: Source, parsed: ParsedDatalog) -> None:
        self.diagnostics += parsed.diagnostics
        for section in parsed.modules:
            self._section(section, source, readable=not parsed.diagnostics)

    def _section(self, section: Section, source: Source, *, readable: bool) -> None:
        """A module of Datalog: it has the name that it says, or that of its file."""
        said = section.name
        name = said.name if said is not None else self._name(source, ".dl1s")
        span = said.span if said is not None else Span(source, 0, 0)
        self.diagnostics += self._twice(name, span, "without `module Name.` it is that of the file")
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

    def cet(self, source: Source) -> None:
        parsed = parse_cet(source)
        name = self._name(source, ".cet")
        span = self._file(source, name, parsed.diagnostics, len(parsed.program.definitions))
        if span is not None:
            module, problems = cet.instance_module(parsed.program, name, span)
            self._types(module, problems, parsed.program)

    def snoop(self, source: Source) -> None:
        parsed = parse_snoop(source)
        name = self._name(source, ".snoop")
        span = self._file(source, name, parsed.diagnostics, len(parsed.program.definitions))
        if span is not None:
            module, problems = snoop.instance_module(parsed.program, name, span)
            self._types(module, problems, parsed.program)

    def _name(self, source: Source, ending: str) -> str:
        """What a module is called that does not say it: `p`, and `p.cet` where there are others with the name `p`."""
        name = _file_name(source)
        return f"{name}{ending}" if name in self.clashing else name

    def _file(self, source: Source, name: str, problems: Sequence[Diagnostic], rules: int) -> Span | None:
        """The place of a file that is a module, if it can be read and runs."""
        span = Span(source, 0, 0)
        self.diagnostics += [*problems, *self._twice(name, span, "a file of event types is a module with its name")]
        self.names.setdefault(name, span)
        if not self._runs(name):
            return None
        self.rules += rules
        return span if not problems else None

    def _types(
        self,
        module: InstanceModule | None,
        problems: Sequence[Diagnostic],
        program: cet_syntax.Program | snoop_syntax.Program,
    ) -> None:
        self.diagnostics += problems
        if module is not None:
            self.found.append(ProgramModule(module, types=program))

    def _runs(self, name: str) -> bool:
        return self._enabled is None or name in self._enabled

    def _twice(self, name: str, span: Span | None, why: str) -> Iterator[Diagnostic]:
        if name in self.names:
            message = f"there are two modules with the name `{name}`; {why}"
            note = Note("here is the first", self.names[name])
            yield Diagnostic("EP101", "error", message, span, "rename one of them", (note,))


def _file_name(source: Source) -> str:
    """The name of a file without its ending; a text that is not a file is called as all of them are."""
    return TEXT if source.name.startswith("<") else PurePath(source.name).stem


def _compiled(module: Module, checked: Sequence[Diagnostic]) -> ProgramModule:
    compiled = compile_module(module, checked)
    actions = tuple(
        RuleAction(rule.name, rule.action, rule.action.span or written.name.span)
        for written, rule in zip(module.rules, compiled.rules, strict=True)
        if rule.action is not None
    )
    return ProgramModule(event_module(module, compiled), module, actions)
