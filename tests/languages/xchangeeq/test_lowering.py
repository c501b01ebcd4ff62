"""Lowering: names, disjunctive form, scopes of identifiers, directives, times and calendars."""

from __future__ import annotations

import pytest

from cera.diagnostics import Diagnostic, Source
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import print_expression
from cera.model.calendars.calendar_files import parse_calendars
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import DateTime, Temporal
from cera.model.time.interval import Interval
from cera.model.time.timers import TIMERS
from cera.rules.rule import Branch, Rule, RuleProgram, Semantics

SHOP_HOURS = parse_calendars('[shop-hours]\nhours = ["09:00", "17:00"]', "calendars.toml")


def lowered(
    *texts: str, semantics: Semantics | None = None, timezone: str = "UTC"
) -> tuple[RuleProgram, tuple[Diagnostic, ...]]:
    parsed = [parse(Source(f"file{number}.xceq", text)) for number, text in enumerate(texts, 1)]
    assert [d for one in parsed for d in one.diagnostics] == []
    files = [one.program for one in parsed]
    return lower(files, calendars=SHOP_HOURS, timezone=timezone, semantics=semantics)


def rule(body: str, head: str = "DETECT h{}", **options: str) -> Rule:
    program, diagnostics = lowered(f"{head} ON {body} END", **options)  # type: ignore[arg-type]
    assert [str(d) for d in diagnostics] == []
    return program.rules[0]


def only_problem(*texts: str) -> Diagnostic:
    _, diagnostics = lowered(*texts)
    assert len(diagnostics) == 1, [str(d) for d in diagnostics]
    return diagnostics[0]


def conditions(branch: Branch) -> list[str]:
    return [print_expression(condition) for condition in branch.conditions]


def identifiers(branch: Branch) -> list[str]:
    return [literal.identifier for literal in branch.positive]


class TestNames:
    def test_a_rule_is_named_by_the_label_of_its_head(self) -> None:
        assert rule("a{{}}", "DETECT fire{}").name == "fire"

    def test_later_rules_with_the_same_label_are_numbered_over_all_files(self) -> None:
        one = "DETECT fire{} ON a{{}} END DETECT water{} ON a{{}} END DETECT fire{} ON b{{}} END"
        program, _ = lowered(one, "DETECT fire{} ON c{{}} END")
        assert [r.name for r in program.rules] == ["fire", "water", "fire#2", "fire#3"]

    def test_a_label_that_looks_like_a_numbered_name_does_not_clash(self) -> None:
        program, _ = lowered('DETECT a{} ON x{{}} END DETECT "a#2"{} ON x{{}} END DETECT a{} ON y{{}} END')
        assert [r.name for r in program.rules] == ["a", "a#2", "a#3"]

    def test_a_raise_rule_with_a_variable_as_head_is_named_raise(self) -> None:
        head = 'RAISE to(recipient="r") { var B } ON var B -> a{{}} END'
        program, _ = lowered(f"{head} {head}")
        assert [r.name for r in program.rules] == ["raise", "raise#2"]

    def test_literals_without_identifier_are_named_by_their_label(self) -> None:
        (branch,) = rule("and { buy{{}}, buy{{}}, event c: buy{{}}, sell{{}} }").branches
        assert identifiers(branch) == ["buy", "buy_2", "c", "sell"]
        assert [query.anonymous for query in branch.events] == [True, True, False, True]

    def test_a_given_name_never_clashes_with_a_declared_one(self) -> None:
        (branch,) = rule("and { buy{{}}, event buy: sell{{}}, event buy_2: sell{{}} }").branches
        assert identifiers(branch) == ["buy_3", "buy", "buy_2"]

    @pytest.mark.parametrize("pattern", ["*{{}}", "/b.y/{{}}", '"two words"{{}}', "desc buy{{}}", "var X"])
    def test_a_pattern_without_a_plain_label_is_called_event(self, pattern: str) -> None:
        assert identifiers(rule(pattern).branches[0]) == ["event"]

    def test_a_variable_that_stands_for_a_term_takes_the_label_of_the_term(self) -> None:
        assert identifiers(rule("var B -> buy{{}}").branches[0]) == ["buy"]

    def test_timers_without_identifier_are_called_timer(self) -> None:
        (branch,) = rule("and { event a: x{{}}, extend[a, 1 min], timer:datetime{{hour{9}}} }").branches
        assert [t.identifier for t in branch.relative_timers] == ["timer"]
        assert [t.identifier for t in branch.absolute_timers] == ["timer_2"]

    def test_ERR_32_an_identifier_without_the_keyword_event_is_declared_all_the_same(self) -> None:
        short = rule("and { a: A{{}}, b: B{{}}, c: C{{}} } where { a before c, b before c }")
        full = rule("and { event a: A{{}}, event b: B{{}}, event c: C{{}} } where { a before c, b before c }")
        assert short == full
        assert identifiers(short.branches[0]) == ["a", "b", "c"]


