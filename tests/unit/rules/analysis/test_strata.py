"""Stratification: least strata, and cycles shown with every rule on them (X-24, X-25, X-35, X-36)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.errors import ProgramError
from cera.model.expressions.constructs import ConstructTerm
from cera.model.matching.patterns import TermPattern
from cera.rules.analysis.dependencies import dependencies
from cera.rules.analysis.strata import recursive_components, stratify
from cera.rules.rule import Accumulation, Branch, EventQuery, Rule
from unit.rules.programs import codes, marked, rules, the

FIG_1 = """
DETECT fire { area { var A } }
ON and { event s: smoke {{ area {{ var A }} }}, event t: temp {{ area {{ var A }}, value {{ var T }} }}
} where { s before t, {s,t} within 1 min, var T > 40 }
END
DETECT burnt_down { sensor { var S } }
ON and { event n: temp {{ sensor {{ var S }}, value {{ var T }} }},
         event i: timer:from-end [ event n, 12 sec ],
         while i: not temp {{ sensor {{ var S }} }} } where { var T > 40 }
END
DETECT avg_temp { sensor { var S }, value { avg(all var T) } }
ON and { event m: temp {{ sensor {{ var S }} }},
         event i: timer:from-start-backward [ event m, 1 min ],
         while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }} }
