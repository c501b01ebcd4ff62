"""Directives of `.dl1s` files: modules in one file, their events and stages, and what is told of their facts."""

from __future__ import annotations

import pytest

import cera
from cera.datalog.printer import print_item
from cera.datalog.sections import DetectDirective, ModuleDirective, MonitorDirective, PartitionDirective
from cera.datalog.syntax import Atom, J
from cera.diagnostics import Diagnostic, Source
from cera.languages.datalog.formatter import format_source
from cera.languages.datalog.parser import ParsedModules, parse
from cera.model.expressions.expression import Variable
from cera.modules.monitoring import MonitoredEvents
from cera.testing import event

EVERY = """\
module Alerts.
monitor update(ACC), A, "odd label".
relation ACC(Accno, "a b").
granularity transaction.
partition by "a b".
detect Pair: pair(X, "the second": Y, J) as "a pair"(k: X.k, twice: Y.k * 2, "a b": upper-case(Y.name)).
detect One: a(X, J).
detect None: a(X, J) as none().
a(X, J) <- A(X, J).
pair(X, Y, s(J)) <- upd_ACC(Y, s(J)), a(X, J).
"""


def read(text: str) -> ParsedModules:
    parsed = parse(Source("test.dl1s", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    return parsed


def problems(text: str) -> list[Diagnostic]:
    return [each for each in cera.load(text).check() if each.code.startswith("DL")]


def test_directives_are_read() -> None:
    module, monitor, _, _, partition, _, one, *_ = read(EVERY).items
    assert module == ModuleDirective("Alerts")
    update = MonitoredEvents("upd_ACC", "ACC", "update")
    assert monitor == MonitorDirective((update, MonitoredEvents("A", "A"), MonitoredEvents("odd label", "odd label")))
    assert partition == PartitionDirective("a b")
    assert one == DetectDirective("One", Atom("a", (Variable("X"),), J), ("X",))


def test_directives_are_printed_as_they_are_read() -> None:
    assert "".join(f"{print_item(item)}\n" for item in read(EVERY).items) == EVERY
    assert format_source(Source("test.dl1s", EVERY.replace(", ", " ,  "))) == EVERY


def test_the_words_of_directives_are_predicates_too() -> None:
    [rule] = read("module(X, J) <- monitor(X, J), partition(X, J), detect(X, J).").program.rules
    assert [part.predicate for part in (rule.head, *rule.body) if isinstance(part, Atom)] == [
        *("module", "monitor", "partition", "detect")
    ]


def test_a_module_with_directives_runs_as_they_say() -> None:
    program = cera.load(EVERY)
    [found] = program.modules.found
    module = found.module
    assert (module.name, module.granularity, module.partition) == ("Alerts", "transaction", "a b")
    assert [(one.rule, one.label) for one in module.outputs] == [
        *(("Alerts.Pair", "a pair"), ("Alerts.One", "One"), ("Alerts.None", "none"))
    ]
    assert module.outputs[0].variables == ("X", "the second")
    assert module.monitored[0].attributes == ("Accno", "a b")
    derived = program.run([event('A{"a b"{1}, k{2}}', 1)], engine="local").derived
    assert [str(one.event.term) for one in derived] == ['One{X{"a b"{1}, k{2}}}', "none{}"]


def test_modules_of_one_file_have_predicates_of_their_own() -> None:
    text = """
    module First.
    detect R: p(X, J) as first(k: X.k).
    p(X, J) <- A(X, J).
    module Second.
    detect R: p(X, N, J) as second(n: N).
    p(X, 0, J) <- first(X, J).
    """
    first, second = read(text).modules
    assert (first.name, second.name) == (ModuleDirective("First"), ModuleDirective("Second"))
    derived = cera.load(text).run([event("A{k{7}}", 1)], engine="reference").derived
    assert [(str(one.event.term), one.derivations[0].rule) for one in derived] == [
        *(("first{k{7}}", "First.R"), ("second{n{0}}", "Second.R"))
    ]
    assert cera.load(text, enable=["First"]).modules.names == ("First", "Second")


def test_what_is_monitored_makes_the_history() -> None:
    """B is monitored and no rule names it, so the stage after A is that of B."""
    rules = "a(J) <- A(_, J).\nnext(X, s(J)) <- A(X, s(J)), a(J)."
    events = [event("A{}", 1), event("B{}", 2), event("A{}", 3)]
    assert len(cera.load(rules).run(events, engine="local").derived) == 1
    assert not cera.load(f"monitor A, B.\n{rules}").run(events, engine="local").derived


def test_text_is_taken_for_datalog_by_how_it_begins() -> None:
    for text in ("p(X, J) <- A(X, J).", "% first\nmodule M.\np(X, J) <- A(X, J).", '"a b"(X, J) :- A(X, J).\n'):
        assert [str(one.module.monitored[0]) for one in cera.load(text).modules.found] == ["A"], text
    assert not cera.load("DETECT a{} ON event b: b{} END").modules.found


def test_two_texts_without_a_name_are_told_to_have_one() -> None:
    errors = cera.load(["p(X, J) <- A(X, J).\n", "q(X, J) <- A(X, J).\n"]).errors
    assert [each.code for each in errors] == ["EP101"]
    assert "`module Name.`" in errors[0].message


@pytest.mark.parametrize(
    ("directives", "told"),
    [
        ("granularity time. granularity time.", "says twice its granularity"),
        ("partition by a. partition by b.", "says twice what it is partitioned by"),
        ("relation A(a). relation A(b).", "`A` is declared twice"),
        ("relation A(a, b, a).", "`A` has an attribute twice"),
        ("detect R: p(X, J). detect R: p(X, J).", "two `detect R`"),
        ("detect R: q(X, J).", "no rule derives `q`"),
        ("detect R: p(J).", "is not what its rules derive"),
        ("detect R: p(X, s(J)).", "is not what its rules derive"),
        ("detect R: p(3, J).", "different variables"),
        ("detect R: q(x: X, x: Y, J). q(X, Y, J) <- A(X, J), A(Y, J).", "different variables"),
        ("detect R: p(X, J) as r(k: Y.k).", "`Y` is no argument of `p(X, J)`"),
        ("detect R: p(X, J) as r(k: X.k, k: X.j).", "two children have the name `k`"),
        ("monitor B.", "`A` has no rules and is not monitored"),
        ("monitor A, p.", "`p` cannot be an event: it has rules"),
        ("monitor A, time.", "`time` cannot be an event: it is built in"),
    ],
)
def test_directives_that_do_not_fit_are_errors(directives: str, told: str) -> None:
    found = problems(f"{directives}\np(X, J) <- A(X, J).")
    assert [each.code for each in found] == ["DL403"]
    assert told in found[0].message
    assert found[0].span is not None


@pytest.mark.parametrize("directive", ["granularity day.", "monitor change(ACC).", "partition by."])
def test_a_directive_that_cannot_be_read_is_explained(directive: str) -> None:
    assert [each.code for each in problems(f"{directive}\np(X, J) <- A(X, J).\n")] == ["DL001"]


def test_a_module_that_tells_nothing_is_warned_of_and_its_rules_are_counted() -> None:
    program = cera.load("a(X, J) <- A(X, J).\na(X, s(J)) <- any(s(J)), b(X, J).\nb(X, J) <- a(X, J).")
    assert [(each.code, each.severity) for each in program.check()] == [("DL402", "warning")]
    assert program.modules.definitions == {("rule", "rules"): 3}
    assert [each.code for each in program.diagnostics] == ["DL402"], "runs tell it too"


def test_functions_with_hyphens_are_read_and_printed() -> None:
    text = 'p(X, J) <- A(X, J), upper-case(X.w) = "A", X.n - abs(X.m) = 1.\n'
    assert "".join(f"{print_item(item)}\n" for item in read(text).items) == text
