"""Rules whose lookups a key has merged answer as before, on random tables that satisfy the key."""

from __future__ import annotations

import random
from collections import Counter

from cera.connectors.relations.relation import Record, Relation
from hypothesis_profiles import examples
from module_runs import run_by_definition, run_locally
from properties.constrained_rules import stream_of
from unit.optimizer.semantic.rewriting import rewritten_program

TABLE = 'relation t(k, v, w) from "t.csv"\n'
KEYS = ("t(k(K)) group-by {K}", "t(k(K), v(V)) group-by {K}", "t(k(K), v(V)) group-by {K, V}")
LOOKUPS = ("t(k(K), v(A))", "t(k(K), w(B))", "t(k(K), v(V))", "t(k(K), v(V), w(B))", "t(k(1), w(B))", "t(v(V), w(B))")
HEADS = ("h(k(K))", "h(k(K), v(V))", "h(k(K), n(count(V)))")


def _table(chance: random.Random, key: str) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = []
    seen: set[tuple[int, ...]] = set()
    for _ in range(chance.randint(0, 6)):
        row = {name: chance.randint(0, 3) for name in "kvw" if name == "k" or chance.random() < 0.7}
        names = [name for name in "kv" if f"{name}(" in key]
        by = ["k", "v"] if "{K, V}" in key else ["k"]
        if any(name not in row for name in names) or tuple(row[name] for name in by) not in seen:
            if all(name in row for name in names):
                seen.add(tuple(row[name] for name in by))
            rows.append(row)
    return rows


def test_rules_with_merged_lookups_answer_as_before() -> None:
    used: Counter[str] = Counter()
    for seed in range(examples(80)):
        chance = random.Random(seed)
        key = chance.choice(KEYS)
        asked = " and ".join(chance.choice(LOOKUPS) for _ in range(chance.choice((2, 2, 3))))
        rule = f"{TABLE}Range 5sec: {chance.choice(HEADS)} <- p(k(K), v(V)) and {asked}."
        found = rewritten_program(rule, f"relation t(k, v, w)\nIN ANY CASE exists <= 1 {key} END")
        plain = rewritten_program(rule, "relation t(k, v, w)\nIN ANY CASE exists <= 9 t(k(K)) group-by {K} END")
        laws = {each.law for each in found.rules[0].rewritings}
        rows = {"t": Relation("t").rows(Record("row", values) for values in _table(chance, key))}
        events = stream_of(chance)
        answers = [
            sorted(str(one.event) for one in run(program, events, relations=rows).derived)
            for program in (plain.program, found.program)
            for run in (run_by_definition, run_locally)
        ]
        assert all(each == answers[0] for each in answers), f"seed {seed}\n{rule}\n{key}\n{rows}\n{events}"
        used.update(laws)
        used["with answers"] += bool(laws and answers[0])
    assert (used["lookup merging"] > 10 and used["with answers"] > 3) or examples(80) < 80, used
