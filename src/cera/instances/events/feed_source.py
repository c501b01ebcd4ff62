"""A function for each label that a module monitors, which does all that a flat event does when it is alone at its time.

    def order(state, event, content):
        …
        members = p0.by_key.get(k)
        if members is None: members = p0.by_key[k] = Members(k7)
        members.by_type['order'].append((stage, number, one))

The types that the label concerns follow one another in the function. Where time and a key decide alone what a type
binds, and one instance comes to it, its key, its queue and its head are written out; all other types are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cera.codegen.functions import FunctionWriter, indented
from cera.instances.chains import Chains
from cera.instances.detections import Heads, InstanceDetection, plain_fields
from cera.instances.detector import NO_KEY, Detector
from cera.instances.instance import Instance, NoValue
from cera.instances.machine import Machine
from cera.instances.members import Members
from cera.instances.pairs import Pairs
from cera.model.events.occurrence import Occurrence, wrap
from cera.model.terms.term import Value

#: Takes the step of an event with these children.
Feed = Callable[[Any, Occurrence, Mapping[str, Value]], Sequence[InstanceDetection]]


@dataclass(frozen=True)
class Histories:
    """What a processor does with its histories: how it divides them, and how it drops those that are too old."""

    partition: str | None
    #: How long a history matters after its last event; None if it may matter always.
    lasting: int | None
    note_stage: Callable[[Any, Any, int], None]
    forget_old: Callable[[Any, int], None]


@dataclass(frozen=True)
class _Arriving:
    """The instances of a type at the stage: the local variable, and whether it has one, one or None, or several."""

    variable: str
    kind: str
    #: The source of their attributes, if these are a mapping; None if they are those of the leaves.
    fields: str | None
    primitive: bool


class FeedSource:
    """A writer of the functions of a module without timers."""

    def __init__(self, machine: Machine, heads: Heads, histories: Histories) -> None:
        self._machine = machine
        self._heads = heads
        self._histories = histories
        names = {
            "Instance": Instance,
            "Members": Members,
            "NO_KEY": NO_KEY,
            "NoValue": NoValue,
            "detections": heads.detections,
            "instance": heads.instance,
            "with_event": heads.with_event,
            "start": machine.start,
            "wrap": wrap,
        }
        self._writer = FunctionWriter(names)

    def feed(self, type_: str, fields_of: Callable[[Mapping[str, Value]], Mapping[str, Value]] | None) -> Feed:
        """Returns the function for the events of a primitive type, whose children may have other names."""
        name = self._writer.name
        read = "content" if fields_of is None else f"{name(fields_of)}(content)"
        lines = ["now = event.end", "state.seen += 1", f"fields = {read}", *self._history()]
        lines += ["stage = history.stage = history.stage + 1", "history.now = now", "parts = history.parts"]
        if self._machine.asks_past:
            lines.append("history.past.append(stage)")
        lines.append(f"one = Instance({type_!r}, stage, event.begin, now, fields, (), event)")
        arriving = {type_: _Arriving("one", "one", "fields", primitive=True)}
        visible = []
        for number, detector in enumerate(self._machine.concerned_by(type_)):
            made, more = self._detector(number, detector, arriving)
            lines += more
            arriving[detector.type.name] = made
            if not detector.type.hidden:
                visible.append(made)
        if self._machine.asks_past:
            lines.append(f"if len(history.past) > history.full: {name(self._machine.forget_past)}(history)")
        histories = self._histories
        if histories.lasting is not None:
            lines.append(f"{name(histories.note_stage)}(state, key, now)")
            lines.append(self._forgetting())
        feed: Feed = self._writer.function("feed", "state, event, content", [*lines, *_answer(visible)])
        return feed

    def _history(self) -> list[str]:
        """Returns lines that find the `history` of the event, or return if it belongs to none."""
        partition = self._histories.partition
        lines = ["key = None"]
        if partition is not None:
            forgetting = [] if self._histories.lasting is None else [self._forgetting()]
            lines = [f"key = fields.get({partition!r})", "if key is None:"]
            lines += indented(["state.left_out += 1", *forgetting, "return ()"])
            lines.append("if key.__class__ is bool: key = wrap(key)")
        lines += ["history = state.histories.get(key)"]
        return [*lines, "if history is None: history = state.histories[key] = start()"]

    def _forgetting(self) -> str:
        return f"{self._writer.name(self._histories.forget_old)}(state, now - {self._histories.lasting})"

    def _detector(
        self, number: int, detector: Detector, arriving: Mapping[str, _Arriving]
    ) -> tuple[_Arriving, list[str]]:
        """Returns what a type makes of the instances that arrive at it, and the lines that do."""
        name = self._writer.name
        part, result = f"p{number}", f"x{number}"
        lines = [f"{part} = parts[{detector.type.name!r}]"]
        if detector.type.within is not None:
            old = f"{part}.arrivals and {part}.arrivals[0][0] < now - {detector.type.within}"
            lines.append(f"if {old}: {name(detector.expire)}({part}, now)")
        fields = None if detector.type.fields is None else f"{result}.fields"
        sources = [arriving[each] for each in detector.component_types if each in arriving]
        short = detector.short
        if len(sources) == 1 and sources[0].kind != "several" and short is not None:
            [source] = sources
            [type_] = [each for each in detector.component_types if each in arriving]
            if type_ != short.last:
                body, kind = self._insertion(number, detector, type_, source), "one or none"
            else:
                body, kind = self._termination(number, detector, type_, source, arriving)
            lines.append(f"{result} = {'None' if kind == 'one or none' else '()'}")
            lines += body if source.kind == "one" else [f"if {source.variable} is not None:", *indented(body)]
            return _Arriving(result, kind, fields, primitive=False), lines
        several = ", ".join(_as_several(each) for each in sources)
        lines.append(f"n{number} = [{several}]")
        found = f"{name(detector.detect)}({part}, n{number}, now, history.past)"
        lines.append(f"{result} = {self._heads_of(detector, found)} if n{number} else ()")
        return _Arriving(result, "several", fields, primitive=False), lines

    def _heads_of(self, detector: Detector, bound: str) -> str:
        made = f"instance({self._writer.name(detector.type)}, each)"
        return f"[made for each in {bound} if (made := {made}) is not None]"

    def _key(self, detector: Detector, type_: str, source: _Arriving, body: Sequence[str]) -> list[str]:
        """Returns lines that run some others with the key of an instance, if it has one, in `k`."""
        if detector.keys is None:
            return ["k = None", *body]
        attribute = detector.keys[type_]
        if attribute == "evtime":
            return [f"k = {source.variable}.end", *body]
        wrapped = "if k.__class__ is bool: k = wrap(k)"
        if source.fields is None:
            key_of = self._writer.name(detector.key_of)
            return [f"k = {key_of}({source.variable})", "if k is not NO_KEY:", *indented(body)]
        test = "k is not None" if source.primitive else "k is not None and k.__class__ is not NoValue"
        return [f"k = {source.fields}.get({attribute!r})", f"if {test}:", *indented([wrapped, *body])]

    def _insertion(self, number: int, detector: Detector, type_: str, source: _Arriving) -> list[str]:
        """Returns lines that keep an instance until a later one terminates an event."""
        name, part, one = self._writer.name, f"p{number}", source.variable
        short = detector.short
        body = [f"number = {part}.next_number", f"{part}.next_number = number + 1"]
        if source.primitive:  # no stage was later
            body.append(f"members.by_type[{type_!r}].append((stage, number, {one}))")
        else:
            body.append(f"members.insert(({one}.time, number, {one}))")
        if detector.expires:
            body.append(f"{name(detector.note_arrival)}({part}, now, k)")
        if detector.pruning.concerns_pairs:
            body += [f"{name(detector.pruning.after)}(members, now)", f"if not members: del {part}.by_key[k]"]
        start = [f"members = {part}.by_key.get(k)"]
        if isinstance(short, Chains) and short.needs_earlier(type_):
            use = f"if members is not None and {name(short.is_of_use)}(members, {one}):"
            body = [*start, use, *indented(body)]
        else:
            made = f"{part}.by_key[k] = Members({name(detector.component_types)})"
            body = [*start, f"if members is None: members = {made}", *body]
        return self._key(detector, type_, source, body)

    def _termination(
        self, number: int, detector: Detector, type_: str, source: _Arriving, arriving: Mapping[str, _Arriving]
    ) -> tuple[list[str], str]:
        """Returns lines that find what an instance terminates, and whether that is at most one event."""
        part, one, result = f"p{number}", source.variable, f"x{number}"
        short = detector.short
        assert short is not None
        if isinstance(short, Pairs) and short.takes is not None:
            place = 0 if short.takes == "first" else -1
            found = [f"first = queue[{place}][2]"]
            if short.consumes:
                found += [f"del queue[{place}]", f"if not queue and not members: del {part}.by_key[k]"]
            found += self._head(detector, result, ["first", one], source)
            body = [f"queue = members.by_type[{short.first!r}]", "if queue:", *indented(found)]
            kind = "one or none"
        else:
            several = f"{result} = {self._heads_of(detector, 'bound')}"
            several_or_one = [several]
            kind = "several"
            if isinstance(short, Chains) and short.is_single:
                names = [f"a{place}" for place in range(len(detector.type.components) - 1)]
                unpacked = ", ".join(f"(_, ({each},))" for each in names)
                several_or_one = [f"[({unpacked}, _)] = bound", *self._head(detector, result, [*names, one], source)]
                kind = "one or none"
            body = [f"bound = {self._writer.name(short.detect)}(members, {one}, now)", "if bound:"]
            body += indented([f"if not members: del {part}.by_key[k]", *several_or_one])
        body = [f"members = {part}.by_key.get(k)", "if members is not None:", *indented(body)]
        return self._key(detector, type_, source, body), kind

    def _head(self, detector: Detector, result: str, instances: Sequence[str], last: _Arriving) -> list[str]:
        """Returns lines that make the instance of one instance for each component, which are in the order of time."""
        type_ = detector.type
        components = [type_.components[place] for place in type_.bound]
        variables = {each.name: one for each, one in zip(components, instances, strict=True)}
        types = {each.name: each.type for each in components}
        bound = "".join(f"({name!r}, ({one},)), " for name, one in variables.items())
        slowly = f"{result} = instance({self._writer.name(type_)}, ({bound}))"
        plain = plain_fields(type_)
        if plain is None or any(component not in variables for _, component, _ in plain):
            return [slowly]
        lines, tests, values = [], [], []
        for place, (name, component, attribute) in enumerate(plain):
            one, value = variables[component], f"v{place}"
            primitive = self._machine.is_primitive(types[component])
            if attribute == "evtime":
                lines.append(f"{value} = {one}.end")
            elif one == last.variable and last.fields is not None:
                lines.append(f"{value} = {last.fields}.get({attribute!r})")
            elif primitive:
                lines.append(f"{value} = {one}.fields.get({attribute!r})")
            else:
                lines.append(f"{value} = {one}.value_or_reason({attribute!r})")
            if attribute != "evtime":
                tests.append(f"{value} is None")
                tests += [] if primitive else [f"{value}.__class__ is NoValue"]
            values.append(f"{name!r}: {value}")
        quickly = [f"begin, end = {instances[0]}.begin, {instances[0]}.end"]
        for one in instances[1:]:
            quickly += [f"if {one}.begin < begin: begin = {one}.begin", f"if {one}.end > end: end = {one}.end"]
        time = f"{instances[0] if type_.time == 'begin' else instances[-1]}.time"
        fields = "{" + ", ".join(values) + "}"
        quickly.append(f"{result} = Instance({type_.name!r}, {time}, begin, end, {fields}, ({bound}))")
        if not type_.hidden:
            quickly.append(f"{result} = with_event({result}, {self._writer.name(type_)})")
        if not tests:
            return [*lines, *quickly]
        return [*lines, f"if {' or '.join(tests)}: {slowly}", "else:", *indented(quickly)]


def _as_several(source: _Arriving) -> str:
    """Returns the source of some elements of a list."""
    variable = source.variable
    match source.kind:
        case "one":
            return variable
        case "several":
            return f"*{variable}"
        case _:
            return f"*(() if {variable} is None else ({variable},))"


def _answer(visible: Sequence[_Arriving]) -> list[str]:
    """Returns the lines that return the detections of all instances that are events."""
    match visible:
        case []:
            return ["return ()"]
        case [_Arriving(variable=variable, kind="one or none")]:
            return [f"return () if {variable} is None else detections(({variable},))"]
        case _:
            found = ", ".join(map(_as_several, visible))
            return [f"found = [{found}]", "return detections(found) if found else ()"]
