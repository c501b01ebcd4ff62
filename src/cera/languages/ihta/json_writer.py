"""Automata as JSON, for tools; `json_reader` reads it. The keys are explained in docs/ihta.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cera.automata.automaton import Automaton, Constant, Declaration, EventQuery, Reference, Value
from cera.languages.ihta.printer import Printer
from cera.languages.ihta.raising import raised
from cera.languages.ihta.syntax import Arrow, AutomatonText, Block, Header, Invariant, Names, Nested, Role, Schema
from cera.languages.text.layout import HARD, Document, bracket, concat, render
from cera.model.expressions.expression import Expression
from cera.model.time.durations import Duration, format_duration

#: The version of the form.
VERSION = 1


def automaton_json(automaton: Automaton) -> str:
    """Returns an automaton as the text of a JSON object."""
    return json_text([raised(automaton)])


def json_text(automata: Sequence[AutomatonText]) -> str:
    """Returns automata as JSON: one is an object, several are a list."""
    objects = [_automaton(each) for each in automata]
    return render(concat(_laid_out(objects[0] if len(objects) == 1 else objects), HARD))


def _laid_out(value: Any) -> Document:
    """Returns JSON in lines: what fits on one stays on it."""
    match value:
        case dict() if value:
            return bracket("{", [concat(f"{json.dumps(key)}: ", _laid_out(each)) for key, each in value.items()], "}")
        case list() if value:
            return bracket("[", [_laid_out(each) for each in value], "]")
        case _:
            return json.dumps(value, ensure_ascii=False)


def _automaton(text: AutomatonText) -> dict[str, Any]:
    strict = {"strict": True} if text.is_strict else {}
    return {"ihta": VERSION, **_header("automaton", text.header), **strict, **_block(text.block)}


def _header(key: str, header: Header) -> dict[str, Any]:
    attributes = [{"name": name, **_value(value)} for name, value in header.attributes]
    return {key: header.name, **({"attributes": attributes} if attributes else {})}


def _block(block: Block) -> dict[str, Any]:
    found: dict[str, Any] = {"opaque": True} if block.is_opaque else {"states": list(_states(block))}
    schema = [_query(query) for member in block.members if isinstance(member, Schema) for query in member.queries]
    transitions = [_transition(member) for member in block.members if isinstance(member, Arrow)]
    return found | ({"schema": schema} if schema else {}) | ({"transitions": transitions} if transitions else {})


def _states(block: Block) -> Iterator[dict[str, Any]]:
    invariants: dict[str, list[str]] = {}
    for member in block.members:
        if isinstance(member, Invariant):
            invariants.setdefault(member.state.name, []).extend(_texts(member.conditions))
    for member in block.members:
        match member:
            case Names():
                for name in member.names:
                    yield {"name": name.name, **_roles(member.roles), **_invariant(invariants, name.name)}
            case Nested():
                header = _header("name", member.header)
                identifier = {} if member.identifier is None else {"identifier": member.identifier.name}
                roles = _roles(member.roles)
                inside = {} if member.block is None else _block(member.block)
                yield {**header, **identifier, **roles, **_invariant(invariants, member.header.name), **inside}
            case _:
                continue


def _roles(roles: Iterable[Role]) -> dict[str, Any]:
    return dict.fromkeys(map(str, roles), True)


def _invariant(invariants: dict[str, list[str]], name: str) -> dict[str, Any]:
    return {"while": invariants[name]} if name in invariants else {}


def _transition(arrow: Arrow) -> dict[str, Any]:
    label = arrow.label
    found: dict[str, Any] = {} if arrow.source is None else {"from": arrow.source.name}
    found["to"] = arrow.target.name
    if label.identifier is not None:
        found["identifier"] = label.identifier.name
    if label.query is not None:
        found["absent" if label.negated else "event"] = _query(label.query)
    return found | ({"constraints": _texts(label.conditions)} if label.conditions else {})


def _query(query: EventQuery) -> dict[str, Any]:
    if query.pattern is not None:
        return {"pattern": _line(Printer().query(query))}
    attributes = [{"path": list(path), **_value(value)} for path, value in query.attributes]
    return {"label": query.label, **({"attributes": attributes} if attributes else {})}


def _value(value: Value) -> dict[str, Any]:
    match value:
        case Constant():
            return {"value": value.value}
        case Reference():
            return {"variable": value.variable}
        case Declaration():
            memory = {} if value.memory is None else {"memory": format_duration(Duration(0, value.memory))}
            return {"declares": value.variable, **({"unique": True} if value.unique else {}), **memory}


def _texts(conditions: Iterable[Expression]) -> list[str]:
    return [_line(Printer().bound(condition)) for condition in conditions]


def _line(document: Document) -> str:
    return render(document, width=None)
