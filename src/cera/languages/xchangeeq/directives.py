"""The directives of a program, SEMANTICS, SOURCE and RELATION, over all of its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from cera.diagnostics import Diagnostic, Note, did_you_mean
from cera.languages.xchangeeq.syntax import ProgramSyntax, RelationDirective, SemanticsDirective, SourceDirective
from cera.rules.declarations import Attribute, DeclaredKind, RelationDeclaration, SourceLabel
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


def declared_relations(files: Sequence[ProgramSyntax]) -> tuple[tuple[RelationDeclaration, ...], list[Diagnostic]]:
    """Returns the relations of all RELATION directives, and their errors (XC006)."""
    found: dict[str, RelationDeclaration] = {}
    problems: list[Diagnostic] = []
    for declared in (item.declared for file in files for item in file.items if isinstance(item, RelationDirective)):
        first = found.setdefault(declared.name, declared)
        if first is not declared:
            problems.append(_declared_twice(declared, first))
        problems += _unknown_kinds(declared.attributes or (), "RELATION")
        problems += _unknown_clauses(declared)
    return tuple(found.values()), problems


def _declared_twice(declared: RelationDeclaration, first: RelationDeclaration) -> Diagnostic:
    return Diagnostic(
        "XC006",
        "error",
        f"the relation `{declared.name}` is declared twice",
        declared.span,
        "keep one of the declarations",
        (Note("it is declared here first", first.span),),
    )


def _unknown_clauses(declared: RelationDeclaration) -> Iterator[Diagnostic]:
    """Yields an error for each attribute of VALID FROM that the relation does not have, and for REFRESH 0."""
    names = None if declared.attributes is None else [attribute.name for attribute in declared.attributes]
    clauses = () if declared.valid_from is None else (declared.valid_from, *declared.versions_of)
    for name in dict.fromkeys(clauses if names is not None else ()):
        if name not in (names or ()):
            message = f"VALID FROM names `{name}`, which is not an attribute of `{declared.name}`"
            there = f"there are {listed([f'`{each}`' for each in names or ()])}" if names else "it has none"
            yield Diagnostic("XC006", "error", message, declared.span, did_you_mean(name, names or ()) or there)
    if declared.refresh is not None and not (declared.refresh.months or declared.refresh.microseconds):
        message = "a relation that is read again after no time at all would be read all the time"
        yield Diagnostic("XC006", "error", message, declared.span, "give a duration above zero: REFRESH 1 hour")


def _unknown_kinds(attributes: Sequence[Attribute], directive: str = "SOURCE") -> Iterator[Diagnostic]:
    for attribute in attributes:
        if attribute.kind is not None and attribute.kind not in _KINDS:
            yield Diagnostic(
                "XC006",
                "error",
                f"there is no kind of values `{attribute.kind}`; there are {listed([f'`{kind}`' for kind in _KINDS])}",
                attribute.span,
                did_you_mean(attribute.kind, _KINDS)
                or f"leave it out if the values differ: {directive} …{{ {attribute.name} }}",
            )
        yield from _unknown_kinds(attribute.children or (), directive)


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
