"""The entries L-01 to L-16 of the catalogue: EPL (seed 003, sections 2 and 3)."""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.languages.epl.checks import check_module, check_names
from cera.languages.epl.compiler import compile_module, translated
from cera.languages.epl.parser import parse
from cera.languages.epl.syntax import Sql, System, Write
from cera.modules.tuples import EventTuple, change_fields
from conformance.epl_histories import (
    ACCOUNTS,
    SECOND,
    account,
    deleted,
    detected,
    inserted,
    module,
    rule,
    stages_of,
    updated,
    value,
    word,
)

SAVINGS = account(1, "Ann", "Savings", 200_000)
CHECKING = account(2, "Ann", "Checking", 200_000)


def in_bank(rules: str) -> str:
    return f"begin AccMonitor {ACCOUNTS} {rules} end."


LARGE_WITHDRAWAL = """
LargeWithdrawal:
    update( ACC(X),
            X.Type = "Savings", X.old_Balance-X.new_Balance > 100000 )
  -> write( "Large withdrawal from account %d at time %s \\n",
           X.Accno, asctime( X.evtime) )."""


def test_L_01_large_withdrawals_from_savings_accounts() -> None:
    found = module(in_bank(LARGE_WITHDRAWAL))
    history = [updated(1, SAVINGS, 50_000), updated(2, SAVINGS, 100_000), updated(3, CHECKING, 50_000)]
    assert detected(found, history) == [("LargeWithdrawal", {"X": "upd@1"}, 1)]


def test_L_01_without_a_prefix_the_new_contents_are_meant() -> None:
    found = module(in_bank("R: update(ACC(X), X.Balance = 50000)"))
    assert stages_of(found, [updated(1, SAVINGS, 50_000), updated(2, {**SAVINGS, "Balance": 50_000}, 1)]) == [1]


def test_L_02_every_event_but_an_update_of_one_account() -> None:
    text = 'NoUpdateOn00201: ! update( ACC(X), X.Accno = 00201 ) -> write("any event but an update on 00201")'
    of_201 = {**SAVINGS, "Accno": 201}
    history = [inserted(1, of_201), updated(2, of_201, 5), updated(3, SAVINGS, 5), deleted(4, of_201)]
    assert stages_of(module(in_bank(text)), history) == [1, 3, 4]


@pytest.mark.parametrize(
    ("event", "history", "expected"),
    [
        ("(A, B)", "A B C A C B", [2]),
        ("(A, *:B, C)", "A C A B B C A B A C", [2, 6, 10]),
        ("(A & B)", "A B A+B", [3]),
        ("{A, B}", "A C B A+B", [1, 3, 4]),
        ("!A", "A B A+B C", [2, 4]),
    ],
)
def test_L_03_the_constructs_of_definition_1(event: str, history: str, expected: list[int]) -> None:
    assert stages_of(rule(event), word(history)) == expected


@pytest.mark.parametrize(
    ("event", "definition"),
    [
        ("any", "{A, B, C, D}"),
        ("[A, B, C]", "(A, *:any, B, *:any, C)"),
        ("prior((A, B), (C, D))", "([(A, B), any] & (C, D))"),
        ("first([A, B])", "([A, B] & ![[A, B], any])"),
    ],
)
def test_L_04_derived_constructs_are_what_their_definitions_say(event: str, definition: str) -> None:
    for text in ("A B C D", "A C B D", "C A D B A B", "A+C B+D A C D C+B D B"):
        assert stages_of(rule(event), word(text)) == stages_of(rule(definition), word(text)), text


def test_L_05_a_large_transfer_is_an_immediate_sequence() -> None:
    text = """LargeTransfer:
( update(ACC(X),
      X.Type = "Savings", X.old_Balance-X.new_Balance > 100000),
  update(ACC(Y),
      Y.Type = "Checking", Y.Owner = X.Owner,
      Y.new_Balance-Y.old_Balance = X.old_Balance-X.new_Balance) )
-> write("Large Transfer of %s \\n", X.Owner)"""
    out, into = updated(1, SAVINGS, 50_000), updated(2, CHECKING, 350_000)
    found = module(in_bank(text))
    assert detected(found, [out, into]) == [("LargeTransfer", {"X": "upd@1", "Y": "upd@2"}, 2)]
    assert detected(found, [out, inserted(2, account(9, "Bob", "Savings", 1)), updated(3, CHECKING, 350_000)]) == []
    assert detected(found, [out, updated(2, {**CHECKING, "Owner": "Bob"}, 350_000)]) == []
    assert detected(found, [out, updated(2, CHECKING, 350_001)]) == []


