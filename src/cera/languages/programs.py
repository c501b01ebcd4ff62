"""The files of a program as modules that run, whatever their languages, and the names of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from cera.diagnostics import Diagnostic, Note, Span
from cera.languages.protocol.language import Explanation, Language
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ModuleText, RuleAction
from cera.languages.registry import LANGUAGES, Recognition
from cera.modules.module import Module
from cera.modules.rules.module import RuleModule
from cera.rules.rule import Rule, RuleProgram


@dataclass(frozen=True)
class ProgramModule:
    """A module that can run, and the language that it is written in."""

    language: Language[Any]
    compiled: CompiledModule[Any]

    @property
    def module(self) -> Module:
        return self.compiled.module

    @property
    def actions(self) -> tuple[RuleAction, ...]:
        return self.compiled.actions

    def explanation(self) -> Explanation:
        return self.language.explain(self.compiled)

    def text(self, form: str, *, steps: bool = False) -> str | None:
        """Returns the module as another language writes it, with the steps that lead there if there are any; None if it
        has no such form."""
        known = self.language.forms.get(form)
        if known is None:
            return None
        return known.steps(self.compiled) if steps and known.steps is not None else known.text(self.compiled)


@dataclass(frozen=True)
class Modules:
    """The enabled modules without errors, the names of all, the diagnostics of the enabled ones, and the numbers of
    their rules, constraints and automata that could be read, by the words for one and for several of them.
    """

    found: tuple[ProgramModule, ...]
    names: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    state_warnings: tuple[Diagnostic, ...]
    definitions: Mapping[tuple[str, str], int]

    def of(self, severity: str) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.severity == severity)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The errors, and the warnings about what a program says."""
        return (*self.of("error"), *self.of("warning"))


@dataclass(frozen=True)
class CompiledProgram:
    """The rules of all files, which are one program, with the diagnostics of their text; and the modules."""

    rules: RuleModule
    rule_diagnostics: tuple[Diagnostic, ...]
    modules: Modules


@dataclass(frozen=True)
class NamedModules:
    """The sources with the names of their modules in the program, and the diagnostics of names."""

    sources: tuple[Recognition, ...]
    names: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def name_modules(sources: Sequence[Recognition]) -> NamedModules:
    """Gives every module its name: the one that it gives itself, or that of its file.

    Where others have the name of a file too, its module has the ending as well: `p.cet`.
    Languages come in their order, whatever that of the files.
    """
    ordered = sorted(sources, key=lambda source: LANGUAGES.index(source.language))
    shared = _shared_names(each for source in ordered for each in source.parsed.modules)
    first: dict[str, Span | None] = {}
    diagnostics: list[Diagnostic] = []
    named: list[Recognition] = []
    for source in ordered:
        modules = []
        for module in source.parsed.modules:
            if module.naming == "file" and module.name in shared:
                module = replace(module, name=f"{module.name}{source.language.ending}")
            if module.naming != "none":
                if module.name in first and module.clash is not None:
                    diagnostics.append(_twice(module, first[module.name]))
                first.setdefault(module.name, module.span)
            modules.append(module)
        named.append(replace(source, parsed=replace(source.parsed, modules=tuple(modules))))
    return NamedModules(tuple(named), tuple(first), tuple(diagnostics))


def _shared_names(modules: Iterable[ModuleText[Any]]) -> frozenset[str]:
    """Returns the names of files that a module has too, or a file with another ending."""
    several = list(modules)
    said = {each.name for each in several if each.naming == "own"}
    counts = Counter([*said, *(each.name for each in several if each.naming == "file")])
    return frozenset(name for name, number in counts.items() if number > 1)


def _twice(module: ModuleText[Any], first: Span | None) -> Diagnostic:
    message = f"there are two modules with the name `{module.name}`; {module.clash}"
    note = Note("here is the first", first)
    return Diagnostic("EP101", "error", message, module.span, "rename one of them", (note,))


def compile_program(named: NamedModules, options: CompileOptions, enabled: Collection[str] | None) -> CompiledProgram:
    """Compiles the enabled modules, all files of a language together.

    All errors are reported; a module that does not run is only parsed.
    """
    running = [_running(source, enabled) for source in named.sources]
    found: list[ProgramModule] = []
    diagnostics = list(named.diagnostics)
    state_warnings: list[Diagnostic] = []
    rules = RuleModule(RuleProgram(()))
    rule_diagnostics: tuple[Diagnostic, ...] = ()
    for language in LANGUAGES:
        files = [each.parsed for each in running if each.language is language]
        if not files:  # nor need its compiler be loaded
            continue
        compiled = language.compile(files, options)
        said = (*(each for file in files for each in file.diagnostics), *compiled.diagnostics)
        state_warnings += compiled.state_warnings
        if language.one_program:  # its rules are checked together, with what other modules derive
            rules, rule_diagnostics = _together(rules, _rules(compiled)), (*rule_diagnostics, *said)
            found += [ProgramModule(language, each) for each in compiled.modules[1:]]
            continue
        found += [ProgramModule(language, each) for each in compiled.modules]
        diagnostics += said
    definitions: Counter[tuple[str, str]] = Counter()
    for source in running:
        definitions[source.language.defines] += sum(len(each.definitions) for each in source.parsed.modules)
    modules = Modules(tuple(found), named.names, tuple(diagnostics), tuple(state_warnings), definitions)
    return CompiledProgram(rules, rule_diagnostics, modules)


def _together(one: RuleModule, other: RuleModule) -> RuleModule:
    """Returns the rules of two languages as one program, in which all see what all derive."""
    first, second = one.program, other.program
    if not first.rules or not second.rules:
        both = replace(first if first.rules else second, relations=(*first.relations, *second.relations))
        return replace(one if first.rules else other, program=both)
    taken = {rule.name for rule in first.rules}
    renamed: list[Rule] = []
    for rule in second.rules:
        names = chain((rule.name,), (f"{rule.name}#{number}" for number in count(2)))
        name = next(each for each in names if each not in taken)
        taken.add(name)
        renamed.append(replace(rule, name=name))
    program = replace(
        first,
        rules=(*first.rules, *renamed),
        declared=None,  # one of them speaks of its own events only
        relations=(*first.relations, *second.relations),
    )
    return replace(one, program=program)


def _rules(compiled: Compilation) -> RuleModule:
    """Returns the rules of a language whose files are one program; they are its first module."""
    first = compiled.modules[0].module
    assert isinstance(first, RuleModule)
    return first


def _running(source: Recognition, enabled: Collection[str] | None) -> Recognition:
    """Returns the source with those of its modules that run."""
    modules = (
        each for each in source.parsed.modules if each.naming == "none" or enabled is None or each.name in enabled
    )
    return replace(source, parsed=replace(source.parsed, modules=tuple(modules)))
