"""The modes of Snoop's operators in each parameter context (seed 004, Fig. 3), and of SAMOS, Ode and ADL (section 5).

A row has the modes of the components that are bound, in the order of the event type: both of `△`, `▽` and `;`; of NOT
the first and the last; of A the opening event and the a-periodic one; of A* all three. One alone is that of all. What
the figure leaves open is filled in here, and docs/snoop.md says how (ERR-113). Its `?!` and `?` are the irregularities
that the seed found, with the histories that show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from cera.diagnostics import Diagnostic
from cera.instances.types import ConsumptionName, SelectionName
from cera.languages.snoop.scopes import OperationInContext, name_of
from cera.languages.snoop.syntax import Context, Kind, Mark, Operation


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


@dataclass(frozen=True)
class _Irregularity:
    """Irregularity and what to write instead, in which E1, E2 and E3 stand for the operands."""

    what: str
    instead: str

    def hint(self, operation: Operation) -> str:
        names = [name_of(operand) or "(…)" for operand in operation.operands]
        return re.sub(r"\bE([123])\b", lambda found: names[int(found[1]) - 1], self.instead)


#: `?!`: the semantics seem to be irregular.
_IRREGULAR: Mapping[tuple[Kind, Context], _Irregularity] = MappingProxyType(
    {
        ("not", "recent"): _Irregularity(
            "NOT in the recent context uses up its first event, and `;` in this context does not: of e1 e3 e3 (EIH1) "
            "NOT(E2)[E1, E3] detects one event, E1 ; E3 two",
            "`recent A(E1, E3, E2)` detects one with each E3; in a .cet file: `not(last: shared: E1, E2, E3)`",
        ),
        ("A", "chronicle"): _Irregularity(
            "A in the chronicle context uses up its first event, so that it is signalled once for it: of "
            "e1 e2 e2 e2 e3 (EIH3) it detects one event, not three",
            "`recent A(E1, E2, E3)` detects one with each E2; so does in a .cet file `not(first: shared: E1, E3, E2)`",
        ),
        ("A", "continuous"): _Irregularity(
            "A in the continuous context never uses up its first event, so that each a-periodic event goes with all "
            "before it, the older ones too: of e1 e2 e1 e2 e2 (EIH4) it detects five events",
            "`recent A(E1, E2, E3)` goes with the latest E1 only; a .cet file can say `outside exclusive: E1`",
        ),
        ("A", "cumulative"): _Irregularity(
            "A in the cumulative context binds the first event alone and deletes all others before the a-periodic one, "
            "though this context is to bind all",
            "say in a .cet file which are bound: `not(restricted cumulative: exclusive parameter: E1, E3, E2)`",
        ),
        ("A*", "chronicle"): _Irregularity(
            "A* in the chronicle context does not use up what it collects, though this context uses each event once",
            "each once, in a .cet file: `;(first: E1, restricted cumulative: exclusive parameter: (0-): E2, E3)`",
        ),
    }
)

#: `?`: the semantics are not quite clear.
_UNCLEAR: Mapping[tuple[Kind, Context], str] = MappingProxyType(
    {
        ("any", "recent"): "which events ANY binds in the recent context: here the last of each type, as of △",
        ("not", "cumulative"): "which events NOT binds in the cumulative context: here all that begin such a sequence",
        ("A", "cumulative"): "which events A binds in the cumulative context: here the first",
        ("A*", "recent"): "which events A* collects in the recent context: here all since its first event",
        ("A*", "cumulative"): "which events A* begins with in the cumulative context: here the first",
    }
)

_SHARES = (
    "the last event of each type stays, so that it is used again in the recent context, and once in the chronicle one: "
    "of e1 e2 e2 (EIH2) that is two events and one"
)


def check_irregularities(each: OperationInContext) -> Iterator[Diagnostic]:
    """Reports the irregularities of one operator in its context (SN501 to SN504)."""
    operation, context = each.operation, each.context
    peculiar = _IRREGULAR.get((operation.kind, context))
    if peculiar is not None:
        yield Diagnostic("SN501", "warning", peculiar.what, operation.span, peculiar.hint(operation))
    unclear = _UNCLEAR.get((operation.kind, context))
    if unclear is not None:
        yield Diagnostic("SN502", "note", f"the paper leaves open {unclear}", operation.span)
    if operation.kind in ("P", "P*"):
        aperiodic = operation.kind.replace("P", "A")
        message = f"the paper does not specify {operation.kind}: here it has the modes of {aperiodic}"
        yield Diagnostic("SN502", "note", message, operation.span)
    if operation.kind == "and" and context == "recent":
        yield Diagnostic("SN503", "note", _SHARES, operation.span, "each event once: `chronicle`")
    if each.around is not None and each.around != context:
        message = f"this is `{context}` inside of `{each.around}`, which Snoop has not investigated"
        hint = "each operator follows its own context: what it detects is an event for the one around it"
        yield Diagnostic("SN504", "note", message, operation.span, hint)