class TestDisjunctiveForm:
    def test_a_body_without_or_has_one_branch_in_the_order_of_the_text(self) -> None:
        (branch,) = rule(
            """and {
                 while t: not c{{}}, event a: x{{}}, event t: extend[a, 1 min],
                 while t: collect d{{}}, event d: timer:datetime{{hour{9}}}, event b: y{{}}
               }"""
        ).branches
        assert [q.identifier for q in branch.events] == ["a", "b"]
        assert [q.identifier for q in branch.absolute_timers] == ["d"]
        assert [(t.identifier, t.kind, t.anchor) for t in branch.relative_timers] == [("t", "extend", "a")]
        assert [(a.window, a.negated) for a in branch.collections] == [("t", False)]
        assert [(a.window, a.negated) for a in branch.absences] == [("t", True)]

    def test_ERR_18_an_or_makes_branches_of_one_rule(self) -> None:
        grouped = rule("or { event a: x{{var V}}, event b: y{{var V}} }", "DETECT h{all var V}")
        assert [identifiers(branch) for branch in grouped.branches] == [["a"], ["b"]]

    def test_an_or_inside_an_and_is_multiplied_out(self) -> None:
        branches = rule("and { event a: x{{}}, or { event b: y{{}}, event c: z{{}} }, event d: w{{}} }").branches
        assert [identifiers(branch) for branch in branches] == [["a", "b", "d"], ["a", "c", "d"]]

    def test_two_ors_inside_an_and_give_every_combination(self) -> None:
        branches = rule(
            """and {
                 or { event a: x{{}}, event b: x{{}} },
                 or { event c: x{{}}, and { event d: x{{}}, event e: x{{}} } }
               }"""
        ).branches
        assert [identifiers(branch) for branch in branches] == [
            ["a", "c"],
            ["a", "d", "e"],
            ["b", "c"],
            ["b", "d", "e"],
        ]

    def test_a_literal_without_identifier_has_the_same_name_in_all_branches(self) -> None:
        branches = rule("and { x{{}}, or { x{{}}, y{{}} } }").branches
        assert [identifiers(branch) for branch in branches] == [["x", "x_2"], ["x", "y"]]

    def test_conditions_of_a_branch_go_to_that_branch_and_outer_ones_to_all(self) -> None:
        branches = rule(
            """and {
                 event a: x{{var X}} where { var X > 1 },
                 or {
                   event b: y{{var Y}} where { a before b },
                   event b: z{{var Y}} where { b before a }
                 } where { var Y > 2 }
               } where { var X < var Y }"""
        ).branches
        assert [conditions(branch) for branch in branches] == [
            ["var X > 1", "a before b", "var Y > 2", "var X < var Y"],
            ["var X > 1", "b before a", "var Y > 2", "var X < var Y"],
        ]

    def test_conditions_are_split_at_their_outer_and(self) -> None:
        body = "x{{var X}} where { var X > 1 and (var X > 2 and var X > 3), var X > 4 or var X > 5 and var X > 6 }"
        assert conditions(rule(body).branches[0]) == [
            "var X > 1",
            "var X > 2",
            "var X > 3",
            "var X > 4 or var X > 5 and var X > 6",
        ]

    def test_conditions_of_an_accumulation_stay_with_it(self) -> None:
        (branch,) = rule(
            """and {
                 event a: x{{var X}},
                 while a: not y{{var Y}} where { var Y > 1 and var X > 1 },
                 while a: collect y{{var Z}} where { var Z > 2 }
               }"""
        ).branches
        assert branch.conditions == ()
        assert [print_expression(c) for c in branch.absences[0].conditions] == ["var Y > 1", "var X > 1"]
        assert [print_expression(c) for c in branch.collections[0].conditions] == ["var Z > 2"]

    def test_a_body_may_have_a_thousand_branches(self) -> None:
        ten = "or { " + ", ".join("x{{}}" for _ in range(10)) + " }"
        assert len(rule(f"and {{ {ten}, {ten}, {ten} }}").branches) == 1_000

    @pytest.mark.parametrize(("number", "count"), [(11, "2,048"), (1_000, "about 10^301")])
    def test_a_body_with_more_branches_than_can_be_evaluated_is_refused(self, number: int, count: str) -> None:
        two = "or { x{{}}, y{{}} }"
        problem = only_problem(f"DETECT h{{}} ON and {{ {', '.join([two] * number)} }} END")
        assert problem.code == "XC108"
        assert f"has {count} branches" in problem.message


