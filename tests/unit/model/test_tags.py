"""Every class whose instances are a part of what is saved has a tag, whatever it is called."""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import pytest

from cera.algebra.plan import Plan
from cera.connectors.actions.action import Action
from cera.datalog.modules import EventModule
from cera.instances.types import InstanceModule
from cera.model.tags import tag_of, tag_of_member, tagged, tagged_members
from cera.rules.rule import Rule


def parts(annotation: Any) -> Iterator[type]:
    """The classes that an annotation names."""
    if typing.get_origin(annotation) is typing.Literal:
        return
    if arguments := typing.get_args(annotation):
        for argument in arguments:
            yield from parts(argument)
    elif isinstance(annotation, type):
        yield annotation


def saved_classes() -> set[type]:
    """All classes that can be in the plan of rules, in a module or in an action, by the annotations of their fields."""
    found: set[type] = set()
    pending = [Plan, Rule, EventModule, InstanceModule, *typing.get_args(Action)]
    while pending:
        one = pending.pop()
        if one in found or not (is_dataclass(one) or issubclass(one, Enum)):
            continue
        found.add(one)
        if is_dataclass(one):
            hints = typing.get_type_hints(one)
            pending += [part for field in fields(one) if field.compare for part in parts(hints[field.name])]
    return found


def test_every_class_that_is_saved_has_a_tag() -> None:
    found = saved_classes()
    assert len(found) > 70
    for one in found:
        if issubclass(one, Enum):
            assert all(map(tag_of_member, one))
        else:
            assert tag_of(one)


def test_no_tag_is_given_twice_but_those_that_once_were_names_of_two_classes() -> None:
    counted = Counter(tag_of(one) for one in saved_classes() if not issubclass(one, Enum))
    assert {tag for tag, count in counted.items() if count > 1} == {"Not", "Rule"}


def test_a_tag_is_not_inherited() -> None:
    @tagged("Base")
    class Base:
        pass

    class Derived(Base):
        pass

    assert tag_of(Base) == "Base"
    with pytest.raises(TypeError, match="Derived is a part of what is saved, and has no tag"):
        tag_of(Derived)


def test_all_members_of_an_enumeration_have_tags_or_none() -> None:
    class Colour(Enum):
        RED = 1
        BLUE = 2

    with pytest.raises(TypeError, match="has no tag"):
        tag_of_member(Colour.RED)
    with pytest.raises(TypeError, match="has the members RED, BLUE, not RED"):
        tagged_members(RED="red")(Colour)
    tagged_members(RED="red", BLUE="Colour.BLUE")(Colour)
    assert tag_of_member(Colour.BLUE) == "Colour.BLUE"
