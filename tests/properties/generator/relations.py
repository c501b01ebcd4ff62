"""Random relations: small tables whose rows have the attributes of events, one of them with versions by a key, and one
that is replaced as a whole.

    table{k{1}, v{…}}, table{k{1}, v{…}, x{2}}          version{k{1}, v{…}, since{…}}, snapshot{k{1}, v{…}, since{…}}

They are read as those of a user are, so that rows that are equal count once.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.connectors.relations.relation import Record, Relation
from cera.model.events.relation_rows import RelationRows
from cera.rules.declarations import RelationDeclaration

from .choices import Choices
from .streams import LAST_SECOND, scalar

DECLARATIONS = {
    "table": RelationDeclaration("table", source="table.csv"),
    "version": RelationDeclaration("version", source="version.csv", valid_from="since", versions_of=("k",)),
    "snapshot": RelationDeclaration("snapshot", source="snapshot.csv", valid_from="since"),
}


def some_relations(choices: Choices) -> dict[str, RelationRows]:
    """Relations by name; none where the feature is switched off."""
    if not choices.allows("relation"):
        return {}
    found = {"table": Relation("table").rows(_records(choices, versions=False))}
    if choices.allows("versions"):
        found["version"] = Relation("version", None, "since", ("k",)).rows(_records(choices, versions=True))
        found["snapshot"] = Relation("snapshot", None, "since").rows(_records(choices, versions=True))
    return dict(found)


def _records(choices: Choices, *, versions: bool) -> Iterator[Record]:
    for number in range(choices.integer(1, 8)):
        values: dict[str, object] = {"k": choices.integer(0, 3), "v": scalar(choices)}
        if choices.chance(25):
            values["x"] = choices.integer(0, 3)
        if not versions and choices.chance(10):
            values.pop("v")
        if versions:
            values["since"] = choices.integer(-1, LAST_SECOND)
        yield Record(f"row {number}", values)
