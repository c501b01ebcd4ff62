"""The entries L-01 to L-16 of the catalogue, run over events: the engines give what the paper says."""

from __future__ import annotations

import pytest

import cera
from cera.errors import ProgramError, UsageError
from cera.testing import SECOND
from conformance.changes import deleted, detected, inserted, letters, times, told, updated
from conformance.epl_histories import ACCOUNTS, account

pytestmark = pytest.mark.parametrize("engine", ["reference", "local"])

SAVINGS = account(1, "Ann", "Savings", 200_000)
CHECKING = account(2, "Ann", "Checking", 200_000)


def in_bank(rules: str, more: str = "") -> str:
    return f"begin AccMonitor {ACCOUNTS} {more} {rules} end."


def monitoring(event: str, more: str = "") -> str:
    return f"begin M monitor A, B, C, D; {more} R: {event}. end."


def test_L_01_large_withdrawals_from_savings_accounts(engine: str) -> None:
    rule = """LargeWithdrawal: update(ACC(X), X.Type = "Savings", X.old_Balance - X.new_Balance > 100000)
        -> write("Large withdrawal from account %d at time %s", X.Accno, asctime(X.evtime))."""
    history = [updated(1, SAVINGS, 50_000), updated(2, SAVINGS, 100_000), updated(3, CHECKING, 50_000)]
    [found] = detected(in_bank(rule), history, engine)
    assert str(found.event) == "LargeWithdrawal{Accno{1}, evtime{1000000}}[1000000,1000000]"
    [derivation] = found.derivations
    assert derivation.rule == "AccMonitor.LargeWithdrawal"
    assert derivation.causes == {"X": history[0]}


def test_L_02_every_event_but_an_update_of_one_account(engine: str) -> None:
    of_201 = {**SAVINGS, "Accno": 201}
    history = [inserted(1, of_201), updated(2, of_201, 5), updated(3, SAVINGS, 5), deleted(4, of_201)]
    assert times(in_bank("R: !update(ACC(X), X.Accno = 00201)."), history, engine) == [1, 3, 4]


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
def test_L_03_the_constructs_of_definition_1(engine: str, event: str, history: str, expected: list[float]) -> None:
    assert times(monitoring(event), letters(history), engine) == expected


@pytest.mark.parametrize(
    ("event", "definition"),
    [
        ("any", "{A, B, C, D}"),
        ("[A, B, C]", "(A, *:any, B, *:any, C)"),
        ("prior((A, B), (C, D))", "([(A, B), any] & (C, D))"),
        ("first([A, B])", "([A, B] & ![[A, B], any])"),
    ],
)
def test_L_04_derived_constructs_are_what_their_definitions_say(engine: str, event: str, definition: str) -> None:
    history = letters("A+C B+D A C D C+B D B")
    assert times(monitoring(event), history, engine) == times(monitoring(definition), history, engine) != []


def test_L_05_a_large_transfer_is_an_immediate_sequence(engine: str) -> None:
    rule = """LargeTransfer:
      (update(ACC(X), X.Type = "Savings", X.old_Balance - X.new_Balance > 100000),
       update(ACC(Y), Y.Type = "Checking", Y.Owner = X.Owner,
              Y.new_Balance - Y.old_Balance = X.old_Balance - X.new_Balance))
      -> write("Large Transfer of %s", X.Owner)."""
    out, into = updated(1, SAVINGS, 50_000), updated(2, CHECKING, 350_000)
    [found] = detected(in_bank(rule), [into, out], engine)
    assert str(found.event) == 'LargeTransfer{Owner{"Ann"}}[1000000,2000000]'
    assert found.derivations[0].causes == {"X": out, "Y": into}
    between = inserted(1.5, account(9, "Bob", "Savings", 1))
    assert detected(in_bank(rule), [out, between, into], engine) == []


def test_L_06_a_withdrawal_from_another_account_does_not_matter(engine: str) -> None:
    rule = """GoodCustomer:
      (update(ACC(X), X.new_Balance - X.old_Balance > 100000),
       *:!update(ACC(Y), Y.Accno = X.Accno, Y.new_Balance < Y.old_Balance),
       update(ACC(Z), Z.Accno = X.Accno, Z.new_Balance - Z.old_Balance > 100000))
      -> write("Good Customer: %s", X.Owner)."""
    one, two = account(1, "Ann", "Savings", 0), account(2, "Bob", "Savings", 0)
    history = [
        updated(1, one, 150_000),
        updated(2, two, 150_000),
        updated(3, {**one, "Balance": 150_000}, 100_000),
        updated(4, {**two, "Balance": 150_000}, 300_000),
        updated(5, {**one, "Balance": 100_000}, 300_000),
    ]
    assert told(in_bank(rule), history, engine) == [('GoodCustomer{Owner{"Bob"}}', 4)]


def test_L_07_a_relaxed_sequence_may_have_events_in_between(engine: str) -> None:
    rule = """WellcomeBack:
      [delete(ACC(X), X.Type = "Savings"), insert(ACC(Y), Y.Type = "Savings", Y.Owner = X.Owner)]
      -> write("Customer %s is back", X.Owner)."""
    history = [deleted(1, SAVINGS), updated(2, CHECKING, 1), inserted(3, {**SAVINGS, "Accno": 7})]
    assert told(in_bank(rule), history, engine) == [('WellcomeBack{Owner{"Ann"}}', 3)]


