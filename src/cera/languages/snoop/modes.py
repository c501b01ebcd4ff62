"""The modes of Snoop's operators in each parameter context (seed 004, Fig. 3), and of SAMOS, Ode and ADL (section 5).

A row has the modes of the components that are bound, in the order of the event type: both of `△`, `▽` and `;`; of NOT
the first and the last; of A the opening event and the a-periodic one; of A* all three. One alone is that of all. What
the figure leaves open is filled in here, and docs/snoop.md says how (ERR-113).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from cera.instances.types import ConsumptionName, SelectionName
from cera.languages.snoop.syntax import Context, Kind, Mark


@dataclass(frozen=True)
class Modes:
    selection: SelectionName
    inside: ConsumptionName
    outside: ConsumptionName


def _modes(selection: SelectionName, consumption: ConsumptionName, outside: ConsumptionName | None = None) -> Modes:
    return Modes(selection, consumption, outside or consumption)


#: The last component of a type is its terminator; the figure gives it no selection, so it has the default of the model.
_USED = _modes("last", "exclusive parameter")
_SHARED = _modes("last", "shared")
_USED_BY_GROUP = _modes("last", "shared", "exclusive parameter")

_OLDEST = _modes("first", "exclusive parameter")
_LATEST = _modes("last", "shared")
_EVERY = _modes("combinations minimum", "shared")
_ALL = _modes("cumulative", "exclusive parameter")
_EVERY_OF_GROUP = _modes("combinations minimum", "shared", "exclusive")
_EVERY_ONCE = _modes("combinations minimum", "exclusive parameter", "exclusive")

Row = Mapping[Context, tuple[Modes, ...]]

_BOTH: Row = {
    "unrestricted": (_EVERY,),
    "recent": (_LATEST,),
    "chronicle": (_OLDEST,),
    "continuous": (_EVERY_OF_GROUP,),
    "cumulative": (_ALL,),
    "samos": (_OLDEST,),
    "adl": (_USED,),
}
_EITHER: Row = {
    **dict.fromkeys(("recent", "chronicle", "continuous", "cumulative", "samos", "adl"), (_USED,)),
    **dict.fromkeys(("unrestricted", "ode", "ode unrestricted"), (_SHARED,)),
}
_FOLLOWS: Row = {
    "unrestricted": (_EVERY, _SHARED),
    "recent": (_LATEST, _USED),
    "chronicle": (_OLDEST, _USED),
    "continuous": (_EVERY_ONCE, _USED_BY_GROUP),
    "cumulative": (_ALL, _USED),
    "samos": (_OLDEST, _USED),
    "ode": (_OLDEST, _SHARED),
    "ode unrestricted": (_EVERY, _SHARED),
    "adl": (_USED, _USED),
}
_ABSENT: Row = {
    "unrestricted": (_EVERY, _SHARED),
    "recent": (_modes("last", "exclusive"), _USED),
    "chronicle": (_OLDEST, _USED),
    "continuous": (_EVERY_ONCE, _USED_BY_GROUP),
    "cumulative": (_modes("restricted cumulative", "exclusive parameter"), _USED),
    "samos": (_OLDEST, _USED),
    "adl": (_USED, _USED),
}
_APERIODIC: Row = {
    "unrestricted": (_EVERY, _SHARED),
    "recent": (_LATEST, _USED),
    "chronicle": (_OLDEST, _USED),
    "continuous": (_modes("combinations minimum", "exclusive parameter", "shared"), _USED_BY_GROUP),
    "cumulative": (_modes("first", "exclusive"), _USED),
}
_COLLECTED: Row = {
    "unrestricted": (_EVERY, _modes("restricted cumulative", "shared"), _SHARED),
    "recent": (_modes("last", "exclusive"), _modes("restricted cumulative", "exclusive"), _USED),
    "chronicle": (_OLDEST, _modes("restricted cumulative", "shared"), _USED),
    "continuous": (_EVERY_ONCE, _modes("restricted cumulative", "shared", "exclusive"), _USED_BY_GROUP),
    "cumulative": (_modes("first", "exclusive"), _modes("restricted cumulative", "exclusive"), _USED),
}

ROWS: Mapping[Kind, Row] = MappingProxyType(
    {
        "and": _BOTH,
        "any": {context: row for context, row in _BOTH.items() if context not in ("samos", "adl")},
        "or": _EITHER,
        ";": _FOLLOWS,
        "not": _ABSENT,
        "A": _APERIODIC,
        "A*": _COLLECTED,
        "P": _APERIODIC,
        "P*": _COLLECTED,
    }
)

#: The selections that SAMOS's signs before an operand choose.
_SELECTED: Mapping[Mark, SelectionName] = MappingProxyType({"*": "first", "last": "last", "times": "cumulative"})


def modes_of(kind: Kind, context: Context, number: int) -> tuple[Modes, ...] | None:
    """Returns the modes of `number` bound components; None where the context does not have the operator."""
    row = ROWS[kind].get(context)
    if row is None:
        return None
    return row * number if len(row) == 1 else row


def marked(modes: Modes, mark: Mark | None, kind: Kind) -> Modes:
    """Returns the modes with the selection of a sign. In a negation TIMES takes all, as in the cumulative context."""
    if mark is None:
        return modes
    selection = "restricted cumulative" if mark == "times" and kind == "not" else _SELECTED[mark]
    return replace(modes, selection=selection)
