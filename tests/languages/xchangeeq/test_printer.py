"""The printer: canonical spelling and layout, and parse(print(p)) = p for the parts of programs.

For whole programs: properties/test_syntax.
"""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings

from cera.diagnostics import Source
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import (
    print_construct,
    print_expression,
    print_pattern,
    print_program,
    print_query,
    print_rule,
)
from cera.languages.xchangeeq.syntax import EventLiteral, ProgramSyntax, RuleSyntax
from cera.model.expressions.constructs import Construct, ConstructTerm
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Temporal,
    Variable,
    Within,
)
from cera.model.matching.patterns import Pattern, RegexPattern, TermPattern
from cera.model.time.durations import Duration
from hypothesis_profiles import examples
from languages.xchangeeq import random_syntax

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")
ONE, TWO = Literal(1), Literal(2)


def read(text: str) -> ProgramSyntax:
    parsed = parse(Source("test.xceq", text))
    assert [str(d) for d in parsed.diagnostics] == []
    return parsed.program


def read_rule(text: str) -> RuleSyntax:
    (rule,) = read(text).rules
    return rule


def read_pattern(text: str) -> Pattern:
    query = read_rule(f"DETECT h{{}} ON event e: p{{{{ {text} }}}} END").query
    assert isinstance(query, EventLiteral)
    assert isinstance(query.pattern, TermPattern)
    return query.pattern.children[0]


def read_construct(text: str) -> Construct:
    head = read_rule(f"DETECT h{{ {text} }} ON event e: p{{{{}}}} END").head.construct
    assert isinstance(head, ConstructTerm)
    return head.children[0]


def read_expression(text: str) -> Expression:
    query = read_rule(f"DETECT h{{}} ON event e: p{{{{}}}} where {{ {text} }} END").query
    assert isinstance(query, EventLiteral)
    return query.conditions[0]


class TestRoundTrip:
    @settings(max_examples=examples(200), deadline=None)
    @given(random_syntax.patterns)
    def test_a_printed_pattern_is_read_back(self, pattern: Pattern) -> None:
        assert read_pattern(print_pattern(pattern)) == pattern

    @settings(max_examples=examples(200), deadline=None)
    @given(random_syntax.expressions)
    def test_a_printed_expression_is_read_back(self, expression: Expression) -> None:
        assert read_expression(print_expression(expression)) == expression

    @settings(max_examples=examples(200), deadline=None)
    @given(random_syntax.constructs)
    def test_a_printed_construct_is_read_back(self, construct: Construct) -> None:
        assert read_construct(print_construct(construct)) == construct

    @settings(max_examples=examples(100), deadline=None)
    @given(random_syntax.programs)
    def test_lines_have_no_spaces_at_their_end_and_the_text_ends_with_one_line_end(
        self, program: ProgramSyntax
    ) -> None:
        text = print_program(program)
        assert all(line == line.rstrip(" ") for line in text.split("\n"))
        assert text.endswith("\n") or not program.items
        assert not text.endswith("\n\n")

    def test_an_empty_program_is_printed_as_nothing(self) -> None:
        assert print_program(ProgramSyntax(())) == ""


