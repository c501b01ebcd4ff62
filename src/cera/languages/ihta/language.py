"""IHTA as a language: each automaton of a file is a module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from cera.automata.module import AutomatonModule
from cera.automata.reports import step_text
from cera.automata.uniqueness import UniqueModule
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.ihta.checks import check, notes, unbounded
from cera.languages.ihta.lowering import Finder, lower
from cera.languages.ihta.parser import parse
from cera.languages.ihta.syntax import AutomatonText, Program, Use
from cera.languages.protocol.language import Explanation, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
    is_file,
)

_BEGIN = re.compile(r"\s*(use\s+\"|(strict\s+)?automaton\s)")


class Ihta(Language[Program]):
    name = "IHTA"
    short_name = "IHTA"
    ending = ".ihta"
    several_modules = True

    def claims(self, text: str) -> float:
        return 1.0 if _BEGIN.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Program]:
        parsed = parse(source)
        modules = tuple(
            ModuleText(Program((*parsed.program.uses, each)), each.header.name, each.header.span, (each.header.name,))
            for each in parsed.program.automata
        )
        return ParsedSource(source, modules, parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.ihta.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        modules: list[CompiledModule[object]] = []
        found: list[Diagnostic] = []
        state: list[Diagnostic] = []
        for file in (each for each in parsed if not each.diagnostics):
            for written in file.modules:
                [automaton] = written.syntax.automata
                used = UsedFiles(file.source)
                lowered, problems = lower(automaton, used.finder(written.syntax, automaton))
                problems += used.problems
                if lowered is not None:
                    problems += check(lowered)
                found += problems
                if lowered is not None and not any(each.severity == "error" for each in problems):
                    module = AutomatonModule(lowered, span=written.span)
                    modules.append(CompiledModule(module, written.syntax))
                    modules += (CompiledModule(each, written.syntax) for each in module.uniqueness)
                    found += notes(lowered)
                    state += unbounded(lowered)
        return Compilation(tuple(modules), tuple(in_source_order(found)), tuple(state))

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        if isinstance(module.module, UniqueModule):
            text = f"a value of {module.module.variable} belongs to one instance of {module.module.automaton}\n"
            kept = "for good" if module.module.memory is None else "as long as the automaton says"
            return Explanation("automaton", text, (f"the values that instances were entered with, {kept}",))
        assert isinstance(module.module, AutomatonModule)
        return Explanation("automaton", "\n".join(explained(module.module)) + "\n", tuple(remembered(module.module)))


class UsedFiles:
    """The automata of files that are used, read once."""

    def __init__(self, source: Source) -> None:
        self._folder = Path(source.name).parent if is_file(source) else Path()
        self.problems: list[Diagnostic] = []

    def finder(self, program: Program, own: AutomatonText) -> Finder:
        """Returns a function from names to the automata of used files."""
        known: dict[str, AutomatonText] = {}
        seen: set[Path] = set()
        for use in program.uses:
            self._read(use, self._folder, known, seen)
        known.pop(own.header.name, None)
        return known.get

    def _read(self, use: Use, folder: Path, known: dict[str, AutomatonText], seen: set[Path]) -> None:
        path = folder / use.path
        if path in seen:
            return
        seen.add(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            message = f'the file "{use.path}" cannot be read: {reason}'
            self.problems.append(Diagnostic("IH104", "error", message, use.span))
            return
        parsed = parse(Source(str(path), text))
        self.problems += parsed.diagnostics
        for each in parsed.program.automata:
            known.setdefault(each.header.name, each)
        for inner in parsed.program.uses:
            self._read(inner, path.parent, known, seen)


def explained(module: AutomatonModule) -> list[str]:
    """Returns the tree of states, and the transitions by role and trigger, as lines."""
    structure = module.structure
    lines = ["states:"]
    for path, state in structure.states.items():
        roles = [role for role, has in (("start", state.is_start), ("end", state.is_end)) if has]
        attributes = ", ".join(
            f"{name}({getattr(value, 'variable', getattr(value, 'value', ''))})" for name, value in state.attributes
        )
        name = f"{state.name}({attributes})" if attributes else state.name
        prefix = "" if state.identifier is None else f"{state.identifier}: "
        notes_ = f"  ({', '.join(roles)})" if roles else ""
        lines.append(f"{'  ' * len(path)}{prefix}{name}{notes_}")
    lines.append("transitions:")
    for step in structure.steps:
        executed = "a new instance" if step.level is None else f"instances of {step.level[-1]}"
        role = "" if step.role == "neither" else f", {step.role}"
        lines.append(f"  {step_text(step)}")
        lines.append(f"    {step.trigger}{role}; executed by {executed}")
    key = structure.key
    lines.append(f"partitioned by {key}" if key is not None else "in one partition")
    return lines


def remembered(module: AutomatonModule) -> list[str]:
    """Returns what is kept between events."""
    return ["the instances that have not ended, each with its variables and the last events"]


IHTA = Ihta()
