"""Queries compared with the declarations of SOURCE: unknown attributes, and values of another kind. XC110, XC111."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.model.events.attributes import Path
from cera.model.events.event import STATE_ID
from cera.model.events.states import is_ending, state_label
from cera.rules.analysis.attribute_kinds import expected_kinds
from cera.rules.analysis.labels_and_attributes import asked_attributes
from cera.rules.analysis.producers import Producers
from cera.rules.declarations import Attribute
from cera.rules.reasoning.quotation import listed
from cera.rules.reasoning.value_kinds import BOOLEAN, NUMBER, STRING, Kinds
from cera.rules.rule import RuleProgram

_KINDS: Mapping[str, Kinds] = {"string": STRING, "number": NUMBER, "boolean": BOOLEAN}
_NAMES: Mapping[Kinds, str] = {STRING: "a string", NUMBER: "a number", BOOLEAN: "a truth value"}


def check_declared_attributes(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC110: an attribute that is not declared for a label. XC111: values of another kind than the declared one.

    Events that rules or modules derive with the label may have other attributes, and are not checked.
    """
    own = Producers(program.rules).labels.union(program.from_modules)
    declared = {label: attributes for label, attributes in program.attributes.items() if label not in own}
    if not declared:
        return
    places = {source.label: source.span for source in program.declared or ()}
    for asked in asked_attributes(program.rules):
        if is_ending(asked.label) or asked.path == (STATE_ID,):  # the opening of the state is asked for, too
            continue
        label = state_label(asked.label) or asked.label
        siblings = _inside(declared.get(label), asked.path[:-1])
        if siblings is not None and all(each.name != asked.path[-1] for each in siblings):
            yield _unknown(label, asked.path, siblings, asked.span, places[label])
    found: dict[Diagnostic, None] = {}  # a query for the end of a state is one for its opening, too
    for expected in expected_kinds(program.rules):
        label = state_label(expected.label) or expected.label
        for each in _inside(declared.get(label), expected.path[:-1]) or ():
            kinds = _KINDS.get(each.kind or "")
            if each.name == expected.path[-1] and kinds is not None and not kinds & expected.kinds:
                name, wanted = ".".join(expected.path), _names(expected.kinds)
                message = f"`{name}` of `{label}` is declared as {_NAMES[kinds]}, and this takes {wanted}"
                note = Note("declared here", each.span)
                found.setdefault(Diagnostic("XC111", "warning", message, expected.span, None, (note,)))
    yield from found


def _inside(attributes: Sequence[Attribute] | None, path: Path) -> Sequence[Attribute] | None:
    """Returns the attributes that are declared at a path; None if there are none."""
    for name in path:
        found = next((each for each in attributes or () if each.name == name), None)
        attributes = None if found is None else found.children
    return attributes


def _unknown(
    label: str, path: Path, siblings: Sequence[Attribute], span: Span | None, declared: Span | None
) -> Diagnostic:
    names = [each.name for each in siblings]
    there = f"there are {listed([f'`{name}`' for name in names])}" if names else "it has none"
    return Diagnostic(
        "XC110",
        "warning",
        f"`{'.'.join(path)}` is not an attribute of `{label}`",
        span,
        did_you_mean(path[-1], names) or there,
        (Note(f"`{label}` is declared here", declared),),
    )


def _names(kinds: Kinds) -> str:
    found = [name for kind, name in _NAMES.items() if kind <= kinds]
    return listed(found, "or") if found else "no plain value"
