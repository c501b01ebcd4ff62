"""A language in one file: `alarm: smoke then heat`, a line each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from cera.diagnostics import Diagnostic, Source, Span
from cera.errors import ProgramError
from cera.instances.events.module import EventTypeModule
from cera.instances.types import ComplexType, Component
from cera.languages.protocol.language import Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)
from cera.modules.monitoring import MonitoredEvents, Output

#: The name of a type, and those of the two events that make it.
Definition = tuple[str, str, str]

_LINE = re.compile(r"\s*(\w+)\s*:\s*(\w+)\s+then\s+(\w+)\s*")


class Toy(Language[tuple[Definition, ...]]):
    name = "Toy"
    short_name = "Toy"
    ending = ".toy"
    signs = (" then ",)
    target = Target("toy", shown="the pairs", having="pairs", refusal="{} is not made of pairs")
    forms = MappingProxyType(
        {
            "toy": Form(lambda compiled: printed(compiled.syntax)),
            "cet": Form(lambda compiled: "".join(f"{n} := ;({a}, {b})\n" for n, a, b in compiled.syntax), "Toy", "Toy"),
        }
    )

    def claims(self, text: str) -> float:
        return 0.9 if _LINE.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[tuple[Definition, ...]]:
        definitions: list[Definition] = []
        problems: list[Diagnostic] = []
        start = 0
        for line in source.text.splitlines(keepends=True):
            if (found := _LINE.fullmatch(line)) is not None:
                definitions.append((found[1], found[2], found[3]))
            elif line.strip():
                span = Span(source, start, start + len(line.rstrip()))
                problems.append(Diagnostic("TY001", "error", "expected `name: first then second`", span))
            start += len(line)
        names = tuple(name for name, _, _ in definitions)
        module = module_of_file(source, tuple(definitions), names, "a file of pairs is a module")
        return ParsedSource(source, (module,), tuple(problems))

    def format(self, source: Source) -> str:
        parsed = self.parse(source)
        if parsed.diagnostics:
            raise ProgramError(parsed.diagnostics)
        return printed(parsed.modules[0].syntax)

    def compile(self, parsed: Sequence[ParsedSource[tuple[Definition, ...]]], options: CompileOptions) -> Compilation:
        written = [each for file in parsed if not file.diagnostics for each in file.modules]
        return Compilation(tuple(CompiledModule(lowered(each.name, each.syntax), each.syntax) for each in written))

    def explain(self, module: CompiledModule[tuple[Definition, ...]]) -> Explanation:
        return Explanation("pairs", printed(module.syntax))


def printed(definitions: Sequence[Definition]) -> str:
    return "".join(f"{name}: {first} then {second}\n" for name, first, second in definitions)


def lowered(name: str, definitions: Sequence[Definition]) -> EventTypeModule:
    labels = dict.fromkeys(label for _, *both in definitions for label in both)
    return EventTypeModule(
        name,
        tuple(MonitoredEvents(label, label) for label in labels),
        tuple(
            ComplexType(own, ";", (Component(first, first), Component(second, second)), label=own)
            for own, first, second in definitions
        ),
        tuple(Output(f"{name}.{own}", own, (first, second), own, ()) for own, first, second in definitions),
    )


TOY = Toy()