def test_L_06_a_withdrawal_from_another_account_does_not_matter() -> None:
    text = """GoodCustomer:
( update(ACC(X), X.new_Balance-X.old_Balance > 100000),
  *:! update(ACC(Y),
            Y.Accno = X.Accno, Y.new_Balance < Y.old_Balance),
  update(ACC(Z),
        Z.Accno = X.Accno, Z.new_Balance-Z.old_Balance > 100000))
-> write("Good Customer: %s \\n", X.Owner)"""
    one, two = account(1, "Ann", "Savings", 0), account(2, "Bob", "Savings", 0)
    history = [
        updated(1, one, 150_000),
        updated(2, two, 150_000),
        updated(3, {**one, "Balance": 150_000}, 100_000),
        updated(4, {**two, "Balance": 150_000}, 300_000),
        updated(5, {**one, "Balance": 100_000}, 300_000),
    ]
    assert detected(module(in_bank(text)), history) == [("GoodCustomer", {"X": "upd@2", "Z": "upd@4"}, 4)]


def test_L_07_a_relaxed_sequence_may_have_events_in_between() -> None:
    text = """WellcomeBack:
[ delete(ACC(X), X.Type = "Savings"),
  insert(ACC(Y), Y.Type = "Savings", Y.Owner = X.Owner) ]
-> write("Customer %s is back \\n", X.Owner)"""
    history = [deleted(1, SAVINGS), updated(2, CHECKING, 1), inserted(3, {**SAVINGS, "Accno": 7})]
    assert detected(module(in_bank(text)), history) == [("WellcomeBack", {"X": "del@1", "Y": "ins@3"}, 3)]


def test_L_08_an_account_is_active_again() -> None:
    text = """ActiveAgain:
[ update(ACC(X), X.Balance = 0) ,
  ( update(ACC(Y), Y.Accno = X.Accno, Y.Balance > 0) &
    ! [update(ACC(Z), Z.Accno = X.Accno, Z.Balance > 0), any] ) ]
-> write("Account %d is active again, after so much time: %s \\n",
        X.Accno, asctime(Y.Time - X.Time) )"""
    empty = {**SAVINGS, "Balance": 0}
    history = [updated(100, SAVINGS, 0), updated(130, CHECKING, 5), updated(160, empty, 7), updated(190, empty, 9)]
    found = module(in_bank(text))
    assert detected(found, history) == [("ActiveAgain", {"X": "upd@100", "Y": "upd@160"}, 3)]
    [compiled] = compile_module(found).rules
    bound = {"X": history[0][0]["upd_ACC"][0], "Y": history[2][0]["upd_ACC"][0]}
    times = {name: value(expression, bound) for name, expression in compiled.fields}
    assert times == {"Accno": 1, "Y_Time": 160 * SECOND, "X_Time": 100 * SECOND}


def test_L_09_there_are_three_kinds_of_actions() -> None:
    text = """A: update(ACC(X)) -> write("%s has %d", X.Owner, X.Balance).
B: update(ACC(X)) -> sql "insert into LOG values (:1, :2)", X.Accno, X.Balance - 1.
C: update(ACC(X)) -> system("mail %s", X.Owner).
D: update(ACC(X)) -> write to "log.txt" ("%s", X.Owner)."""
    write, sql, system, to_file = (each.action for each in compile_module(module(in_bank(text))).rules)
    assert isinstance(write, Write)
    assert (write.format, len(write.arguments), write.file) == ("%s has %d", 2, None)
    assert isinstance(sql, Sql)
    assert (sql.command, len(sql.arguments)) == ("insert into LOG values (:1, :2)", 2)
    assert isinstance(system, System)
    assert (system.command, len(system.arguments)) == ("mail %s", 1)
    assert isinstance(to_file, Write)
    assert to_file.file == "log.txt"


def test_L_10_a_tuple_has_its_attributes_old_and_new_and_its_time() -> None:
    condition = "X.old_Balance = 200000, X.new_Balance = 5, X.Balance = 5, X.evtime = 7000000, X.Time = X.evtime"
    history = [updated(7, SAVINGS, 5)]
    assert stages_of(module(in_bank(f"R: update(ACC(X), {condition})")), history) == [1]
    assert stages_of(module(in_bank("R: delete(ACC(X), X.Balance = X.old_Balance)")), [deleted(1, SAVINGS)]) == [1]
    assert stages_of(module(in_bank("R: insert(ACC(X), X.Balance = X.new_Balance)")), [inserted(1, SAVINGS)]) == [1]


