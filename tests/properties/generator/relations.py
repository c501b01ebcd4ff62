"""Random relations: small tables whose rows have the attributes of events, one of them with versions by a key, and one
that is replaced as a whole.

    table{k{1}, v{…}}, table{k{1}, v{…}, x{2}}          version{k{1}, v{…}, since{…}}, snapshot{k{1}, v{…}, since{…}}

They are read as those of a user are, so that rows that are equal count once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from cera.connectors.relations.relation import Record, Relation
from cera.model.events.relation_rows import RelationRows
from cera.model.matching.patterns import TermPattern, VariablePattern, bound_variables
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import RelationQuery, RuleProgram

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


def with_lookups(program: RuleProgram, chance: random.Random) -> RuleProgram:
    """The rules, some of which look up a row that has one of their values as `k`; they derive less then, never more."""
    rules = []
    for rule in program.rules:
        branches = []
        for branch in rule.branches:
            names = sorted({name for query in branch.events for name in bound_variables(query.pattern)})
            if names and chance.random() < 0.6:
                name, table = chance.choice(names), chance.choice(sorted(DECLARATIONS))
                pattern = TermPattern(table, (TermPattern("k", (VariablePattern(name),)),), total=False)
                lookup = RelationQuery(f"row{len(rules)}", pattern, anonymous=True)
                branch = replace(branch, relations=(*branch.relations, lookup))
            branches.append(branch)
        rules.append(replace(rule, branches=tuple(branches)))
    return replace(program, rules=tuple(rules), relations=tuple(DECLARATIONS.values()))


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
