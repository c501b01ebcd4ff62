"""Random rules that look up rows of a table with a key, constraints about both, and the rows."""

from __future__ import annotations

import random

from properties.constrained_rules import random_constraint

TABLE = 'relation t(k, v, w) from "t.csv"'
KEYS = ("t(k(K)) group-by {K}", "t(k(K), v(V)) group-by {K}", "t(k(K), v(V)) group-by {K, V}")
LOOKUPS = ("t(k(K), v(A))", "t(k(K), w(B))", "t(k(K), v(V))", "t(k(K), v(V), w(B))", "t(k(1), w(B))", "t(v(V), w(B))")
HEADS = ("h(k(K))", "h(k(K), v(V))", "h(k(K), n(count(V)))")
#: What the stream has to do with the table.
REFERENCES = (
    "IF event: p(k(K)) THEN exists >= 1 t(k(K)) END",
    "IF event: p(k(K), v(V)) and t(k(K), w(W)) THEN V >= W END",
)


def random_lookups(chance: random.Random) -> tuple[list[str], list[str], list[dict[str, int]]]:
    """Returns rules, constraints that the rows satisfy, and the rows."""
    key = chance.choice(KEYS)
    known = LOOKUPS[:4] if chance.random() < 0.6 else LOOKUPS
    asked = " and ".join(chance.choice(known) for _ in range(chance.choice((2, 2, 3))))
    rules = [f"Range 5sec: {chance.choice(HEADS)} <- p(k(K), v(V)) and {asked}."]
    constraints = [f"IN ANY CASE exists <= 1 {key} END"]
    if chance.random() < 0.3:
        constraints.append(chance.choice(REFERENCES))
    if chance.random() < 0.3:
        constraints.append(random_constraint(chance))
    return rules, constraints, _rows(chance, key)


def _rows(chance: random.Random, key: str) -> list[dict[str, int]]:
    """Returns rows of which no two have the same key."""
    rows: list[dict[str, int]] = []
    seen: set[tuple[int, ...]] = set()
    names = [name for name in "kv" if f"{name}(" in key]
    by = ["k", "v"] if "{K, V}" in key else ["k"]
    for _ in range(chance.randint(2, 10)):
        row = {name: chance.randint(0, 3) for name in "kvw" if name == "k" or chance.random() < 0.8}
        has_key = all(name in row for name in names)
        if not has_key or tuple(row[name] for name in by) not in seen:
            if has_key:
                seen.add(tuple(row[name] for name in by))
            rows.append(row)
    return rows