def test_L_11_prior_compares_ends_and_a_relaxed_sequence_the_end_with_the_beginning() -> None:
    history = word("A C B D")
    assert stages_of(rule("prior([A, B], [C, D])"), history) == [4]
    assert stages_of(rule("[[A, B], [C, D]]"), history) == []


def test_L_12_first_is_satisfied_once() -> None:
    assert stages_of(rule("first(A)"), word("B A B A")) == [2]


def test_L_12_first_after_an_event_is_about_the_stage_right_after_it() -> None:
    """By its definition, which has a negation, and that takes a single stage."""
    assert stages_of(rule("(A, first(B), C)"), word("A B C")) == [3]
    assert stages_of(rule("(A, first((B, C)))"), word("A B C")) == []
    assert stages_of(rule("[A(X), first((B, C))]"), word("A B C B C")) == [3]


def test_L_13_stages_are_operations_or_transactions() -> None:
    assert rule("A").granularity == "operation"
    transactions = module("begin M monitor A, B; granularity transaction; R: (A & B) end.")
    assert compile_module(transactions).granularity == "transaction"
    one_transaction, two = word("A+B"), word("A B")
    assert stages_of(transactions, one_transaction) == [1]
    assert stages_of(transactions, two) == []


def test_L_14_a_negated_event_occurs_at_every_stage_but_one() -> None:
    found = module(in_bank('R: !ins(ACC(X), X.Type = "Savings")'))
    history = [updated(1423, SAVINGS, 1), updated(1425, SAVINGS, 2), inserted(1430, SAVINGS), inserted(1502, CHECKING)]
    assert stages_of(found, history) == [1, 2, 4]


@pytest.mark.parametrize(
    ("event", "codes"),
    [
        ("(*:A(X), B(Y, Y.k = X.k))", ["EP202"]),
        ("({A(X), B(Z)}, C(Y, Y.k = X.k))", ["EP202"]),
        ("(!A(X), B(Y, Y.k = X.k))", ["EP202"]),
        ("((A(X), B(Z)), C(Y, Y.k = X.k))", []),
        ("((A(X) & B(Z)), C(Y, Y.k = X.k, Y.k = Z.k))", []),
        ("(A(X) & B(Z, Z.k = X.k))", ["EP202"]),
    ],
)
def test_L_15_sequences_and_conjunctions_export_variables_and_nothing_else_does(event: str, codes: list[str]) -> None:
    assert [each.code for each in check_module(rule(event)) if each.severity == "error"] == codes


def test_L_15_a_negated_event_takes_a_single_stage() -> None:
    assert stages_of(rule("(A, !(B, C), D)"), word("A B D")) == [3]
    assert stages_of(rule("(A, !(B, C), D)"), word("A B C D")) == []


def test_L_16_modules_compile_by_themselves_and_rule_names_are_unique() -> None:
    good = "begin One monitor A; R: A end."
    bad = "begin Two monitor A; R: A R: (A, A) end."
    one, two = parse(Source("both.epl", f"{good}\n{bad}")).modules
    assert compile_module(one).rules[0].name == "One.R"
    assert [each.code for each in check_module(two)] == ["EP101"]
    again = parse(Source("twice.epl", f"{good}\n{good}")).modules
    assert [each.code for each in check_names(again)] == ["EP101"]


def test_rules_of_one_module_do_not_get_into_each_others_way() -> None:
    both = module("begin M monitor A, B; One: (A, B) Two: (B, A) end.")
    found = [(name, number) for name, _, number in detected(both, word("A B A"))]
    assert found == [("One", 2), ("Two", 3)]
    assert {each.head.predicate for each in translated(both).rules} == {
        f"sat{number}_{name}" for number in ("1", "2", "E") for name in ("One", "Two")
    }


def test_changes_of_other_relations_are_told_apart() -> None:
    found = module("begin M monitor update(A), update(B); R: (upd(A(X)), upd(B(Y), Y.k = X.k)) end.")
    a, b = (EventTuple(name, change_fields({"k": 1}, {"k": 2}), 0) for name in "ab")
    assert stages_of(found, [({"upd_A": [a]}, 1), ({"upd_B": [b]}, 2)]) == [2]
    assert stages_of(found, [({"upd_A": [a]}, 1), ({"upd_A": [b]}, 2)]) == []
