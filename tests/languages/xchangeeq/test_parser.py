"""What each construct of the language is read as."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.diagnostics import Source
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    DetectHead,
    Disjunction,
    EventLiteral,
    Identifier,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    WhileLiteral,
)
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    TimerQuery,
    Variable,
    Within,
)
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
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import UNITS, Duration, parse_duration
from cera.model.time.timers import SYNONYMS
from cera.rules.declarations import Attribute, SourceLabel

OK = sorted((Path(__file__).parent / "ok").glob("*.xceq"))
X, Y, S, T = Variable("X"), Variable("Y"), Variable("S"), Variable("T")
EVENT_I, EVENT_J = EventReference("i"), EventReference("j")
MINUTE = Duration(0, 60_000_000)


def read(text: str) -> ProgramSyntax:
    parsed = parse(Source("test.xceq", text))
    assert [str(diagnostic) for diagnostic in parsed.diagnostics] == []
    return parsed.program


def rule(text: str) -> RuleSyntax:
    (item,) = read(text).items
    assert isinstance(item, RuleSyntax)
    return item


def query(text: str) -> Query:
    return rule(f"DETECT h ON {text} END").query


def pattern(text: str) -> Pattern:
    """The pattern as the only child of an event's."""
    literal = query(f"p{{ {text} }}")
    assert isinstance(literal, EventLiteral)
    assert isinstance(literal.pattern, TermPattern)
    (child,) = literal.pattern.children
    return child


def conditions(text: str) -> tuple[Expression, ...]:
    literal = query(f"p where {{ {text} }}")
    assert isinstance(literal, EventLiteral)
    return literal.conditions


def expression(text: str) -> Expression:
    (condition,) = conditions(text)
    return condition


def construct(text: str) -> Construct:
    """The construct as the only child of a head."""
    head = rule(f"DETECT h{{ {text} }} ON p END").head.construct
    assert isinstance(head, ConstructTerm)
    (child,) = head.children
    return child


def term(label: str, *children: Pattern) -> TermPattern:
    return TermPattern(label, children)


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_sample_program_is_read_without_complaint(path: Path) -> None:
    assert read(path.read_text(encoding="utf-8")).items


def test_the_program_of_seed_000_figure_1_is_read() -> None:
    fire, burnt_down, avg_temp = read((OK[0].parent / "sensors.xceq").read_text(encoding="utf-8")).rules
    area = TermPattern("area", (VariablePattern("A"),), total=False)
    value = TermPattern("value", (VariablePattern("T"),), total=False)
    sensor = TermPattern("sensor", (VariablePattern("S"),), total=False)
    assert fire == RuleSyntax(
        DetectHead(ConstructTerm("fire", (ConstructTerm("area", (ConstructValue(Variable("A")),)),))),
        Conjunction(
            (
                EventLiteral(Identifier("s"), TermPattern("smoke", (area,), total=False)),
                EventLiteral(Identifier("t"), TermPattern("temp", (area, value), total=False)),
            ),
            (
                Temporal("before", EventReference("s"), EventReference("t")),
                Within((EventReference("s"), EventReference("t")), DurationLiteral(MINUTE)),
                Comparison(">", T, Literal(40)),
            ),
        ),
    )
    assert burnt_down.query == Conjunction(
        (
            EventLiteral(Identifier("n"), TermPattern("temp", (sensor, value), total=False)),
            RelativeTimerLiteral(Identifier("i"), "from-end", Identifier("n"), Duration(0, 12_000_000)),
            WhileLiteral(Identifier("i"), True, TermPattern("temp", (sensor,), total=False)),
        ),
        (Comparison(">", T, Literal(40)),),
    )
    assert avg_temp.head.construct == ConstructTerm(
        "avg_temp",
        (
            ConstructTerm("sensor", (ConstructValue(S),)),
            ConstructTerm("value", (ConstructValue(Aggregate("avg", T)),)),
        ),
    )


