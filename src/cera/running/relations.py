"""The relations of a run: which of them its rules look up, their rows, and which are read again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from cera.connectors.relations.reading import read_relation
from cera.connectors.relations.relation import Relation
from cera.constraints.module import ConstraintModule
from cera.errors import UsageError
from cera.model.events.relation_rows import RelationRows
from cera.model.message_text import did_you_mean
from cera.model.time.durations import format_duration
from cera.modules.layering import Layers
from cera.modules.refreshing import Refresh
from cera.modules.rules.module import RuleModule
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import relations_of
from cera.wording import Setting


def used_relations(layers: Layers) -> dict[str, RelationDeclaration]:
    """Returns the declarations of the relations that rules look up, by name."""
    found: dict[str, RelationDeclaration] = {}
    for module in layers.modules:
        if isinstance(module, RuleModule):
            for name in relations_of(module.rules):
                declared = module.program.relation(name)
                assert declared is not None  # a program without errors declares them all
                found[name] = declared
        elif isinstance(module, ConstraintModule):
            found |= {declared.name: declared for declared in module.relations}
    return found


def without_refresh(layers: Layers) -> frozenset[str]:
    """Returns the names of the relations that are read once, however long a run takes."""
    return frozenset(name for name, declared in used_relations(layers).items() if declared.refresh is None)


def read_relations(
    layers: Layers,
    given: Mapping[str, object],
    timezone: str,
    *,
    only: Collection[str] | None = None,
    in_place: bool = False,
) -> dict[str, RelationRows]:
    """Returns the rows of the relations that rules look up: those that are given, or else those of the declarations.

    With `only`, those of some relations. With `in_place`, large files and tables are left where they are.

    Raises UsageError where there are none, and DataError for a row that cannot be read.
    """
    check_names(layers, given)
    _check_places(layers, given)
    return {
        name: read_relation(relation_of(declared, timezone), *_source(declared, given), in_place=in_place)
        for name, declared in used_relations(layers).items()
        if only is None or name in only
    }


def check_names(layers: Layers, given: Mapping[str, object]) -> None:
    """Raises UsageError if rows are given for a relation that the program does not declare."""
    known = {relation.name for m in layers.modules if isinstance(m, RuleModule) for relation in m.program.relations}
    known |= {relation.name for m in layers.modules if isinstance(m, ConstraintModule) for relation in m.relations}
    for name in given:
        if name not in known:
            there = f"; it has {', '.join(sorted(known))}" if known else "; it has none"
            guess = did_you_mean(name, known) or there
            raise UsageError(f"{Setting.RELATION}: the program declares no relation {name}{guess}")


def _check_places(layers: Layers, given: Mapping[str, object]) -> None:
    """Raises UsageError if files of a program say different places for the rows of one relation."""
    declared, used = dict[str, RelationDeclaration](), used_relations(layers)
    for module in layers.modules:
        of_rules = module.program.relations if isinstance(module, RuleModule) else ()
        for each in (*of_rules, *(module.relations if isinstance(module, ConstraintModule) else ())):
            if each.source is None or each.name in given or each.name not in used:
                continue
            first = declared.setdefault(each.name, each)
            if not each.has_the_rows_of(first):
                wanted = Setting.RELATION.of(f"{each.name}=…")
                raise UsageError(
                    f"the relation {each.name} is {_place(first)} and {_place(each)}; say which with {wanted}"
                )


def _place(declared: RelationDeclaration) -> str:
    """Returns where the rows are by a declaration, and where that stands."""
    where = "" if declared.span is None else f" in {declared.span}"
    return f"`{declared.source}`{where}"


def refreshes(layers: Layers, given: Mapping[str, object], timezone: str, *, in_place: bool = False) -> list[Refresh]:
    """Returns the relations that are read again while time goes on, and how; with `in_place` as `read_relations` does.

    Raises UsageError where rows come from something that can be read only once.
    """
    found: list[Refresh] = []
    for name, declared in used_relations(layers).items():
        if declared.refresh is None:
            continue
        source, folder = _source(declared, given)
        if isinstance(source, Iterator):
            raise UsageError(
                f"the relation {name} is read again every {format_duration(declared.refresh)}, and an iterator can be "
                "read once; give a list, or a function that returns the rows"
            )
        read = partial(read_relation, relation_of(declared, timezone), source, folder, in_place=in_place)
        found.append(Refresh(name, declared.refresh, read))
    return found


def relation_of(declared: RelationDeclaration, timezone: str) -> Relation:
    """Returns a declared relation as it is read."""
    attributes = None if declared.attributes is None else {each.name: each.kind for each in declared.attributes}
    return Relation(declared.name, attributes, declared.valid_from, declared.versions_of, timezone)


def _source(declared: RelationDeclaration, given: Mapping[str, object]) -> tuple[object, Path | None]:
    """Returns where the rows are, and the folder that a path is relative to."""
    if declared.name in given:
        return given[declared.name], None
    if declared.source is None:
        wanted = Setting.RELATION.of(f"{declared.name}=…")
        raise UsageError(f"the relation {declared.name} is declared without `from`; say where it is with {wanted}")
    return declared.source, declared.folder
