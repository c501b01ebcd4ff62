"""Programs of Snoop, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence

from cera.diagnostics import Source
from cera.languages.cet.compilation import CLASH, compiled_types, explained_types
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import Compilation, CompiledModule, ParsedSource, module_of_file
from cera.languages.snoop.compiler import instance_module, to_cet
from cera.languages.snoop.parser import parse
from cera.languages.snoop.syntax import Program


def parsed_source(source: Source) -> ParsedSource[Program]:
    """Reads a source."""
    parsed = parse(source)
    names = tuple(each.name.name for each in parsed.program.definitions)
    return ParsedSource(source, (module_of_file(source, parsed.program, names, CLASH),), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Program]]) -> Compilation:
    """Compiles the event types that each file becomes."""
    return compiled_types(parsed, instance_module)


def explained(module: CompiledModule[Program]) -> Explanation:
    """Returns the event types of a file, with what they remember."""
    return explained_types(module, to_cet(module.syntax))