def test_X_05_a_reactive_rule_has_a_receiver_and_a_variable_as_its_head() -> None:
    raised = rule('RAISE to(recipient="http://a", transport="http://b") { var B } ON var B -> bigbuy {{ }} END')
    assert raised.head == RaiseHead("http://a", "http://b", ConstructValue(Variable("B")))
    assert raised.query == EventLiteral(None, VariablePattern("B", TermPattern("bigbuy", total=False)))


@pytest.mark.parametrize("receiver", ['recipient="r", transport="t"', 'transport="t", recipient="r",'])
def test_recipient_and_transport_come_in_any_order(receiver: str) -> None:
    assert rule(f"RAISE to({receiver}) {{ a }} ON b END").head == RaiseHead("r", "t", ConstructTerm("a"))


def test_the_transport_may_be_left_out() -> None:
    assert rule('RAISE to(recipient="r") { a } ON b END').head == RaiseHead("r", None, ConstructTerm("a"))


def test_directives_and_rules_come_in_any_order() -> None:
    program = read('SEMANTICS formal\nDETECT a ON b END SOURCE temp, "odd label";smoke,\nCALENDARS "c.toml"')
    assert program.items == (
        SemanticsDirective("formal"),
        RuleSyntax(DetectHead(ConstructTerm("a")), EventLiteral(None, TermPattern("b"))),
        SourceDirective((SourceLabel("temp"), SourceLabel("odd label"), SourceLabel("smoke"))),
        CalendarsDirective("c.toml"),
    )


def test_a_source_declares_attributes_their_kinds_and_their_own_attributes() -> None:
    program = read('SOURCE reading{ fridge: string, "odd name", position{ x: number; y } }, door, alarm{}')
    position = Attribute("position", children=(Attribute("x", "number"), Attribute("y")))
    assert program.items == (
        SourceDirective(
            (
                SourceLabel("reading", (Attribute("fridge", "string"), Attribute("odd name"), position)),
                SourceLabel("door"),
                SourceLabel("alarm", ()),
            )
        ),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", TermPattern("a")),
        ("a{}", TermPattern("a")),
        ("a{{ }}", TermPattern("a", total=False)),
        ("a[]", TermPattern("a", ordered=True)),
        ("a[[ ]]", TermPattern("a", ordered=True, total=False)),
        ("a{b, c}", term("a", term("b"), term("c"))),
        ("a{b; c,}", term("a", term("b"), term("c"))),
        ("a{{b{{c}}}}", TermPattern("a", (TermPattern("b", (term("c"),), total=False),), total=False)),
        ("a{{b{c}}}", TermPattern("a", (term("b", term("c")),), total=False)),
        ("a{b{{c}}}", term("a", TermPattern("b", (term("c"),), total=False))),
        ("a[[b[c]]]", TermPattern("a", (TermPattern("b", (term("c"),), ordered=True),), ordered=True, total=False)),
        ("with-hyphens_and-1", TermPattern("with-hyphens_and-1")),
        ("@id{1}", term("@id", ScalarPattern(1))),
        ('"odd label"{1}', term("odd label", ScalarPattern(1))),
        ("*{{ }}", TermPattern(AnyLabel(), total=False)),
        ("*", TermPattern(AnyLabel())),
        ("/te.p[0-9]{2}/[]", TermPattern(RegexLabel("te.p[0-9]{2}"), ordered=True)),
        (r"/a\/b|c/", RegexPattern(r"a\/b|c")),
        ("1", ScalarPattern(1)),
        ("-1", ScalarPattern(-1)),
        ("1.0", ScalarPattern(1)),
        ("-2.5e-1", ScalarPattern(-0.25)),
        ("-9223372036854775808", ScalarPattern(-(2**63))),
        ("true", ScalarPattern(True)),
        ("false", ScalarPattern(False)),
        (r'"a\"b\\c\n\u00e9/"', ScalarPattern('a"b\\c\né/')),
        ('"\\ud83d\\ude00"', ScalarPattern("😀")),
        ("var X", VariablePattern("X")),
        ("var X -> a{1}", VariablePattern("X", term("a", ScalarPattern(1)))),
        ("var X -> var Y -> 1", VariablePattern("X", VariablePattern("Y", ScalarPattern(1)))),
        ("desc a", Descendant(term("a"))),
        ('desc "a"', Descendant(ScalarPattern("a"))),
        ("var X -> desc a", VariablePattern("X", Descendant(term("a")))),
        ("without a{var X}", Without(term("a", VariablePattern("X")))),
        ("optional var X", OptionalPattern(VariablePattern("X"))),
        ("optional desc a", OptionalPattern(Descendant(term("a")))),
    ],
)
def test_a_pattern_is_read(text: str, expected: Pattern) -> None:
    assert pattern(text) == expected
    assert type(getattr(pattern(text), "value", None)) is type(getattr(expected, "value", None))


