"""Places: whether the file of locations can say what constraints ask for."""

from __future__ import annotations

from collections.abc import Iterator

from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.names import declared_identifier
from cera.constraints.queries import Apart, Directed, Literal, SentFrom, SpatialCondition
from cera.diagnostics import Diagnostic, did_you_mean
from cera.languages.escl.scopes import Scope
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import EventReference
from cera.wording import Setting


def check_places(scope: Scope, locations: Locations) -> Iterator[Diagnostic]:
    """Reports conditions about places without a file of locations (EC406), and those of which the file says nothing
    (EC407)."""
    for part in scope.parts:
        if not isinstance(part, Directed | SentFrom | Apart):
            continue
        if locations == NO_LOCATIONS:
            message = "this asks where events come from, which a file of locations says"
            hint = f"give it with {Setting.LOCATIONS} when the constraints are verified"
            yield Diagnostic("EC406", "note", message, part.span, hint)
        else:
            yield from _unknown(part, locations)
            yield from _unnamed(part, scope, locations)


def _unknown(part: SpatialCondition, locations: Locations) -> Iterator[Diagnostic]:
    """Yields what no event can ever be known to satisfy: a name that nothing has, or facts that no place has."""
    places = locations.places
    if isinstance(part, SentFrom):
        if part.relation == "named":
            known = {name for each in places for name in (each.name, each.room, each.area) if name is not None}
            if part.place not in known:
                message = f"no place, room or area of the file of locations is called `{part.place}`"
                hint = did_you_mean(part.place, known) or "add it to the file, or write the name of another one"
                yield Diagnostic("EC407", "warning", message, part.span, hint)
        elif all(getattr(each, part.place) is None for each in places):
            message = f"no place of the file of locations says in which {part.place} it lies"
            yield Diagnostic("EC407", "warning", message, part.span, f'write `{part.place} = "…"` for each place')
        elif part.relation == "neighbour" and not (locations.rooms if part.place == "room" else locations.areas):
            message = f"the file of locations has no neighbours among {part.place}s"
            hint = f'write `[neighbours]` and `{part.place}s = [["…", "…"]]`'
            yield Diagnostic("EC407", "warning", message, part.span, hint)
    elif all(each.plane is None and each.globe is None for each in places):
        message = "no place of the file of locations has coordinates"
        yield Diagnostic("EC407", "warning", message, part.span, "write `x` and `y`, or `latitude` and `longitude`")


def _unnamed(part: SpatialCondition, scope: Scope, locations: Locations) -> Iterator[Diagnostic]:
    """Yields events of which the file does not say which attribute names their place."""
    declared = {
        found.identifier: each
        for each in scope.parts
        if isinstance(each, Literal) and (found := declared_identifier(each)) is not None
    }
    for identifier in _identifiers(part):
        literal = declared.get(identifier.identifier)
        if literal is None or literal.atom.label in dict(locations.attributes) or locations.attribute is not None:
            continue
        label = literal.atom.label
        message = f"the file of locations does not say which attribute of `{label}` names its place"
        example = next((each.label for each in literal.atom.arguments if isinstance(each, Atom)), "sensor")
        hint = f'write `attribute = "{example}"` in it, or `{label} = "{example}"` under `[attributes]`'
        yield Diagnostic("EC407", "warning", message, part.span, hint)


def _identifiers(part: SpatialCondition) -> tuple[EventReference, ...]:
    return (part.left, part.right) if isinstance(part, Directed) else part.identifiers