class TestExpressions:
    @pytest.mark.parametrize(
        ("expression", "text"),
        [
            (Arithmetic("+", Arithmetic("+", X, Y), Z), "var X + var Y + var Z"),
            (Arithmetic("+", X, Arithmetic("+", Y, Z)), "var X + (var Y + var Z)"),
            (Arithmetic("-", X, Arithmetic("*", Y, Z)), "var X - var Y * var Z"),
            (Arithmetic("*", Arithmetic("-", X, Y), Z), "(var X - var Y) * var Z"),
            (Arithmetic("mod", Arithmetic("/", X, Y), Z), "var X / var Y mod var Z"),
            (Negative(Arithmetic("*", X, Y)), "-(var X * var Y)"),
            (Arithmetic("*", Negative(X), Y), "-var X * var Y"),
            (Negative(ONE), "-(1)"),
            (Literal(-1), "-1"),
            (Arithmetic("-", X, Literal(-1)), "var X - -1"),
            (Comparison("<", Arithmetic("+", X, ONE), TWO), "var X + 1 < 2"),
            (Comparison("=", Comparison("<", X, Y), Literal(True)), "(var X < var Y) = true"),
            (Or((And((X, Y)), Z)), "var X and var Y or var Z"),
            (And((Or((X, Y)), Z)), "(var X or var Y) and var Z"),
            (And((And((X, Y)), Z)), "(var X and var Y) and var Z"),
            (Not(And((X, Y))), "not (var X and var Y)"),
            (And((Not(X), Y)), "not var X and var Y"),
            (Not(Comparison("=", X, Y)), "not var X = var Y"),
            (Comparison("=", Not(X), Y), "(not var X) = var Y"),
            (Temporal("met-by", EventReference("i"), EventReference("j")), "i met-by j"),
            (
                Within((EventReference("s"), EventReference("t")), DurationLiteral(Duration(0, 60_000_000))),
                "{s, t} within 1 min",
            ),
            (DurationLiteral(Duration(0, 194_000_000)), "3 min 14 sec"),
        ],
    )
    def test_there_are_as_many_parentheses_as_needed(self, expression: Expression, text: str) -> None:
        assert print_expression(expression) == text
        assert read_expression(text) == expression

    def test_an_expression_is_printed_on_one_line_however_long(self) -> None:
        assert "\n" not in print_expression(And((X,) * 50))


class TestTerms:
    @pytest.mark.parametrize(
        "text",
        [
            "temp{area{var A}, value{40}}",
            "temp{{area{{var A}}}}",
            'a[1, -2, 2.5, "x", true]',
            "a[[desc b{}, without c{{}}, optional d{{var X}}]]",
            "*{{/a.*/{}, /b+/}}",
            "var X -> a{{desc var Y -> b{}}}",
            '"two words"{"and"{}, "true"{}, ""{}}',
            '"extend"["o"{}, 1]',
            "extend{{}}",
        ],
    )
    def test_patterns_are_printed_as_they_are_written(self, text: str) -> None:
        assert print_pattern(read_pattern(text)) == text.replace('"o"', "o")

    @pytest.mark.parametrize(
        "text",
        [
            "entry{stock{var S}, avgPrice{avg(all var P)}}",
            "all entry{var S} group-by {var S, var T} order-by {var T desc, var S}",
            "count(distinct var T) + 1",
            'optional var X with default "none"',
            "optional (optional var X) with default 1",
            "all (all var X) group-by {var Y}",
            "optional all var X with default 1",
            "all optional var X with default 1 group-by {var Y}",
            "begin(s)",
        ],
    )
    def test_constructs_are_printed_as_they_are_written(self, text: str) -> None:
        assert print_construct(read_construct(text)) == text

    def test_a_bare_name_is_printed_as_the_empty_term(self) -> None:
        assert print_pattern(read_pattern("b")) == "b{}"
        assert print_construct(read_construct("b")) == "b{}"

    def test_a_slash_in_a_regular_expression_is_escaped(self) -> None:
        assert print_pattern(RegexPattern("a/b")) == r"/a\/b/"
        assert print_pattern(RegexPattern(r"a\/b")) == r"/a\/b/"