KEYWORDS = [
    *("event", "while", "not", "all", "and", "or", "collect", "where", "desc", "without", "optional", "true", "false"),
    *("group-by", "order-by", "asc", "distinct", "with", "within", "mod", "before", "during", "extend", "from-end"),
    *("timer", "datetime", "to", "recipient", "END", "ON", "DETECT", "RAISE", "SOURCE", "min", "value", "order"),
]


@pytest.mark.parametrize("keyword", [*KEYWORDS, "var"])
def test_a_keyword_with_brackets_is_a_label(keyword: str) -> None:
    assert pattern(f"{keyword}{{1}}") == term(keyword, ScalarPattern(1))
    assert pattern(f"{keyword}[[1]]") == TermPattern(keyword, (ScalarPattern(1),), ordered=True, total=False)
    assert pattern(f"desc {keyword}[1]") == Descendant(TermPattern(keyword, (ScalarPattern(1),), ordered=True))
    assert construct(f"{keyword}{{1}}") == ConstructTerm(keyword, (ConstructValue(Literal(1)),))
    assert query(f"event e: {keyword}{{{{1}}}}") == EventLiteral(
        Identifier("e"), TermPattern(keyword, (ScalarPattern(1),), total=False)
    )


@pytest.mark.parametrize("keyword", sorted({*KEYWORDS} - {"true", "false"}))
def test_a_keyword_between_commas_is_a_label(keyword: str) -> None:
    assert pattern(f"a{{ b, {keyword}, c }}") == term("a", term("b"), term(keyword), term("c"))
    head = ConstructTerm("a", (ConstructTerm("b"), ConstructTerm(keyword), ConstructTerm("c")))
    assert construct(f"a{{ b, {keyword}, c }}") == head


@pytest.mark.parametrize("keyword", ["event", "while", "and", "or", "not", "timer", "extend", "var", "END"])
def test_a_keyword_before_a_colon_is_an_identifier(keyword: str) -> None:
    read_back = query(f"and {{ event {keyword}: a, while {keyword}: not b }}")
    assert read_back == Conjunction(
        (
            EventLiteral(Identifier(keyword), TermPattern("a")),
            WhileLiteral(Identifier(keyword), True, TermPattern("b")),
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", EventLiteral(None, TermPattern("a"))),
        ("event a", EventLiteral(None, TermPattern("a"))),
        ("i: a", EventLiteral(Identifier("i"), TermPattern("a"))),
        ("event i: a", EventLiteral(Identifier("i"), TermPattern("a"))),
        ("event i: var X", EventLiteral(Identifier("i"), VariablePattern("X"))),
        ("desc var X -> a", EventLiteral(None, Descendant(VariablePattern("X", TermPattern("a"))))),
        ("a where { var X }", EventLiteral(None, TermPattern("a"), (X,))),
        ("i: a where { var X, var Y; }", EventLiteral(Identifier("i"), TermPattern("a"), (X, Y))),
        ("while i: not a", WhileLiteral(Identifier("i"), True, TermPattern("a"))),
        ("while i: collect a", WhileLiteral(Identifier("i"), False, TermPattern("a"))),
        ("while i: not a where { var X }", WhileLiteral(Identifier("i"), True, TermPattern("a"), (X,))),
        ("and { a }", Conjunction((EventLiteral(None, TermPattern("a")),))),
        ("or { a; b, } where { var X }", Disjunction(tuple(EventLiteral(None, TermPattern(x)) for x in "ab"), (X,))),
        (
            "and { or { a where { var X }, and { b } } where { var Y } }",
            Conjunction(
                (
                    Disjunction(
                        (
                            EventLiteral(None, TermPattern("a"), (X,)),
                            Conjunction((EventLiteral(None, TermPattern("b")),)),
                        ),
                        (Y,),
                    ),
                )
            ),
        ),
        ("i: and{{1}}", EventLiteral(Identifier("i"), TermPattern("and", (ScalarPattern(1),), total=False))),
        ("extend[[1]]", EventLiteral(None, TermPattern("extend", (ScalarPattern(1),), ordered=True, total=False))),
        ("extend{{1}}", EventLiteral(None, TermPattern("extend", (ScalarPattern(1),), total=False))),
        ('"extend"[1]', EventLiteral(None, TermPattern("extend", (ScalarPattern(1),), ordered=True))),
    ],
)
def test_a_query_is_read(text: str, expected: Query) -> None:
    assert query(text) == expected


