"""Every node knows where it was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from cera.diagnostics import Source, Span
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.syntax import Conjunction, EventLiteral, RelativeTimerLiteral, RuleSyntax, WhileLiteral
from cera.model.expressions.constructs import All, ConstructTerm
from cera.model.expressions.expression import And, Comparison, Within
from cera.model.matching.patterns import TermPattern, VariablePattern

OK = sorted((Path(__file__).parent / "ok").glob("*.xceq"))

TEXT = """\
SEMANTICS formal
  # a comment
DETECT fire{ all entry{ var A } group-by var A } # another
ON and {
  event s: smoke{{ area -> none }},
  t: timer:from-end [ event s , 12 sec ],
  while t: not var T -> temp{{ 40, "x" }} where { (var T) > 40 and s before t }
} where { {s, t} within 1 min }
END
""".replace("area -> none", "area{{ var A }}")


def text_of(node: object) -> str:
    span = getattr(node, "span", None)
    assert isinstance(span, Span)
    return span.text


def nodes(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from nodes(part)
    elif is_dataclass(value) and not isinstance(value, Span | type):
        yield value
        for field in fields(value):
            yield from nodes(getattr(value, field.name))


def test_spans_are_the_text_of_the_nodes() -> None:
    parsed = parse(Source("test.xceq", TEXT))
    assert parsed.diagnostics == ()
    directive, rule = parsed.program.items
    assert isinstance(rule, RuleSyntax)
    assert text_of(directive) == "SEMANTICS formal"
    assert text_of(rule) == TEXT[TEXT.index("DETECT") : TEXT.index("END") + 3]
    assert text_of(rule.head) == "DETECT fire{ all entry{ var A } group-by var A }"
    head = rule.head.construct
    assert isinstance(head, ConstructTerm)
    assert text_of(head) == "fire{ all entry{ var A } group-by var A }"
    (grouping,) = head.children
    assert isinstance(grouping, All)
    assert text_of(grouping) == "all entry{ var A } group-by var A"
    assert text_of(grouping.construct) == "entry{ var A }"

    query = rule.query
    assert isinstance(query, Conjunction)
    assert text_of(query) == TEXT[TEXT.index("and {") : TEXT.index("\nEND")]
    event, timer, absence = query.queries
    assert isinstance(event, EventLiteral)
    assert text_of(event) == "event s: smoke{{ area{{ var A }} }}"
    assert event.identifier is not None
    assert text_of(event.identifier) == "s"
    assert text_of(event.pattern) == "smoke{{ area{{ var A }} }}"
    assert isinstance(timer, RelativeTimerLiteral)
    assert text_of(timer) == "t: timer:from-end [ event s , 12 sec ]"
    assert text_of(timer.anchor) == "s"
    assert isinstance(absence, WhileLiteral)
    assert text_of(absence).startswith("while t: not ")
    assert text_of(absence).endswith("s before t }")
    assert text_of(absence.window) == "t"
    assert isinstance(absence.pattern, VariablePattern)
    assert text_of(absence.pattern) == 'var T -> temp{{ 40, "x" }}'
    assert isinstance(absence.pattern.pattern, TermPattern)
    assert [text_of(child) for child in absence.pattern.pattern.children] == ["40", '"x"']
    (both,) = absence.conditions
    assert isinstance(both, And)
    assert text_of(both) == "(var T) > 40 and s before t"
    comparison, relation = both.operands
    assert isinstance(comparison, Comparison)
    assert [text_of(x) for x in (comparison, comparison.left, comparison.right)] == ["(var T) > 40", "(var T)", "40"]
    assert text_of(relation) == "s before t"
    (within,) = query.conditions
    assert isinstance(within, Within)
    assert text_of(within) == "{s, t} within 1 min"
    assert [text_of(x) for x in (*within.intervals, within.duration)] == ["s", "t", "1 min"]


def test_lines_and_columns_count_from_one() -> None:
    directive, rule = parse(Source("test.xceq", TEXT)).program.items
    assert directive.span is not None
    assert (directive.span.line, directive.span.column) == (1, 1)
    assert rule.span is not None
    assert (rule.span.line, rule.span.column, rule.span.end_line, rule.span.end_column) == (3, 1, 9, 4)


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_every_node_lies_inside_of_the_node_around_it(path: Path) -> None:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    for item in parse(source).program.items:
        assert item.span is not None
        for node in nodes(item):
            if not hasattr(node, "span"):
                continue
            span = node.span
            assert isinstance(span, Span), f"{node} has no place"
            assert span.source is source
            assert item.span.start <= span.start < span.end <= item.span.end
            assert span.text == span.text.strip()