class TestLayout:
    @pytest.mark.parametrize(
        ("text", "printed"),
        [
            pytest.param(
                """DETECT fire { area { var A } } ON and { event s: smoke {{ area {{ var A }} }},
                   event t: temp {{ area {{ var A }}, value {{ var T }} }} }
                   where { s before t, {s, t} within 1 min, var T > 40 } END""",
                """\
                DETECT fire{area{var A}}
                ON and {
                  event s: smoke{{area{{var A}}}},
                  event t: temp{{area{{var A}}, value{{var T}}}}
                } where {
                  s before t,
                  {s, t} within 1 min,
                  var T > 40
                }
                END
                """,
                id="seed-000-Fig-1-fire",
            ),
            pytest.param(
                """DETECT burnt_down { sensor { var S } } ON and {
                   event n: temp {{ sensor {{ var S }} }}; event i: timer:from-end[event n, 12 sec];
                   while i: not temp {{ sensor {{ var S }} }} } END""",
                """\
                DETECT burnt_down{sensor{var S}}
                ON and {
                  event n: temp{{sensor{{var S}}}},
                  event i: from-end[n, 12 sec],
                  while i: not temp{{sensor{{var S}}}}
                }
                END
                """,
                id="seed-000-Fig-1-burnt_down",
            ),
            pytest.param(
                """DETECT bigbuy { tradeId { var I }, customer { var C }, stock { var S } } ON
                   buy {{ tradeId { var I }, customer { var C }, stock { var S }, price { var P }, volume { var V } }}
                   where { var P * var V >= 10000 } END""",
                """\
                DETECT bigbuy{tradeId{var I}, customer{var C}, stock{var S}}
                ON buy{{tradeId{var I}, customer{var C}, stock{var S}, price{var P}, volume{var V}}} where {
                  var P * var V >= 10000
                }
                END
                """,
                id="seed-001-Fig-3",
            ),
            pytest.param(
                """RAISE to(transport="http://www.w3.org/2003/05/soap/bindings/HTTP/", recipient="http://auditor.com")
                   { reportOfDailyAverages {
                       all entry { stock { var S }, avgPrice { avg(all var P) } } group-by var S } }
                   ON and { event t: tradingDay{{ }};
                            while t: collect sell {{ stock { var S }, price { var P } }} } END""",
                """\
                RAISE to(
                  recipient="http://auditor.com",
                  transport="http://www.w3.org/2003/05/soap/bindings/HTTP/"
                ) {
                  reportOfDailyAverages{all entry{stock{var S}, avgPrice{avg(all var P)}} group-by {var S}}
                }
                ON and {
                  event t: tradingDay{{}},
                  while t: collect sell{{stock{var S}, price{var P}}}
                }
                END
                """,
                id="seed-001-Fig-7",
            ),
            pytest.param(
                """SEMANTICS formal CALENDARS "c.toml" SOURCE temp, smoke
                   DETECT a{} ON b{{}} END DETECT c{} ON or { x: d{{}}, and { y: e, f[] } where { 1 < 2 } } END""",
                """\
                SEMANTICS formal
                CALENDARS "c.toml"
                SOURCE temp, smoke

                DETECT a{}
                ON b{{}}
                END

                DETECT c{}
                ON or {
                  event x: d{{}},
                  and {
                    event y: e{},
                    f[]
                  } where { 1 < 2 }
                }
                END
                """,
                id="blank-lines-and-nesting",
            ),
        ],
    )
    def test_the_canonical_layout(self, text: str, printed: str) -> None:
        program = read(text)
        assert print_program(program) == dedent(printed)
        assert read(dedent(printed)) == program

    def test_a_long_condition_is_broken_at_its_connectives(self) -> None:
        condition = " or ".join(f"var Variable{number} > {number * 100_000}" for number in range(6))
        rule = read_rule(f"DETECT h{{}} ON event e: p{{{{}}}} where {{ {condition} }} END")
        assert print_rule(rule) == dedent(
            """\
            DETECT h{}
            ON event e: p{{}} where {
              var Variable0 > 0
                or var Variable1 > 100000
                or var Variable2 > 200000
                or var Variable3 > 300000
                or var Variable4 > 400000
                or var Variable5 > 500000
            }
            END"""
        )

    def test_a_long_list_of_sources_is_filled_into_lines(self) -> None:
        labels = ", ".join(f"label{number}" for number in range(20))
        assert print_program(read(f"SOURCE {labels}")) == dedent(
            """\
            SOURCE label0, label1, label2, label3, label4, label5, label6, label7, label8, label9, label10,
              label11, label12, label13, label14, label15, label16, label17, label18, label19
            """
        )

    def test_a_query_is_printed_by_itself(self) -> None:
        rule = read_rule("DETECT h{} ON and { event a: x{{}}, b } END")
        assert print_query(rule.query) == "and {\n  event a: x{{}},\n  b{}\n}"