class TestScopes:
    def test_an_identifier_may_be_used_before_the_place_that_declares_it(self) -> None:
        body = (
            "and { while t: not x{{}}, event t: extend[o, 1 min], event p: y{{}} where { o before p }, event o: z{{}} }"
        )
        assert len(rule(body).branches) == 1

    def test_X_12_a_where_inside_or_sees_the_enclosing_conjunction(self) -> None:
        rule("and { event o: x{{}}, or { event a: y{{}} where { o before a }, event b: z{{}} where { b before o } } }")

    def test_conditions_of_an_accumulation_see_all_identifiers_of_the_branch(self) -> None:
        rule("and { event w: x{{}}, event o: z{{}}, while w: not y{{}} where { o before w } }")

    def test_the_same_identifier_in_two_branches_serves_both(self) -> None:
        rule("or { event a: x{{}}, event a: y{{}} } where { length(a) > 1 sec }")

    @pytest.mark.parametrize(
        "body",
        [
            "and { event a: x{{}}, event b: extend[q, 1 min] }",
            "and { event a: x{{}}, while q: not y{{}} }",
            "and { event a: x{{}}, while q: collect y{{}} }",
            "and { event a: x{{}} } where { q before a }",
            "event a: x{{}} where { q before a }",
            "event a: x{{}} where { not {q, a} within 1 min }",
            "and { event a: x{{}}, while a: not y{{}} where { length(q) > 1 sec } }",
        ],
    )
    def test_an_identifier_that_nothing_declares_is_reported_where_it_is_used(self, body: str) -> None:
        problem = only_problem(f"DETECT h{{}} ON {body} END")
        assert problem.code == "XC101"
        assert problem.span is not None
        assert problem.span.text == "q"

    def test_an_identifier_in_the_head_must_be_declared_too(self) -> None:
        problem = only_problem("DETECT h{length(q)} ON event a: x{{}} END")
        assert problem.code == "XC101"

    def test_a_misspelt_identifier_is_guessed(self) -> None:
        problem = only_problem("DETECT h{} ON and { event smoke: x{{}} } where { smok before smoke } END")
        assert problem.hint == "did you mean `smoke`?"

    def test_a_variable_without_the_keyword_var_is_pointed_out(self) -> None:
        problem = only_problem("DETECT h{} ON event e: x{{value{{var T}}}} where { T > 40 } END")
        assert problem.code == "XC101"
        assert problem.hint is not None
        assert "write `var T`" in problem.hint

    def test_a_label_used_as_identifier_is_pointed_out(self) -> None:
        problem = only_problem("DETECT h{} ON and { smoke{{}}, event t: temp{{}} } where { smoke before t } END")
        assert problem.hint is not None
        assert "event smoke: smoke{{…}}" in problem.hint

    def test_an_identifier_of_the_other_branch_is_not_in_scope(self) -> None:
        problem = only_problem("DETECT h{} ON or { event a: x{{}}, event b: y{{}} where { a before b } } END")
        assert problem.code == "XC101"
        assert "declared only in the other branch of `or`" in problem.message
        assert problem.notes[0].span is not None
        assert problem.notes[0].span.text == "a"

    def test_an_identifier_of_one_branch_is_not_in_scope_outside_of_the_or(self) -> None:
        problem = only_problem(
            "DETECT h{} ON and { event o: x{{}}, or { event a: y{{}}, event b: z{{}} } } where { o before a } END"
        )
        assert problem.code == "XC101"
        assert "declared in some branches of `or` only" in problem.message

    def test_a_branch_beside_another_or_is_in_scope_only_if_all_of_its_branches_declare_it(self) -> None:
        good = (
            "and { or { event a: x{{}}, event a: y{{}} }, or { event c: z{{}} where { a before c }, event d: w{{}} } }"
        )
        assert len(rule(good).branches) == 4
        bad = good.replace("event a: y", "event b: y")
        assert only_problem(f"DETECT h{{}} ON {bad} END").code == "XC101"

    def test_an_identifier_twice_in_a_conjunction_is_reported_with_the_first_place(self) -> None:
        problem = only_problem("DETECT h{} ON and { event a: x{{}}, event b: y{{}}, event a: z{{}} } END")
        assert problem.code == "XC102"
        assert problem.span is not None
        assert problem.notes[0].span is not None
        assert (problem.notes[0].span.column, problem.span.column) == (27, 59)

    def test_an_identifier_inside_and_beside_an_or_is_declared_twice(self) -> None:
        body = "and { or { event a: x{{}}, event b: y{{}} }, event a: extend[b, 1 min] }"
        _, diagnostics = lowered(f"DETECT h{{}} ON {body} END")
        assert [d.code for d in diagnostics] == ["XC102", "XC101"]