@pytest.mark.parametrize("name", SYNONYMS)
@pytest.mark.parametrize("spelling", ["{}[i, 1 min]", "timer:{}[event i, 1 min]", "timer:{} [ i , 1 min ]"])
def test_ERR_28_a_relative_timer_is_read_under_all_its_names(name: str, spelling: str) -> None:
    timer = RelativeTimerLiteral(Identifier("t"), SYNONYMS[name], Identifier("i"), MINUTE)
    assert query(f"event t: {spelling.format(name)}") == timer


def test_a_relative_timer_needs_no_identifier() -> None:
    assert query("extend[i, 1 min]") == RelativeTimerLiteral(None, "extend", Identifier("i"), MINUTE)


def test_conditions_after_a_relative_timer_are_those_of_a_conjunction_of_it() -> None:
    timer = RelativeTimerLiteral(Identifier("t"), "extend", Identifier("i"), MINUTE)
    assert query("t: extend[i, 1 min] where { var X }") == Conjunction((timer,), (X,))


def test_an_absolute_timer_is_a_literal_with_a_pattern() -> None:
    pattern = TermPattern("timer:datetime", (term("hour", ScalarPattern(9)),), total=False)
    timer = TimerQuery("datetime", pattern)
    assert query("event t: timer:datetime{{ hour{9} }}") == AbsoluteTimerLiteral(Identifier("t"), timer)
    assert expression("i during timer:datetime{{ hour{9} }}") == Temporal("during", EVENT_I, Periodic(timer))


def test_a_named_calendar_is_an_absolute_timer() -> None:
    timer = TimerQuery("trading-day", TermPattern("timer:trading-day", total=False))
    assert query("timer:trading-day{{ }} where { var X }") == AbsoluteTimerLiteral(None, timer, (X,))


@pytest.mark.parametrize("unit", UNITS)
def test_a_duration_is_read_in_every_unit(unit: str) -> None:
    assert expression(f"2 {unit}") == expression(f"2{unit}") == DurationLiteral(parse_duration(f"2 {unit}"))


