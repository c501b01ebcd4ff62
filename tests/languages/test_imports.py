"""No language knows another one: what they share is the kit, `text`, `expressions` and `atoms`."""

from __future__ import annotations

from import_graph import edges

LANGUAGES = ("xchangeeq", "epl", "datalog", "cet", "snoop", "streamlog", "escl")


def rooms(name: str) -> set[str]:
    """Returns the rooms of `languages` that the rooms of one of them import."""
    graph = edges()
    of_language = [room for room in graph if f"{room}/".startswith(f"languages/{name}/")]
    imported = {other.split("/")[1] for room in of_language for other in graph[room] if other.startswith("languages/")}
    return imported - {name}


def test_a_language_imports_the_kit_and_no_other_language_but_snoop_its_targets() -> None:
    known = {name: sorted(rooms(name) & set(LANGUAGES)) for name in LANGUAGES}
    assert {name: others for name, others in known.items() if others} == {"snoop": ["cet", "epl"]}


def test_the_kit_imports_no_language() -> None:
    assert rooms("text") == set()
    assert rooms("expressions") == {"text"}
    assert rooms("atoms") == {"text", "expressions"}


def test_the_calculi_import_no_language() -> None:
    calculi = ("datalog", "instances", "algebra", "rules")
    graph = edges()
    assert not [
        f"{room} -> {o}" for room in graph for o in graph[room] if room in calculi and o.startswith("languages")
    ]