END
"""

PAPER_CYCLE = """
DETECT p[ var X ] ON and{ event w: s[ var X ], while w: not q[ var X ] } END
DETECT q[ var X ] ON and{ event w: s[ var X ], while w: not p[ var X ] } END
"""


def strata(text: str) -> list[list[str]]:
    return [[rule.name for rule in stratum] for stratum in stratify(rules(text)).strata]


def test_X_25_a_program_without_dependencies_is_one_stratum() -> None:
    assert strata(FIG_1) == [["fire", "burnt_down", "avg_temp"]]


def test_X_25_rules_that_negate_group_or_set_timers_lie_above_what_they_query() -> None:
    text = FIG_1 + "DETECT temp{ area{ var A }, sensor{ var S }, value{ var V } } ON raw{{ var A, var S, var V }} END"
    assert strata(text) == [["fire", "temp"], ["burnt_down", "avg_temp"]]


@pytest.mark.parametrize(
    "upper",
    [
        "DETECT h ON and{ event d: day, while d: not a{{}} } END",
        "DETECT h{ all x{ var X } } ON a{{ var X }} END",
        "DETECT h{ count(all var X) } ON a{{ var X }} END",
        "DETECT h ON and{ event e: a{{}}, event w: extend[e, 1 min] } END",
    ],
)
def test_X_25_a_strict_dependency_needs_a_higher_stratum(upper: str) -> None:
    assert strata(f"{upper} DETECT a{{ var X }} ON b{{{{ var X }}}} END") == [["a"], ["h"]]


def test_X_25_a_positive_dependency_does_not() -> None:
    assert strata("DETECT h ON a{{}} END DETECT a{ var X } ON b{{ var X }} END") == [["h", "a"]]


def test_strata_add_up_along_a_chain_and_each_rule_lies_as_low_as_it_can() -> None:
    text = """
        DETECT top ON and{ event d: day, while d: not middle } END
        DETECT middle ON and{ event d: day, while d: not bottom } END
        DETECT bottom ON base END
        DETECT beside ON middle END
        DETECT alone ON base END"""
    assert strata(text) == [["bottom", "alone"], ["middle", "beside"], ["top"]]


def test_a_program_without_rules_has_no_strata() -> None:
    assert stratify(()).strata == ()


def test_X_24_rules_that_negate_each_other_are_refused() -> None:
    with pytest.raises(ProgramError) as error:
        stratify(rules(PAPER_CYCLE))
    assert [d.code for d in error.value.diagnostics] == ["XC301"]


def test_X_24_the_error_shows_every_rule_on_the_cycle_and_the_places_that_close_it() -> None:
    found = the("XC301", PAPER_CYCLE)
    assert found.message.endswith("p → q → p")
    assert [marked(found), *(note.span.text for note in found.notes if note.span)] == [
        "while w: not q[ var X ]",
        "q[ var X ]",
        "while w: not p[ var X ]",
        "p[ var X ]",
    ]
    assert [note.message for note in found.notes] == [
        "rule `q` can derive such an event",
        "rule `q` needs the absence of this",
        "rule `p` can derive such an event",
    ]


def test_a_negation_beside_a_recursion_is_fine() -> None:
    assert (
        codes("""
        DETECT reach{ var X } ON edge{{ var X }} END
        DETECT reach{ var X } ON and{ event r: reach{ var X }, event s: step{{ var X }} } END
        DETECT unreached{ var X } ON and{ event n: node{{ var X }}, while n: not reach{ var X } } END""")
        == []
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("XC301", "DETECT a ON and{ event w: b{{}}, while w: not a{{}} } END"),
        ("XC302", "DETECT a{ count(all var X) } ON and{ event w: b{{}}, while w: collect a{{ var X }} } END"),
        ("XC302", "DETECT a{ all x{ var X } } ON a{{ x{ var X } }} END"),
        ("XC302", "DETECT a ON and{ event w: b{{}}, while w: collect a{{}} } END"),
        ("XC303", "DETECT a ON and{ event e: a{{}}, event w: extend[e, 1 min] } END"),
    ],
)
def test_a_rule_cannot_depend_on_itself_in_a_strict_way(code: str, text: str) -> None:
    found = the(code, text)
    assert found.severity == "error"
    assert found.message.endswith("a → a")
    assert [note.message for note in found.notes] == ["rule `a` can derive such an event"]


def test_a_rule_that_collects_what_depends_on_it_is_told_how_to_say_it_without() -> None:
    collecting = "DETECT a{ var X } ON and{ event w: b{{}}, while w: collect a{{ var X }} } END"
    found = the("XC302", collecting)
    assert found.message == "rule `a` collects events that depend on rule `a` itself: a → a"
    assert "`event e: q`" in (found.hint or "")
    one_by_one = "ON and{ event w: b{{}}, event e: a{{ var X }} } where { begin(w) <= begin(e), end(e) <= end(w) } END"
    assert codes(f"DETECT a{{ var X }} {one_by_one}") == []
    grouping = collecting.replace("a{ var X }", "a{ sum(all var X) }", 1)
    assert the("XC302", grouping).message == "rule `a` groups events that depend on rule `a` itself: a → a"


@pytest.mark.parametrize(
    "text",
    [
        "DETECT c ON and{ event w: b{{}}, while w: not a{{}} } END",
        "DETECT c{ count(all var X) } ON and{ event w: b{{}}, while w: collect a{{ var X }} } END",
        "DETECT c ON and{ event e: a{{}}, event w: extend[e, 1 min] } END",
    ],
)
def test_the_same_rules_under_another_label_are_fine(text: str) -> None:
    assert codes(text) == []


def test_the_shortest_cycle_is_shown() -> None:
    text = """
        DETECT a ON and{ event w: w, while w: not b } END
        DETECT b ON c END
        DETECT c ON or{ d, a } END
        DETECT d ON a END"""
    assert the("XC301", text).message.endswith("a → b → c → a")


def test_a_cycle_can_close_through_queries_without_a_label() -> None:
    text = "DETECT quiet ON and{ event d: day{{}}, while d: not *{{}} } END"
    assert codes(text) == ["XC301"]
    assert codes("DETECT quiet ON and{ event d: day{{}}, while d: not *{{ level }} } END") == []


def test_each_kind_and_each_component_is_reported() -> None:
    text = (
        PAPER_CYCLE
        + """
        DETECT a{ count(all var X) } ON and{ event e: a{{ var X }}, event w: extend[e, 1 min] } END"""
    )
    assert codes(text) == ["XC301", "XC302", "XC303"]


def test_X_35_a_cycle_of_positive_dependencies_is_stratifiable() -> None:
    text = "DETECT sequence[ var X, var Y ] ON and{ event x: var X, event y: var Y } where { x before y } END"
    assert strata(text) == [["sequence"]]


def test_X_36_a_program_is_hierarchical_if_no_rule_depends_on_itself() -> None:
    recursive = rules("""
        DETECT a ON b END
        DETECT b ON or{ a, x } END
        DETECT c ON b END
        DETECT d ON d{{ y }} END
        DETECT e ON e{{}} END""")
    assert [[rule.name for rule in component] for component in recursive_components(recursive)] == [["a", "b"], ["e"]]
    assert recursive_components(rules(FIG_1)) == ()


# random programs: rules 0 to n-1 with labels of their own, queries and negations of each other

bodies = st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=3)


def rule(number: int, body: list[tuple[int, bool]]) -> Rule:
    queries = tuple(EventQuery(f"e{i}", TermPattern(f"r{on}")) for i, (on, negated) in enumerate(body) if not negated)
    absences = tuple(Accumulation("w", TermPattern(f"r{on}"), True) for on, negated in body if negated)
    branch = Branch(events=(EventQuery("w", TermPattern("base")), *queries), absences=absences)
    return Rule(f"r{number}", ConstructTerm(f"r{number}"), (branch,))


@settings(deadline=None)
@given(st.lists(bodies, min_size=1, max_size=6))
def test_X_35_a_program_has_strata_exactly_if_no_cycle_is_strict_and_then_the_least_ones(
    program: list[list[tuple[int, bool]]],
) -> None:
    """Against the definition: numbers grow from 0 as the inequalities demand, past n they never stop."""
    all_rules = [rule(number, body) for number, body in enumerate(program)]
    numbers = dict.fromkeys((r.name for r in all_rules), 0)
    edges = dependencies(all_rules)
    for _ in range(len(all_rules) + 1):
        for edge in edges:
            numbers[edge.rule.name] = max(numbers[edge.rule.name], numbers[edge.on.name] + edge.strict)
    stratifiable = all(numbers[e.rule.name] >= numbers[e.on.name] + e.strict for e in edges)
    if not stratifiable:
        with pytest.raises(ProgramError):
            stratify(all_rules)
        return
    strata = stratify(all_rules).strata
    assert {r.name: i for i, stratum in enumerate(strata) for r in stratum} == numbers
