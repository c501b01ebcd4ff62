"""Copy rules (seed 003, section 3.3): `sat_6(X, V, J) <- sat_5(X, V, J).`

A predicate that has one rule and no facts besides those of another predicate is only another name for it. Rules ask for
the other one instead, so that copies cost nothing, however many facts stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cera.datalog.normal import NormalAtom, NormalRule
from cera.model.expressions.expression import Variable


def without_copies(rules: Sequence[NormalRule]) -> tuple[list[NormalRule], dict[str, str]]:
    """The rules without copy rules, and what the predicates that had them are copies of."""
    counts: dict[str, int] = {}
    for rule in rules:
        counts[rule.predicate] = counts.get(rule.predicate, 0) + 1
    copied = {r.predicate: r.positive[0].predicate for r in rules if counts[r.predicate] == 1 and _is_copy(r)}
    originals: dict[str, str] = {}
    for name in copied:
        original, seen = copied[name], {name}
        while original in copied and original not in originals and original not in seen:
            seen.add(original)
            original = copied[original]
        if original not in seen:
            originals |= dict.fromkeys(seen, originals.get(original, original))
    return [_renamed(rule, originals) for rule in rules if rule.predicate not in originals], originals


def _is_copy(rule: NormalRule) -> bool:
    names = tuple(v.name for v in rule.outputs if isinstance(v, Variable) and "." not in v.name)
    return (
        rule.when == "every"
        and len(rule.positive) == 1
        and not rule.negative
        and not rule.conditions
        and rule.positive[0].moment == "new"
        and rule.positive[0].terms == names
        and len(set(names)) == len(rule.outputs)
    )


def _renamed(rule: NormalRule, originals: dict[str, str]) -> NormalRule:
    def renamed(atom: NormalAtom) -> NormalAtom:
        return replace(atom, predicate=originals.get(atom.predicate, atom.predicate))

    return replace(rule, positive=tuple(map(renamed, rule.positive)), negative=tuple(map(renamed, rule.negative)))