def test_L_08_an_account_is_active_again_once(engine: str) -> None:
    rule = """ActiveAgain:
      [update(ACC(X), X.Balance = 0),
       (update(ACC(Y), Y.Accno = X.Accno, Y.Balance > 0) &
        ![update(ACC(Z), Z.Accno = X.Accno, Z.Balance > 0), any])]
      as active(account: X.Accno, after: Y.Time - X.Time)."""
    empty = {**SAVINGS, "Balance": 0}
    history = [updated(100, SAVINGS, 0), updated(130, CHECKING, 5), updated(160, empty, 7), updated(190, empty, 9)]
    assert told(in_bank(rule), history, engine) == [(f"active{{account{{1}}, after{{{60 * SECOND}}}}}", 160)]


def test_L_09_a_detection_has_the_attributes_of_its_action(engine: str) -> None:
    rule = 'R: update(ACC(X)) -> sql "insert into LOG values (:1, :2)", X.Owner, X.Balance - 1.'
    assert told(in_bank(rule), [updated(1, SAVINGS, 5)], engine) == [('R{Balance{5}, Owner{"Ann"}}', 1)]


def test_L_10_a_tuple_has_its_attributes_old_and_new_and_its_time(engine: str) -> None:
    condition = "X.old_Balance = 200000, X.new_Balance = 5, X.Balance = 5, X.evtime = 7000000, X.Time = X.evtime"
    assert times(in_bank(f"R: update(ACC(X), {condition})."), [updated(7, SAVINGS, 5)], engine) == [7]
    assert times(in_bank("R: delete(ACC(X), X.Balance = X.old_Balance)."), [deleted(1, SAVINGS)], engine) == [1]
    assert times(in_bank("R: insert(ACC(X), X.Balance = X.new_Balance)."), [inserted(1, SAVINGS)], engine) == [1]


def test_L_11_prior_compares_ends_and_a_relaxed_sequence_the_end_with_the_beginning(engine: str) -> None:
    assert times(monitoring("prior([A, B], [C, D])"), letters("A C B D"), engine) == [4]
    assert times(monitoring("[[A, B], [C, D]]"), letters("A C B D"), engine) == []


def test_L_12_first_is_satisfied_once(engine: str) -> None:
    assert times(monitoring("first(A)"), letters("B A B A"), engine) == [2]


def test_L_13_changes_of_one_transaction_are_a_stage_each_or_one_together(engine: str) -> None:
    rules = """Both: (update(ACC(X), X.Type = "Savings") & update(ACC(Y), Y.Type = "Checking")).
      After: (update(ACC(X), X.Type = "Savings"), update(ACC(Y), Y.Type = "Checking"))."""
    history = [
        updated(1, CHECKING, 7, position=2, transaction="t1"),  # read first, and done second
        updated(1, SAVINGS, 5, position=1, transaction="t1"),
        updated(2, SAVINGS, 5, position=3, transaction="t2"),
        updated(2, CHECKING, 8, position=4, transaction="t3"),
    ]
    assert told(in_bank(rules), history, engine) == [("After{}", 1), ("After{}", 2)]
    transactions = in_bank(rules, "granularity transaction;")
    assert told(transactions, history, engine) == [("Both{}", 1), ("After{}", 2)]
    at_one_time = in_bank(rules, "granularity time;")
    assert told(at_one_time, history, engine) == [("Both{}", 1), ("After{}", 2), ("Both{}", 2)]


def test_L_14_a_negated_event_occurs_at_every_stage_but_one(engine: str) -> None:
    rule = 'R: !ins(ACC(X), X.Type = "Savings").'
    history = [updated(1423, SAVINGS, 1), updated(1425, SAVINGS, 2), inserted(1430, SAVINGS), inserted(1502, CHECKING)]
    assert times(in_bank(rule), history, engine) == [1423, 1425, 1502]


def test_L_15_a_wrong_scope_keeps_the_program_from_running(engine: str) -> None:
    with pytest.raises(ProgramError, match="EP202"):
        cera.load(monitoring("(*:A(X), B(Y, Y.n = X.n))")).run([], engine=engine)  # type: ignore[arg-type]


def test_L_16_modules_are_enabled_by_name(engine: str) -> None:
    both = "begin One monitor A; R: A. end. begin Two monitor A; S: A. end."
    program = cera.load(both, enable=["Two"])
    assert [one.event.label for one in program.run(letters("A"), engine=engine).derived] == ["S"]  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no module 'Tow'; did you mean `Two`"):
        cera.load(both, enable=["Tow"])


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("", {"1 3 4", "2 3 4", "1 3 6", "1 5 6", "2 3 6", "2 5 6"}),
        ("in recent context", {"2 3 4", "2 5 6"}),
        ("in chronicle context", {"1 3 4", "2 5 6"}),
    ],
)
def test_D_16_to_18_contexts_of_example_9(engine: str, context: str, expected: set[str]) -> None:
    """The history has the two sequences of the paper one after the other: A A B C B C."""
    program = monitoring(f"[A(X), B(Y), C(Z)] {context}")
    runs = {
        " ".join(str(derivation.causes[name].end // SECOND) for name in "XYZ")
        for one in detected(program, letters("A A B C B C"), engine)
        for derivation in one.derivations
    }
    assert runs == expected