@pytest.mark.parametrize("relation", RELATIONS)
def test_X_11_each_relation_of_Allen_stands_between_its_operands(relation: str) -> None:
    assert expression(f"i {relation} j") == Temporal(relation, EVENT_I, EVENT_J)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", Literal(1)),
        ("-1", Literal(-1)),
        ("- 1", Literal(-1)),
        ("-(1)", Negative(Literal(1))),
        ("--1", Negative(Literal(-1))),
        ("-9223372036854775808", Literal(-(2**63))),
        ("-var X", Negative(X)),
        ("-1 min", Negative(DurationLiteral(MINUTE))),
        ('"a"', Literal("a")),
        ("true", Literal(True)),
        ("3 min 14 sec", DurationLiteral(Duration(0, 194_000_000))),
        ("1h30min", DurationLiteral(Duration(0, 5_400_000_000))),
        ("2 months", DurationLiteral(Duration(2, 0))),
        ("i", EVENT_I),
        ("var X-1", Arithmetic("-", X, Literal(1))),
        ("var X - -1", Arithmetic("-", X, Literal(-1))),
        ("1 - 2 - 3", Arithmetic("-", Arithmetic("-", Literal(1), Literal(2)), Literal(3))),
        ("1 - (2 - 3)", Arithmetic("-", Literal(1), Arithmetic("-", Literal(2), Literal(3)))),
        ("1 + 2 * 3", Arithmetic("+", Literal(1), Arithmetic("*", Literal(2), Literal(3)))),
        ("(1 + 2) * 3", Arithmetic("*", Arithmetic("+", Literal(1), Literal(2)), Literal(3))),
        ("4 / 2 mod 3", Arithmetic("mod", Arithmetic("/", Literal(4), Literal(2)), Literal(3))),
        ("2 * -var X", Arithmetic("*", Literal(2), Negative(X))),
        ("-var X * 2", Arithmetic("*", Negative(X), Literal(2))),
        ("var X = 1", Comparison("=", X, Literal(1))),
        ("var X == 1", Comparison("=", X, Literal(1))),
        ("var X != 1", Comparison("!=", X, Literal(1))),
        ("var X <> 1", Comparison("!=", X, Literal(1))),
        ("var X<1", Comparison("<", X, Literal(1))),
        ("var X<=1", Comparison("<=", X, Literal(1))),
        ("var X>-1", Comparison(">", X, Literal(-1))),
        (
            "var X + 1 >= 2 * 3",
            Comparison(">=", Arithmetic("+", X, Literal(1)), Arithmetic("*", Literal(2), Literal(3))),
        ),
        ("not var X = 1", Not(Comparison("=", X, Literal(1)))),
        ("not not var X", Not(Not(X))),
        ("not {i, j} within 1 min", Not(Within((EVENT_I, EVENT_J), DurationLiteral(MINUTE)))),
        ("var X and var Y and var S", And((X, Y, S))),
        ("var X and (var Y and var S)", And((X, And((Y, S))))),
        ("var X or var Y and not var S", Or((X, And((Y, Not(S)))))),
        ("(var X or var Y) and var S", And((Or((X, Y)), S))),
        ("{i, j} within 1 min", Within((EVENT_I, EVENT_J), DurationLiteral(MINUTE))),
        ("{i, j,} within 1 min", Within((EVENT_I, EVENT_J), DurationLiteral(MINUTE))),
        ("i within 1 min", Within((EVENT_I,), DurationLiteral(MINUTE))),
        ("{i} within 2 * 1 min", Within((EVENT_I,), Arithmetic("*", Literal(2), DurationLiteral(MINUTE)))),
        ("timeDiff(i,j)<1min", Comparison("<", Call("timeDiff", (EVENT_I, EVENT_J)), DurationLiteral(MINUTE))),
        (
            "shift-forward(i, 1 min) before j",
            Temporal("before", Call("shift-forward", (EVENT_I, DurationLiteral(MINUTE))), EVENT_J),
        ),
        ("now()", Call("now", ())),
        ("contains(var X, var Y)", Call("contains", (X, Y))),
        ("min(var X, var Y)", Call("min", (X, Y))),
        ('datetime("2006-09-18T09:00")', DateTime(("2006-09-18T09:00",))),
        ('datetime("2006-09-18", "2006-09-19")', DateTime(("2006-09-18", "2006-09-19"))),
        ("avg(all var X) > 1", Comparison(">", Aggregate("avg", X), Literal(1))),
        ("datetime", EventReference("datetime")),
        ("all", EventReference("all")),
    ],
)
def test_an_expression_is_read(text: str, expected: Expression) -> None:
    assert expression(text) == expected


def test_conditions_are_separated_by_commas_or_semicolons() -> None:
    assert conditions("var X, var Y; i before j,") == (X, Y, Temporal("before", EVENT_I, EVENT_J))
    assert conditions("{i, j} within 1 min, var X") == (Within((EVENT_I, EVENT_J), DurationLiteral(MINUTE)), X)


