"""The directives of a program, SEMANTICS and SOURCE, over all of its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from cera.diagnostics import Diagnostic, Note, did_you_mean
from cera.languages.xchangeeq.syntax import ProgramSyntax, SemanticsDirective, SourceDirective
from cera.rules.declarations import Attribute, DeclaredKind, SourceLabel
from cera.rules.reasoning.quotation import listed
from cera.rules.rule import Semantics

_SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)
_KINDS: tuple[str, ...] = get_args(DeclaredKind)


def chosen_semantics(files: Sequence[ProgramSyntax]) -> tuple[Semantics | None, list[Diagnostic]]:
    """Returns the semantics that the program asks for, if any, and errors in how it asks (XC006)."""
    first: SemanticsDirective | None = None
    chosen: Semantics | None = None
    problems: list[Diagnostic] = []
    for directive in _directives(files):
        semantics = next((name for name in _SEMANTICS if name == directive.name), None)
        if semantics is None:
            problems.append(_unknown(directive))
        elif first is None:
            first, chosen = directive, semantics
        elif semantics != chosen:
            problems.append(_contradiction(directive, first))
    return chosen, problems


def declared_sources(files: Sequence[ProgramSyntax]) -> tuple[tuple[SourceLabel, ...] | None, list[Diagnostic]]:
    """Returns the sources of all SOURCE directives, None if there is no such directive, and their errors (XC006)."""
    lists = [item.sources for file in files for item in file.items if isinstance(item, SourceDirective)]
    if not lists:
        return None, []
    sources = tuple(source for each in lists for source in each)
    return sources, [problem for source in sources for problem in _unknown_kinds(source.attributes or ())]


def _unknown_kinds(attributes: Sequence[Attribute]) -> Iterator[Diagnostic]:
    for attribute in attributes:
        if attribute.kind is not None and attribute.kind not in _KINDS:
            yield Diagnostic(
                "XC006",
                "error",
                f"there is no kind of values `{attribute.kind}`; there are {listed([f'`{kind}`' for kind in _KINDS])}",
                attribute.span,
                did_you_mean(attribute.kind, _KINDS)
                or f"leave it out if the values differ: SOURCE …{{ {attribute.name} }}",
            )
        yield from _unknown_kinds(attribute.children or ())


def _directives(files: Sequence[ProgramSyntax]) -> Iterator[SemanticsDirective]:
    return (item for file in files for item in file.items if isinstance(item, SemanticsDirective))


def _unknown(directive: SemanticsDirective) -> Diagnostic:
    return Diagnostic(
        "XC006",
        "error",
        f"there is no semantics `{directive.name}`; there are {' and '.join(f'`{name}`' for name in _SEMANTICS)}",
        directive.span,
        did_you_mean(directive.name, _SEMANTICS),
    )


def _contradiction(directive: SemanticsDirective, first: SemanticsDirective) -> Diagnostic:
    return Diagnostic(
        "XC006",
        "error",
        f"the program asks for the semantics `{directive.name}` here and for `{first.name}` elsewhere",
        directive.span,
        "all files of a program have one semantics; keep one of the directives",
        (Note(f"here it asks for `{first.name}`", first.span),),
    )