class TestDirectives:
    RULE = "DETECT h{} ON x{{}} END"

    def test_the_default_is_practical_and_no_source_list(self) -> None:
        program, _ = lowered(self.RULE)
        assert (program.semantics, program.sources) == ("practical", None)

    def test_a_directive_chooses_the_semantics_of_all_files(self) -> None:
        program, diagnostics = lowered(self.RULE, "SEMANTICS formal", "SEMANTICS formal")
        assert program.semantics == "formal"
        assert diagnostics == ()

    def test_an_explicit_choice_wins_over_the_directive(self) -> None:
        program, diagnostics = lowered("SEMANTICS formal", self.RULE, semantics="practical")
        assert program.semantics == "practical"
        assert diagnostics == ()

    def test_contradictory_directives_are_reported_with_both_places(self) -> None:
        problem = only_problem("SEMANTICS formal", f"SEMANTICS practical {self.RULE}")
        assert problem.code == "XC006"
        assert problem.span is not None
        assert problem.span.source.name == "file2.xceq"
        assert problem.notes[0].span is not None
        assert problem.notes[0].span.source.name == "file1.xceq"

    def test_source_lists_are_united(self) -> None:
        program, _ = lowered("SOURCE temp, smoke", f'SOURCE smoke, "two words" {self.RULE}')
        assert program.sources == ("temp", "smoke", "two words")

    def test_attributes_of_a_label_are_united_and_what_is_declared_differently_is_open(self) -> None:
        program, _ = lowered(
            "SOURCE temp{ area: string, value: number }, smoke",
            f"SOURCE temp{{ value: string, at{{ x }} }}, temp{{ at{{ y }} }} {self.RULE}",
        )
        area, value, at = program.attributes["temp"]
        assert (area.kind, value.kind) == ("string", None)
        assert [child.name for child in at.children or ()] == ["x", "y"]
        assert "smoke" not in program.attributes

    def test_a_kind_of_values_that_does_not_exist_is_an_error(self) -> None:
        problem = only_problem(f"SOURCE temp{{ value: numbr }} {self.RULE}")
        assert (problem.code, problem.hint) == ("XC006", "did you mean `number`?")

    def test_a_raise_rule_carries_its_recipient(self) -> None:
        raised = rule("x{{}}", 'RAISE to(recipient="http://auditor.com", transport="http") { h{} }')
        assert raised.recipient is not None
        assert (raised.recipient.address, raised.recipient.transport) == ("http://auditor.com", "http")


