"""Automata that are given as JSON: to the syntax tree, with the places in the JSON.

What is an expression in the text is one in a string here; `json_writer` writes the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cera.automata.automaton import Constant, Declaration, EventQuery, Path, Reference, Value
from cera.diagnostics import Diagnostic, Source, Span, did_you_mean, in_source_order
from cera.languages.ihta.syntax import (
    Arrow,
    AutomatonText,
    Block,
    Header,
    Invariant,
    LabelText,
    Member,
    Names,
    Nested,
    Program,
    Role,
    Schema,
)
from cera.languages.text.json_text import JsonTextError, JsonValue, read_json
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import Expression
from cera.model.time.durations import DurationError, parse_duration

_BEGIN = re.compile(r"[\s\ufeff]*[{\[]")
#: The name of a state, which is not a word that begins something else; that of an attribute; and others.
_NAME = re.compile(
    r"(?!(?:start|end|state|enter|schema)$)(?:[A-Z_][A-Za-z0-9_]*|[a-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*)"
)
_ATTRIBUTE = re.compile(r"[A-Z_][A-Za-z0-9_]*|[a-z][A-Za-z0-9_]*(?:-[A-Za-z][A-Za-z0-9_]*)*")
_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"[A-Z_][A-Za-z0-9_]*")
_PLACE = re.compile(rf"{_NAME.pattern}|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+")

_BLOCK_KEYS = ("states", "transitions", "schema", "opaque")
_VALUE_KEYS = ("value", "variable")

#: Reads a text at a place of the source as a label, with errors that are shown there.
LabelReader = Callable[[str, Span], tuple[LabelText | None, list[Diagnostic]]]
T = TypeVar("T")


def is_json(text: str) -> bool:
    """Returns whether a text is meant as JSON: no automaton begins with a bracket."""
    return _BEGIN.match(text) is not None


def read_automata(source: Source, read_label: LabelReader) -> tuple[Program, tuple[Diagnostic, ...]]:
    """Returns the automata of a JSON text, and what is wrong with the others."""
    reader = _JsonReader(read_label)
    try:
        found = read_json(source)
    except JsonTextError as error:
        return Program(()), (Diagnostic("IH004", "error", str(error), error.span, "this is read as JSON"),)
    automata: list[AutomatonText] = []
    for value in found.value if isinstance(found.value, list) else [found]:
        before = len(reader.problems)
        automaton = reader.automaton(value)
        if automaton is not None and len(reader.problems) == before:
            automata.append(automaton)
    return Program(tuple(automata)), tuple(in_source_order(reader.problems))


@dataclass
class _JsonReader:
    read_label: LabelReader
    problems: list[Diagnostic] = field(default_factory=list)

    def error(self, message: str, span: Span | None, hint: str | None = None) -> None:
        self.problems.append(Diagnostic("IH004", "error", message, span, hint))

    # Values of a type

    def fields(self, value: JsonValue, what: str, known: tuple[str, ...]) -> dict[str, JsonValue]:
        """Returns the parts of an object; others than the known ones are errors."""
        if not isinstance(value.value, dict):
            self.error(f"{what} is an object, found {value.kind}", value.span)
            return {}
        for name in value.value:
            if name not in known:
                hint = did_you_mean(name, known) or f"it has {', '.join(known)}"
                self.error(f'{what} has no "{name}"', value.keys[name], hint)
        return value.value

    def items(self, value: JsonValue | None, what: str) -> list[JsonValue]:
        if value is None:
            return []
        if isinstance(value.value, list):
            return value.value
        self.error(f"{what} are a list, found {value.kind}", value.span)
        return []

    def text(self, value: JsonValue | None, what: str, around: JsonValue, shape: re.Pattern[str] | None = None) -> str:
        if value is None:
            self.error(f"{what} is missing", Span(around.span.source, around.span.start, around.span.start + 1))
            return ""
        if not isinstance(value.value, str):
            self.error(f"{what} is a string, found {value.kind}", value.span)
            return ""
        if shape is not None and shape.fullmatch(value.value) is None:
            self.error(f"{what} is a word, found {value.span.text}", value.span, _SHAPES.get(shape))
        return value.value

    def flag(self, value: JsonValue | None) -> bool:
        if value is None:
            return False
        if not isinstance(value.value, bool):
            self.error(f"expected true or false, found {value.kind}", value.span)
        return value.value is True

    # Parts of automata

    def automaton(self, value: JsonValue) -> AutomatonText | None:
        keys = ("ihta", "automaton", "attributes", "strict", *_BLOCK_KEYS)
        found = self.fields(value, "an automaton", keys)
        if not found:
            return None
        version = found.get("ihta")
        if version is not None and version.value != 1:
            self.error("the version of the form is 1", version.span)
        header = self.header(found, "automaton", value)
        return AutomatonText(header, self.block(found, value), self.flag(found.get("strict")), value.span)

    def header(self, found: dict[str, JsonValue], key: str, around: JsonValue) -> Header:
        name = self.text(found.get(key), f'the name, "{key}",', around, _NAME)
        span = found[key].span if key in found else around.span
        attributes: list[tuple[str, Constant | Reference]] = []
        for each in self.items(found.get("attributes"), "attributes"):
            parts = self.fields(each, "an attribute of a state", ("name", *_VALUE_KEYS))
            attribute = self.text(parts.get("name"), "the name of an attribute", each, _ATTRIBUTE)
            made = self.value(parts, each, _VALUE_KEYS)
            if made is not None and not isinstance(made, Declaration):
                attributes.append((attribute, made))
        return Header(name, tuple(attributes), span)

    def block(self, found: dict[str, JsonValue], around: JsonValue) -> Block:
        opaque = self.flag(found.get("opaque"))
        states = self.items(found.get("states"), "states")
        members: list[Member] = [] if opaque else [*self.states(states)]
        queries = tuple(self.query(each) for each in self.items(found.get("schema"), "the events of a schema"))
        members += [Schema(queries, found["schema"].span)] if queries else []
        transitions = [self.transition(each) for each in self.items(found.get("transitions"), "transitions")]
        members += transitions
        if opaque and (states or transitions):
            message = "what happens in an opaque state is left open: it has a schema only"
            self.error(message, found["opaque"].span)
        if not opaque and not states:
            self.error('"states" are missing', Span(around.span.source, around.span.start, around.span.start + 1))
        return Block(tuple(members), opaque, around.span)

    def states(self, values: list[JsonValue]) -> Iterator[Member]:
        """Yields the states, atomic ones with the same roles together as they are printed; then their invariants."""
        invariants: list[Invariant] = []
        together: Names | None = None
        for value in values:
            known = ("name", "attributes", "identifier", "start", "end", "while", *_BLOCK_KEYS)
            found = self.fields(value, "a state", known)
            header = self.header(found, "name", value)
            roles: tuple[Role, ...] = tuple(role for role in _ROLES if self.flag(found.get(role)))
            if "while" in found:
                bounds = self.constraints(found["while"])
                invariants.append(Invariant(Identifier(header.name, header.span), bounds, found["while"].span))
            if any(key in found for key in (*_BLOCK_KEYS, "attributes", "identifier")):
                if together is not None:
                    yield together
                    together = None
                yield Nested(roles, self.identifier(found), header, self.block(found, value), value.span)
                continue
            name = Identifier(header.name, header.span)
            if together is not None and together.roles == roles:
                together = replace(together, names=(*together.names, name))
                continue
            if together is not None:
                yield together
            together = Names(roles, (name,), value.span)
        if together is not None:
            yield together
        yield from invariants

    def identifier(self, found: dict[str, JsonValue]) -> Identifier | None:
        value = found.get("identifier")
        return None if value is None else Identifier(self.text(value, "an identifier", value, _IDENTIFIER), value.span)

    def transition(self, value: JsonValue) -> Arrow:
        found = self.fields(value, "a transition", ("from", "to", "identifier", "event", "absent", "constraints"))
        source = None
        if "from" in found and found["from"].value is not None:
            source = Identifier(self.text(found["from"], "a state", value, _PLACE), found["from"].span)
        target_span = found["to"].span if "to" in found else value.span
        target = Identifier(self.text(found.get("to"), 'the state that it leads to, "to",', value, _PLACE), target_span)
        if "event" in found and "absent" in found:
            self.error("a label has one event, or one that is absent", found["absent"].span)
        query = next((self.query(found[key]) for key in ("event", "absent") if key in found), None)
        conditions = self.constraints(found["constraints"]) if "constraints" in found else ()
        if query is None and not conditions:
            hint = 'it has an "event", one that is "absent", or "constraints"'
            self.error("the label of a transition is missing", value.span, hint)
        label = LabelText(query, "absent" in found, self.identifier(found), conditions, value.span)
        return Arrow(source, target, label, value.span)

    def constraints(self, value: JsonValue) -> tuple[Expression, ...]:
        conditions: list[Expression] = []
        for each in self.items(value, "constraints"):
            text = self.text(each, "a constraint", each)
            label = self.label(text, each)
            if label is not None and label.query is not None:
                self.error("a constraint is a comparison, found an event", each.span, 'an event is the "event"')
            elif label is not None:
                conditions += label.conditions
        return tuple(conditions)

    def label(self, text: str, value: JsonValue) -> LabelText | None:
        if not text:
            return None
        label, problems = self.read_label(text, value.span)
        self.problems += problems
        return label

    def query(self, value: JsonValue) -> EventQuery:
        found = self.fields(value, "an event", ("label", "attributes", "pattern"))
        if "pattern" in found:
            if len(found) > 1:
                self.error("an event has a pattern, or a label with attributes", found["pattern"].span)
            label = self.label(self.text(found["pattern"], "a pattern", value), found["pattern"])
            if label is None:
                return EventQuery("")
            if label.query is None or label.query.pattern is None or label.conditions or label.negated:
                self.error("expected a pattern", found["pattern"].span, "write bid{{itemID{{var I}}}}")
                return EventQuery("")
            return replace(label.query, span=found["pattern"].span)
        name = self.text(found.get("label"), "the label of an event", value)
        attributes: list[tuple[Path, Value]] = []
        for each in self.items(found.get("attributes"), "attributes"):
            parts = self.fields(each, "an attribute", ("path", *_VALUE_KEYS, "declares", "unique", "memory"))
            path = tuple(self.text(step, "a label", each) for step in self.items(parts.get("path"), "labels"))
            if not path:
                self.error('the "path" of an attribute is missing', each.span, 'its labels: "path": ["itemID"]')
            made = self.value(parts, each, (*_VALUE_KEYS, "declares"))
            if made is not None:
                attributes.append((path, made))
        return EventQuery(name, tuple(attributes), span=value.span)

    def value(self, found: dict[str, JsonValue], around: JsonValue, keys: tuple[str, ...]) -> Value | None:
        """Returns what stands in an attribute."""
        given = [key for key in keys if key in found]
        if len(given) != 1:
            self.error(f"an attribute has one of {', '.join(keys)}", around.span)
            return None
        [key] = given
        value = found[key]
        if key == "value":
            if value.value is None or isinstance(value.value, dict | list):
                self.error(f"a value is a string, a number, true or false, found {value.kind}", value.span)
                return None
            return Constant(value.value)
        name = self.text(value, "a variable", around, _VARIABLE)
        if key == "variable":
            return Reference(name)
        unique = self.flag(found.get("unique"))
        return Declaration(name, unique, self.memory(found.get("memory"), unique=unique))

    def memory(self, value: JsonValue | None, *, unique: bool) -> int | None:
        if value is None:
            return None
        try:
            length = parse_duration(self.text(value, "a duration", value))
        except DurationError as error:
            self.error(str(error), value.span)
            return None
        if not unique or length.months:
            self.error("only what is unique is remembered for a time, which has no months", value.span)
        return length.microseconds


_ROLES: tuple[Role, ...] = ("start", "end")
_SHAPES = {
    _IDENTIFIER: "identifiers begin with a small letter",
    _VARIABLE: "variables begin with a capital letter",
    _PLACE: "states of one name are told apart as ItemOffer.I0",
}
