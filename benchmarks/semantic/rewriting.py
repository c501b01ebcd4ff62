"""How long it takes to rewrite many rules under many constraints."""

from __future__ import annotations

import time

from cera.diagnostics import Source
from cera.optimizer.semantic.driver import knowledge_of, rewrite
from cera.program import load

#: A rule and the constraints that concern it; the number makes them different.
_RULES = (
    "Range 24h: r{n}(auction(A), number(count(V))) <- bid{n}(auction(A), value(V)) and V > 0.",
    "Range 24h: r{n}(auction(A), item(I)) <- item{n}(auction(A), item(I)) and not sale{n}(auction(A), item(I)).",
    "unbounded: r{n}(auction(A)) <- i: bid{n}(auction(A), value(V)) and j: bid{n}(auction(A)) and i before j.",
    "unbounded: r{n}(auction(A)) <- j: end{n}(auction(A)) and w: from-end[j, 1h] and while w: not bid{n}(auction(A)).",
)
_CONSTRAINTS = (
    "IF event i: bid{n}(auction(A)) and event j: end{n}(auction(A)) THEN i before j END",
    "IF event i: sale{n}(auction(A)) and event j: end{n}(auction(A)) THEN i before j END",
    "IF event: bid{n}(value(V)) THEN V >= 1 END",
    "IF event i: item{n}(auction(A)) and event j: end{n}(auction(A)) THEN i before j END",
)


def rewriting_seconds(number: int = 100) -> float:
    """Returns the CPU seconds of rewriting so many rules under so many constraints, four of each about one label."""
    rules = "\n".join(_RULES[n % 4].format(n=n // 4).replace(f"r{n // 4}(", f"r{n}(", 1) for n in range(number))
    constraints = "\n".join(f"CONSTRAINT c{n}: {_CONSTRAINTS[n % 4].format(n=n // 4)}" for n in range(number))
    program = load(Source("rules.slog", rules)).checked()
    knowledge = knowledge_of(load(Source("constraints.escl", constraints)).layers.modules)
    begin = time.process_time()
    changed = sum(bool(each.rewritings) for each in rewrite(program, knowledge).rules)
    seconds = time.process_time() - begin
    if changed < number:
        raise SystemExit(f"only {changed} of {number} rules were rewritten")
    return seconds