@pytest.mark.parametrize("function", AGGREGATES)
def test_an_aggregate_of_one_argument_is_over_all_matches_unless_it_says_distinct(function: str) -> None:
    for text in (f"{function}(all var X)", f"{function}(var X)"):
        assert construct(text) == ConstructValue(Aggregate(function, X))
    for text in (f"{function}(distinct var X)", f"{function}(all distinct var X)"):
        assert construct(text) == ConstructValue(Aggregate(function, X, distinct=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ConstructTerm("a")),
        ("a{}", ConstructTerm("a")),
        ("a[b]", ConstructTerm("a", (ConstructTerm("b"),), ordered=True)),
        ('"odd label"{1}', ConstructTerm("odd label", (ConstructValue(Literal(1)),))),
        ("var X", ConstructValue(X)),
        ("-2.5", ConstructValue(Literal(-2.5))),
        ('"text"', ConstructValue(Literal("text"))),
        ("var X-1", ConstructValue(Arithmetic("-", X, Literal(1)))),
        ("length(i)", ConstructValue(Call("length", (EVENT_I,)))),
        ("i before j", ConstructValue(Temporal("before", EVENT_I, EVENT_J))),
        ("sum(var X * var Y)", ConstructValue(Aggregate("sum", Arithmetic("*", X, Y)))),
        ("all var X", All(ConstructValue(X))),
        ("all a{var S} group-by var S", All(ConstructTerm("a", (ConstructValue(S),)), ("S",))),
        ("all a group-by {var S, var T}", All(ConstructTerm("a"), ("S", "T"))),
        ("all a order-by var T", All(ConstructTerm("a"), (), (OrderKey(T),))),
        ("all a order-by var T desc", All(ConstructTerm("a"), (), (OrderKey(T, True),))),
        (
            "all a group-by var S order-by {var T desc, var S asc, -var X}",
            All(ConstructTerm("a"), ("S",), (OrderKey(T, True), OrderKey(S), OrderKey(Negative(X)))),
        ),
        ("all all a group-by var S", All(All(ConstructTerm("a"), ("S",)))),
        ("all (all a) group-by var S", All(All(ConstructTerm("a")), ("S",))),
        ("optional var X", OptionalConstruct(ConstructValue(X))),
        ("optional a with default b", OptionalConstruct(ConstructTerm("a"), ConstructTerm("b"))),
        (
            "optional (optional a) with default b",
            OptionalConstruct(OptionalConstruct(ConstructTerm("a")), ConstructTerm("b")),
        ),
        (
            "optional all a group-by var S with default 0",
            OptionalConstruct(All(ConstructTerm("a"), ("S",)), ConstructValue(Literal(0))),
        ),
    ],
)
def test_a_construct_is_read(text: str, expected: Construct) -> None:
    assert construct(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h", ConstructTerm("h")),
        ("h[1]", ConstructTerm("h", (ConstructValue(Literal(1)),), ordered=True)),
        ('"odd label"{}', ConstructTerm("odd label")),
        ("var X", ConstructValue(X)),
    ],
)
def test_a_head_is_a_term_or_a_variable(text: str, expected: Construct) -> None:
    assert rule(f"DETECT {text} ON p END").head == DetectHead(expected)


def test_comments_are_blanks_and_are_kept() -> None:
    text = "# one\nDETECT/* two */a{b# three }\n} ON event/* four */i:c END/*five*/"
    parsed = parse(Source("test.xceq", text))
    assert [comment.text for comment in parsed.comments] == [
        "# one",
        "/* two */",
        "# three }",
        "/* four */",
        "/*five*/",
    ]
    assert all(comment.span.text == comment.text for comment in parsed.comments)
    assert parsed.program == read("DETECT a{b} ON event i: c END")


def test_a_mark_of_comments_inside_of_a_string_or_regular_expression_is_none() -> None:
    parsed = parse(Source("test.xceq", 'DETECT a ON b{ "# x", "/* y */", /# z/ } END'))
    assert parsed.comments == ()
    assert parsed.diagnostics == ()


def test_a_thousand_rules_are_read_as_a_thousand_rules() -> None:
    program = "".join(
        f"DETECT r{i}{{ var X }} ON e{i}{{{{ x{{ var X }} }}}} where {{ var X > {i} }} END\n" for i in range(1000)
    )
    assert len(read(program).rules) == 1000
