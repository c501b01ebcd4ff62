"""Fingerprints tell programs apart, and stay the same when nothing but a name changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import pytest

from cera.engines.local.fingerprint import fingerprint
from cera.model.tags import added_later, tagged


@tagged("Pair")
@dataclass(frozen=True)
class Pair:
    left: object
    right: object
    place: int = field(default=0, compare=False)


@tagged("Pair")
@dataclass(frozen=True)
class Couple:
    """The same after it was renamed, with its fields, and after two were added."""

    one: object
    other: object
    married: bool = added_later("married", False)
    since: int | None = added_later("since", None)


def test_equal_data_have_equal_fingerprints_and_others_have_others() -> None:
    assert fingerprint(Pair(1, frozenset("ab"))) == fingerprint(Pair(1, frozenset("ba"), place=3))
    different = [
        Pair(1, 2),
        Pair(2, 1),
        Pair(1, "2"),
        Pair(1, 2.0),
        Pair(True, 2),
        Pair((1,), 2),
        Pair(None, date(2026, 1, 1)),
    ]
    assert len(set(map(fingerprint, different))) == len(different)


def test_names_of_classes_and_fields_say_nothing() -> None:
    assert fingerprint(Couple(1, "x")) == fingerprint(Pair(1, "x"))


def test_a_field_that_was_added_later_says_something_when_it_is_used() -> None:
    used = [
        Couple(1, 2),
        Couple(1, 2, married=True),
        Couple(1, 2, since=1),
        Couple(1, 2, True, 1),
        Couple(1, 2, since=True),
    ]
    assert len(set(map(fingerprint, used))) == len(used)


def test_what_has_no_tag_has_no_fingerprint() -> None:
    @dataclass(frozen=True)
    class New:
        value: int

    with pytest.raises(TypeError, match="New is a part of what is saved, and has no tag"):
        fingerprint((Pair(1, New(2)),))
    with pytest.raises(TypeError, match="object is a part of what is saved, and cannot be"):
        fingerprint(object())
