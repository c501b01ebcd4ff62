"""All ways to match the children of a pattern together: one row of each child's table, agreeing on shared variables.

A table has one row for each distinct substitution of a child, with the data children it comes from. Substitutions are
enumerated, not data children: a child without variables has one row however many data children it matches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from cera.errors import MatchLimitError
from cera.model.matching.assignment import Places, arrange, rearrange
from cera.model.matching.patterns import AnyLabel, Descendant, Pattern, RegexLabel, TermPattern, VariablePattern
from cera.model.matching.substitutions import NOTHING_BOUND, Substitution, bindings_key, identity, join

#: A search may take this many steps for each answer that the limit allows, and a few thousand in any case.
STEPS_PER_ANSWER = 6
_FREE_STEPS = 10_000

Row = tuple[Substitution, Places]


class Search:
    """One run of a pattern over one value: the answers and steps that it may take, and those taken so far."""

    __slots__ = ("found_below", "limit", "steps_left")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.steps_left = _FREE_STEPS + STEPS_PER_ANSWER * limit
        self.found_below: dict[tuple[int, int, Hashable], list[Substitution]] = {}

    def step(self, pattern: Pattern, count: int = 1) -> None:
        self.steps_left -= count
        if self.steps_left < 0:
            raise _cut_off(pattern, f"it takes too many steps for a limit of {self.limit:,} answers")

    def admit(self, pattern: Pattern, answers: int) -> None:
        if answers > self.limit:
            raise _cut_off(pattern, f"it has more than {self.limit:,} answers")


def _cut_off(pattern: Pattern, reason: str) -> MatchLimitError:
    return MatchLimitError(
        f"matching the pattern {described(pattern)} was cut off: on one event, {reason}. Too many of its variables "
        "range over too many children of the event independently of one another; give the parts that hold them "
        "labels or values that fewer children have, or leave out variables that are not needed."
    )


def described(pattern: Pattern) -> str:
    """Returns the pattern by its label or variable and its place, for a message."""
    match pattern:
        case TermPattern(label=AnyLabel()):
            name = "`*`"
        case TermPattern(label=RegexLabel(expression)):
            name = f"`/{expression}/`"
        case TermPattern(label=str(label)):
            name = f"`{label}`"
        case VariablePattern(name=variable):
            name = f"`var {variable}`"
        case Descendant():
            name = "`desc`"
        case _:
            name = "here"
    return name if pattern.span is None else f"{name} at {pattern.span}"


class Table(NamedTuple):
    """The rows of one child, and the variables that every row binds."""

    rows: Sequence[Row]
    bound: frozenset[str]


class Lookup:
    """The rows of a table by the values of the variables that are known when they are looked up."""

    __slots__ = ("_by_key", "_names", "_rows")

    def __init__(self, table: Table, known: frozenset[str]) -> None:
        self._names = tuple(sorted(table.bound & known))
        self._rows = table.rows
        self._by_key: dict[Hashable, list[Row]] = {}
        if self._names:
            for row in table.rows:
                self._by_key.setdefault(bindings_key(row[0], self._names), []).append(row)

    def rows(self, substitution: Substitution) -> Sequence[Row]:
        """Returns the rows that agree on the known variables; on others, `join` decides."""
        if not self._names:
            return self._rows
        return self._by_key.get(bindings_key(substitution, self._names), ())


def combinations(
    tables: Sequence[Table], ordered: bool | None, search: Search, pattern: Pattern
) -> Iterator[tuple[Substitution, list[Places]]]:
    """Yields every joint substitution, with the places that each child can take under the rows chosen for it.

    `ordered` is None if the children can never compete for a data child. A variable that two tables have in common is
    bound by every row of both.
    """
    settled: Substitution = NOTHING_BOUND
    undecided = 0
    for table in tables:
        if len(table.rows) == 1:
            joined = join(settled, table.rows[0][0])
            if joined is None:
                return
            settled = joined
        else:
            undecided += 1
    if not undecided:
        options = [table.rows[0][1] for table in tables]
        if ordered is None or arrange(options, ordered=ordered) is not None:
            yield settled, options
        return
    yield from _enumerated(_reduced(tables), ordered, search, pattern)


def _enumerated(
    tables: Sequence[Table], ordered: bool | None, search: Search, pattern: Pattern
) -> Iterator[tuple[Substitution, list[Places]]]:
    """Yields the combinations depth first over the tables. An arrangement of all children, those not yet decided
    included, is kept: a choice that leaves no room for the others is dropped at once."""
    options = [_all_places(table.rows, len(tables), ordered=ordered) for table in tables]
    arrangement = None if ordered is None else arrange(options, ordered=ordered)
    if ordered is not None and arrangement is None:
        return
    order = _join_order(tables)
    known: frozenset[str] = frozenset()
    lookups = []
    for child in order:
        lookups.append(Lookup(tables[child], known))
        known |= tables[child].bound
    everywhere = list(options)
    frames = [(iter(lookups[0].rows(NOTHING_BOUND)), NOTHING_BOUND, arrangement)]
    while frames:
        depth = len(frames) - 1
        child = order[depth]
        pending, substitution, arrangement = frames[-1]
        row = next(pending, None)
        if row is None:
            options[child] = everywhere[child]
            frames.pop()
            continue
        search.step(pattern)
        options[child] = row[1]
        if ordered is not None and arrangement is not None:
            arrangement = rearrange(options, arrangement, child, ordered=ordered)
            if arrangement is None:
                continue
        joined = {**substitution, **row[0]}
        if depth + 1 == len(order):
            yield joined, list(options)
        else:
            frames.append((iter(lookups[depth + 1].rows(joined)), joined, arrangement))


def _reduced(tables: Sequence[Table]) -> Sequence[Table]:
    """Drops the rows whose value for a variable does not occur in every table that binds the variable."""
    allowed: dict[str, set[Hashable]] = {}
    shared: set[str] = set()
    for table in tables:
        for name in table.bound:
            values = {identity(row[0][name]) for row in table.rows}
            if name in allowed:
                shared.add(name)
                values &= allowed[name]
            allowed[name] = values
    if not shared:
        return tables
    return [_keeping(table, {name: allowed[name] for name in table.bound & shared}) for table in tables]


def _keeping(table: Table, allowed: dict[str, set[Hashable]]) -> Table:
    rows = [row for row in table.rows if all(identity(row[0][name]) in values for name, values in allowed.items())]
    return Table(rows, table.bound)


def _join_order(tables: Sequence[Table]) -> list[int]:
    """Puts mere lookups first, then tables that share variables with those before them, then the smallest."""
    remaining = list(range(len(tables)))
    known: frozenset[str] = frozenset()
    order = []

    def cost(child: int) -> tuple[int, int]:
        bound = tables[child].bound
        freedom = 0 if bound <= known else 1 if bound & known else 2
        return (min(freedom, len(tables[child].rows) - 1), len(tables[child].rows))

    while remaining:
        chosen = min(remaining, key=cost)
        remaining.remove(chosen)
        order.append(chosen)
        known |= tables[chosen].bound
    return order


def _all_places(rows: Iterable[Row], enough: int, *, ordered: bool | None) -> Places:
    """Returns the places of all rows; of an unordered pattern with n children, n places are as good as more."""
    found: set[int] = set()
    for _, places in rows:
        found.update(places)
        if not ordered and len(found) >= enough:
            break
    return sorted(found)
