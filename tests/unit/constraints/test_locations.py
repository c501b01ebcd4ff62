"""Locations: distances, directions, and files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cera.constraints.locations import LocationsError, distance, lies, locations_of, read_locations


def places(**data: dict[str, Any]) -> dict[str, Any]:
    found = locations_of({"places": data})
    return {name: found.find(name) for name in data}


def test_distances_on_a_plane_are_in_millimetres() -> None:
    found = places(a={"x": 0, "y": 0}, b={"x": 3, "y": 4}, c={"x": 0, "y": 0, "z": 0.0125})
    assert distance(found["a"], found["b"]) == 5000
    assert distance(found["a"], found["c"]) == 12  # 12.5, to the even number
    feet = locations_of({"unit": "ft", "places": {"a": {"x": 0, "y": 0}, "b": {"x": 10, "y": 0}}})
    first, second = feet.find("a"), feet.find("b")
    assert first is not None
    assert second is not None
    assert distance(first, second) == 3048


def test_distances_on_the_globe_are_those_of_a_great_circle() -> None:
    found = places(
        pole={"latitude": 90, "longitude": 0},
        equator={"latitude": 0, "longitude": 77},
        west={"latitude": 0, "longitude": -179.5},
        east={"latitude": 0, "longitude": 179.5},
    )
    quarter = round(6_371_008.8 * 3.141592653589793 / 2 * 1000)
    assert distance(found["pole"], found["equator"]) == quarter
    assert distance(found["west"], found["east"]) == round(quarter / 90)
    assert lies("east", found["west"], found["east"]) is True
    assert lies("north", found["pole"], found["equator"]) is True


def test_what_is_not_known_is_not_guessed() -> None:
    found = places(a={"room": "r"}, b={"x": 1, "y": 2})
    assert distance(found["a"], found["b"]) is None
    assert lies("south", found["a"], found["b"]) is None
    assert locations_of({"places": {"a": {}}}).find("b") is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"place": {}}, "there is no setting 'place'"),
        ({"unit": "parsec"}, "there is no unit 'parsec'"),
        ({"places": {"a": {"x": 1}}}, "has one coordinate only"),
        ({"places": {"a": {"x": 1, "y": 2, "latitude": 3, "longitude": 4}}}, "and not both"),
        ({"places": {"a": {"latitude": 91, "longitude": 4}}}, "lies off the globe"),
        ({"places": {"a": {"x": 0, "y": 0}, "b": {"latitude": 0, "longitude": 0}}}, "no distance between them"),
        ({"places": {"a": {"x": "1", "y": 2}}}, "is a number"),
        ({"places": {"a": {"room": 1}}}, "is a text"),
        ({"places": {"a": {"rom": "r"}}}, "there is no setting 'places.a.rom'"),
        ({"neighbours": {"rooms": [["a"]]}}, "is a list of pairs"),
        ({"neighbours": {"rooms": [["a", "b"]]}}, "no place lies in the room 'a'"),
        ({"attribute": 3}, "the name of an attribute is a text"),
    ],
)
def test_a_file_that_is_wrong_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(LocationsError, match=message):
        locations_of(data, "file.toml")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocationsError, match="cannot be read"):
        read_locations(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("places = ")
    with pytest.raises(LocationsError, match="is not TOML"):
        read_locations(tmp_path / "bad.toml")


def test_a_room_that_is_not_said_is_neither_the_one_nor_another() -> None:
    found = locations_of(
        {"places": {"a": {"room": "hall"}, "b": {"room": "attic", "area": "top"}, "c": {"area": "top"}, "d": {}}}
    )
    a, b, c, d = (found.find(name) for name in "abcd")
    assert a is not None
    assert b is not None
    assert c is not None
    assert d is not None
    assert [found.lies_in(each, "attic") for each in (a, b, c, d)] == [False, True, None, None]
    assert [found.lies_in(each, "top") for each in (a, b, c, d)] == [None, True, True, None]
    assert [found.lies_in(each, "c") for each in (a, c)] == [False, True]
    assert found.lies_in(a, "cellar") is None