class TestTimes:
    NINE = 1_158_570_000_000_000  # 2006-09-18T09:00Z

    def times(self, condition: str, timezone: str = "UTC") -> Interval | None:
        (found,) = rule(f"event a: x{{{{}}}} where {{ {condition} }}", timezone=timezone).branches[0].conditions
        assert isinstance(found, Temporal)
        assert isinstance(found.right, DateTime)
        return found.right.interval

    def test_a_datetime_is_a_point_in_the_time_zone_of_the_run(self) -> None:
        nine = 'a before datetime("2006-09-18T09:00")'
        assert self.times(nine) == Interval(self.NINE, self.NINE)
        assert self.times(nine, "Europe/Berlin") == Interval(self.NINE - 7_200_000_000, self.NINE - 7_200_000_000)

    def test_two_texts_are_the_interval_from_one_to_the_other(self) -> None:
        day = self.times('a during datetime("2006-09-18T09:00", "2006-09-18T10:00")')
        assert day == Interval(self.NINE, self.NINE + 3_600_000_000)

    def test_a_datetime_in_a_head_is_read_too(self) -> None:
        head = rule("x{{}}", 'DETECT h{length(datetime("2006-09-18T09:00"))}').head
        assert isinstance(head, ConstructTerm)
        value = head.children[0]
        assert isinstance(value, ConstructValue)
        assert "None" not in repr(value)

    @pytest.mark.parametrize("texts", ['"yesterday"', '"2006-02-30"', '"2006-09-18T09:00", "2006-09-18T08:00"'])
    def test_a_text_that_is_not_a_time_is_reported(self, texts: str) -> None:
        problem = only_problem(f"DETECT h{{}} ON event a: x{{{{}}}} where {{ a before datetime({texts}) }} END")
        assert problem.code == "XC004"
        assert problem.span is not None
        assert problem.span.text.startswith("datetime(")

    def test_a_condition_beside_an_or_is_reported_once(self) -> None:
        problem = only_problem(
            'DETECT h{} ON or { event a: x{{}}, event a: y{{}} } where { a before datetime("never") } END'
        )
        assert problem.code == "XC004"


class TestCalendars:
    def test_a_named_calendar_is_accepted_in_queries_and_conditions(self) -> None:
        rule("event a: timer:shop-hours{{}}")
        rule("event a: x{{}} where { a during timer:shop-hours{{}} }")

    @pytest.mark.parametrize("body", ["timer:shop-hour{{}}", "event a: x{{}} where { a during timer:shop-hour{{}} }"])
    def test_an_unknown_calendar_is_reported_with_a_guess(self, body: str) -> None:
        problem = only_problem(f"DETECT h{{}} ON {body} END")
        assert problem.code == "XC106"
        assert problem.hint == "did you mean `shop-hours`?"

    @pytest.mark.parametrize("part", ["hour{25}", "our{9}", 'hour{"nine"}'])
    def test_a_wrong_part_of_an_absolute_timer_is_reported(self, part: str) -> None:
        problem = only_problem(f"DETECT h{{}} ON event a: timer:datetime{{{{{part}}}}} END")
        assert problem.code == "XC107"


