"""The modes of components and operators by their words, and where each may stand.

The order is that of the appendix: selection, consumption, delimiter before a component; time, concurrency, coupling,
traversal before an operator. Any other order is understood, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from cera.diagnostics import Diagnostic, Note, did_you_mean
from cera.instances.types import ConsumptionName, SelectionName
from cera.languages.cet.syntax import Mode

SELECTIONS: tuple[SelectionName, ...] = get_args(SelectionName)
CONSUMPTIONS: tuple[ConsumptionName, ...] = ("shared", "exclusive parameter", "exclusive")

#: The dimensions that modes decide.
Dimension = Literal["selection", "inside", "outside", "time", "concurrency", "coupling", "traversal"]

#: Each mode as it is printed, and what it decides.
OPERATOR_MODES: Mapping[str, Dimension] = MappingProxyType(
    {
        "begin": "time",
        "end": "time",
        "overlapping": "concurrency",
        "non-overlapping": "concurrency",
        "continuous": "coupling",
        "non-continuous": "coupling",
        "left-to-right": "traversal",
        "right-to-left": "traversal",
    }
)
COMPONENT_MODES: Mapping[str, tuple[Dimension, ...]] = MappingProxyType(
    {
        **dict.fromkeys(SELECTIONS, ("selection",)),
        **dict.fromkeys(CONSUMPTIONS, ("inside", "outside")),
        **{f"inside {name}": ("inside",) for name in CONSUMPTIONS},
        **{f"outside {name}": ("outside",) for name in CONSUMPTIONS},
    }
)
_SPELLINGS = {re.sub(r"[\s-]+", " ", mode): mode for mode in (*COMPONENT_MODES, *OPERATOR_MODES)}

#: The modes that Snoop's contexts are mostly made of.
_CONTEXTS = {"recent": "last: shared", "chronicle": "first: exclusive parameter"}


@dataclass(frozen=True)
class ModeChoice:
    """The modes that stand before something; a dimension that is left open is not in `values`."""

    values: Mapping[Dimension, str]
    problems: tuple[Diagnostic, ...]


def read_modes(modes: Iterable[Mode], *, component: bool, operator: bool, what: str) -> ModeChoice:
    """Reads the modes before a component, an operator, or a component that is written as one.

    `what` names in messages what they stand before.
    """
    values: dict[Dimension, str] = {}
    given: dict[Dimension, Mode] = {}
    problems: list[Diagnostic] = []
    for mode in modes:
        known = _SPELLINGS.get(re.sub(r"[\s-]+", " ", mode.text))
        if known is None:
            problems.append(_unknown(mode, component=component, operator=operator))
            continue
        of_component = known in COMPONENT_MODES
        if not (component if of_component else operator):
            problems.append(_misplaced(mode, known, what, of_component=of_component))
            continue
        dimensions = COMPONENT_MODES[known] if of_component else (OPERATOR_MODES[known],)
        problems += _twice(mode, known, dimensions, given)
        for dimension in dimensions:
            given.setdefault(dimension, mode)
            values.setdefault(dimension, known.removeprefix(f"{dimension} "))
    return ModeChoice(values, tuple(problems))


def _unknown(mode: Mode, *, component: bool, operator: bool) -> Diagnostic:
    candidates = [*(COMPONENT_MODES if component else ()), *(OPERATOR_MODES if operator else ())]
    words = mode.text.split()
    for tail in (" ".join(words[index:]) for index in range(1, len(words))):
        if component and tail in COMPONENT_MODES:
            name = mode.text.removesuffix(tail).strip()
            message = f"there is no mode `{mode.text}`"
            hint = f"if `{name}` is a component, a comma is missing after it; if not: did you mean `{tail}`?"
            return Diagnostic("CE005", "error", message, mode.span, hint)
    if mode.text.lower() in _CONTEXTS:
        hint = f"the {mode.text.lower()} context of Snoop is for most components `{_CONTEXTS[mode.text.lower()]}`"
        return Diagnostic("CE005", "error", f"there is no mode `{mode.text}`", mode.span, hint)
    meant = did_you_mean(mode.text, candidates) or did_you_mean(mode.text, _SPELLINGS.values())
    return Diagnostic("CE005", "error", f"there is no mode `{mode.text}`", mode.span, meant or _listed(candidates))


def _listed(candidates: Iterable[str]) -> str:
    return f"the modes here are {', '.join(each for each in candidates if not each.startswith(('inside', 'outside')))}"


def _misplaced(mode: Mode, known: str, what: str, *, of_component: bool) -> Diagnostic:
    if of_component:
        message = f"`{known}` is a mode of a component, and {what} is none"
        hint = f"it stands inside of the brackets: `;({known}: E1, E2)`"
    else:
        message = f"`{known}` is a mode of an operator, and {what} is none"
        hint = f"it stands before the operator: `{known}: ;(E1, E2)`"
    return Diagnostic("CE005", "error", message, mode.span, hint)


def _twice(
    mode: Mode, known: str, dimensions: tuple[Dimension, ...], given: Mapping[Dimension, Mode]
) -> Iterator[Diagnostic]:
    first = next((given[dimension] for dimension in dimensions if dimension in given), None)
    if first is None:
        return
    what = "consumption" if dimensions[0] in ("inside", "outside") else dimensions[0]
    hint = "keep one of the two"
    if what == "consumption":
        hint += "; inside and outside of groups: `inside shared: outside exclusive: E1`"
    message = f"the {what} is given twice, by `{first.text}` and `{known}`"
    yield Diagnostic("CE005", "error", message, mode.span, hint, (Note("here is the first", first.span),))
