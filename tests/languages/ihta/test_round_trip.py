"""Random automata are read back as they are printed, as text and as JSON, and mean the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from cera.automata.automaton import Automaton, Constant, Declaration, EventQuery, Path, Reference
from cera.automata.structure import Structure
from cera.diagnostics import Source
from cera.languages.ihta.json_writer import automaton_json
from cera.languages.ihta.lowering import lower
from cera.languages.ihta.parser import parse
from cera.languages.ihta.printer import format_source, print_automaton, print_program
from cera.languages.ihta.raising import raised
from cera.languages.ihta.syntax import Program
from cera.model.expressions.expression import Arithmetic, Comparison, Literal, Variable
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from hypothesis_profiles import examples
from properties.automata_cases import random_automaton

LABELS = ("a", "Big", "two words", "true", "not", "var", "state", "x-y", 'a "quote"', "ä", "", "007", "e")
SCALARS = (1, -2, 2.5, True, False, "red", "Two words", "007", "true", 'a "quote" \\', "ä", "")


def varied(automaton: Automaton, chance: random.Random) -> Automaton:
    """The automaton with other labels, values, patterns and conditions. It need not be one without errors."""
    transitions = []
    for each in automaton.transitions:
        label = each.label
        if label.query is not None and chance.random() < 0.6:
            label = replace(label, query=_pattern_query(chance) if chance.random() < 0.5 else _query(chance))
        if label.query is not None and chance.random() < 0.3:
            value = Arithmetic(
                chance.choice(("+", "-", "*", "/", "mod")), Variable("X"), Literal(chance.randint(-3, 3))
            )
            label = replace(label, conditions=(Comparison(chance.choice(("=", "!=", "<")), value, Literal("red")),))
        transitions.append(replace(each, label=label))
    return replace(automaton, transitions=tuple(transitions))


def _query(chance: random.Random) -> EventQuery:
    attributes: list[tuple[Path, Constant | Reference | Declaration]] = []
    for number in range(chance.randint(0, 3)):
        path = tuple(chance.choice(LABELS) for _ in range(chance.choice((1, 1, 2))))
        value = chance.choice(
            [
                Constant(chance.choice(SCALARS)),
                Reference(f"R{number}"),
                Declaration(f"D{number}", unique=True, memory=chance.choice((None, 1, 90_000_000))),
            ]
        )
        attributes.append((path, value))
    return EventQuery(chance.choice(LABELS), tuple(attributes))


def _pattern_query(chance: random.Random) -> EventQuery:
    declared = (Declaration("X", unique=chance.random() < 0.5), Declaration("Y", True, 3_600_000_000))
    bound = (VariablePattern("X"), VariablePattern("Y", RegexPattern("ab+")))
    children = (*bound, *(_child(chance, 2) for _ in range(chance.randint(0, 2))))
    label = chance.choice(LABELS)
    return EventQuery(label, (), TermPattern(label, children, chance.random() < 0.5, chance.random() < 0.5), declared)


def _child(chance: random.Random, depth: int) -> Pattern:
    inner = _pattern(chance, depth)
    return chance.choice([inner, Without(inner), OptionalPattern(inner)])


def _pattern(chance: random.Random, depth: int) -> Pattern:
    labels = [*LABELS, AnyLabel(), RegexLabel("a+")]
    leaves: list[Pattern] = [ScalarPattern(chance.choice(SCALARS)), VariablePattern("K"), RegexPattern("[a-z]+")]
    if depth == 0 or chance.random() < 0.4:
        return chance.choice(leaves)
    inside = tuple(_child(chance, depth - 1) for _ in range(chance.randint(0, 2)))
    term = TermPattern(chance.choice(labels), inside, chance.random() < 0.5, chance.random() < 0.5)
    return chance.choice([term, Descendant(term), VariablePattern("X", term) if chance.random() < 0.2 else term])


def case(seed: int) -> Automaton:
    chance = random.Random(seed)
    automaton = random_automaton(chance, keyed=chance.random() < 0.5)
    return varied(automaton, chance) if seed % 2 else automaton


def same(one: Automaton, other: Automaton) -> bool:
    """Whether two automata are the same, but for the order of their transitions."""
    kinds = [(each.root, each.is_strict, Counter(each.transitions)) for each in (one, other)]
    return kinds[0] == kinds[1]


SEEDS = [
    pytest.param(range(examples(200)), id="short"),
    pytest.param(range(200, 5_000), id="long", marks=pytest.mark.long),
]


@pytest.mark.parametrize("seeds", SEEDS)
def test_an_automaton_is_read_back_as_it_is_printed(seeds: range) -> None:
    for seed in seeds:
        automaton = case(seed)
        tree = raised(automaton)
        for text in (print_automaton(tree), automaton_json(automaton)):
            parsed = parse(Source("random.ihta", text))
            assert not parsed.diagnostics, f"seed {seed}: {parsed.diagnostics[0]}\n{text}"
            assert parsed.program == Program((tree,)), f"seed {seed}\n{text}"
            [again] = parsed.program.automata
            lowered, problems = lower(again, lambda _: None)
            assert not problems, f"seed {seed}: {problems[0]}\n{text}"
            assert lowered is not None
            assert same(lowered, automaton), f"seed {seed}\n{text}"
            assert format_source(Source("random.ihta", text)) == text, f"seed {seed}\n{text}"


def test_several_automata_are_one_file() -> None:
    trees = tuple(
        replace(raised(case(seed)), header=replace(raised(case(seed)).header, name=f"A{seed}")) for seed in (1, 2)
    )
    assert parse(Source("random.ihta", print_program(Program(trees)))).program == Program(trees)


def test_steps_are_those_of_the_automaton() -> None:
    """What a transition does to instances follows from the braces that it is written in."""
    for seed in range(examples(60)):
        automaton = random_automaton(random.Random(seed))
        [tree] = parse(Source("random.ihta", print_automaton(raised(automaton)))).program.automata
        lowered, _ = lower(tree, lambda _: None)
        assert lowered is not None
        one, other = Structure(automaton), Structure(lowered)
        steps = [Counter((s.level, s.before, s.after, s.created, s.left) for s in each.steps) for each in (one, other)]
        assert steps[0] == steps[1]