class TestStates:
    BODY = "and { state s: auction{{ id{ var A } }}, event b: bid{{ id{ var A } }} }"

    @pytest.mark.parametrize(
        ("head", "condition", "kind"),
        [
            ("h{}", "b in s", "opening"),
            ("h{}", "begin(s) < begin(b)", "opening"),
            ("h{}", "b before s", "opening"),
            ("h{}", "s before b", "ending"),
            ("h{}", "end(s) < end(b)", "ending"),
            ("h{}", "{s, b} within 1 min", "ending"),
            ("h{}", "b during s", "ending"),
            ("h{ seconds(begin(s)) }", "b in s", "opening"),
            ("h{ seconds(end(s)) }", "b in s", "ending"),
            ("h{ all seconds(length(s)) order-by end(s) }", "b in s", "ending"),
        ],
    )
    def test_a_literal_whose_end_is_named_waits_for_it(self, head: str, condition: str, kind: str) -> None:
        [branch] = rule(f"{self.BODY} where {{ {condition} }}", f"DETECT {head}").branches
        assert [query.kind for query in branch.events if query.identifier == "s"] == [kind]

    def test_a_state_whose_end_is_named_in_a_condition_of_a_window_waits_for_it(self) -> None:
        body = "and { state s: on{{}}, event w: w{{}}, while w: not a{{}} where { s before w } }"
        [branch] = rule(body).branches
        assert [query.kind for query in branch.events] == ["event", "ending"]
        assert [print_expression(c) for c in branch.absences[0].conditions] == ["end(s) <= begin(w)"]

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [("from-start", "opening"), ("from-end", "ending"), ("extend", "ending"), ("shift-forward", "ending")],
    )
    def test_a_timer_waits_for_the_end_that_it_is_measured_from(self, kind: str, expected: str) -> None:
        [branch] = rule(f"and {{ state s: on{{{{}}}}, state t: {kind}[s, 1 min] }}").branches
        assert [query.kind for query in branch.events] == [expected]

    @pytest.mark.parametrize("pattern", ["*{{}}", "var X -> on{{}}", "/o./{{}}", "desc on{{}}", "var X"])
    def test_XC121_a_query_for_states_names_their_label(self, pattern: str) -> None:
        assert only_problem(f"DETECT h{{}} ON state s: {pattern} END").code == "XC121"
        window = f"DETECT h{{}} ON and {{ event w: w{{{{}}}}, while w: not state {pattern} }} END"
        assert only_problem(window).code == "XC121"

    @pytest.mark.parametrize("kind", sorted(TIMERS))
    def test_XC122_timers_that_could_be_over_before_they_are_known_are_for_events(self, kind: str) -> None:
        _, found = lowered(f"DETECT h{{}} ON and {{ state s: on{{{{}}}}, event t: {kind}[s, 5 sec] }} END")
        of_states = {"extend", "shorten-begin", "shift-forward", "from-end", "from-start"}  # E-23
        assert [problem.code for problem in found] == ([] if kind in of_states else ["XC122"])

    def test_XC122_a_timer_on_a_timer_on_a_state_is_one_on_a_state(self) -> None:
        body = "and { state s: on{{}}, state t: extend[s, 1 min], event u: shorten[t, 1 sec] }"
        assert only_problem(f"DETECT h{{}} ON {body} END").code == "XC122"

    @pytest.mark.parametrize("condition", ["b in b", "s in b", "not b in b", "b in s and b in b"])
    def test_XC123_an_event_is_not_in_an_event(self, condition: str) -> None:
        found = only_problem(f"DETECT h{{}} ON {self.BODY} where {{ {condition} }} END")
        assert (found.code, found.span and found.span.text) == ("XC123", "b")

    def test_an_event_and_a_state_of_one_body_have_different_names(self) -> None:
        assert only_problem("DETECT h{} ON and { state s: a{{}}, event s: b{{}} } END").code == "XC102"
