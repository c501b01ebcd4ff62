"""Modules of a program whatever their languages: their names, and which of them run."""

from __future__ import annotations

from cera.diagnostics import Diagnostic, Source
from cera.program import load

EPL = Source("a.epl", "begin P monitor A; R: A(X). end.")
DATALOG = Source("P.dl1s", "p(X, J) <- a(X, J).")
TYPES = Source("P.cet", "X := ;(A, B)")


def errors(*sources: Source) -> list[Diagnostic]:
    return [each for each in load(list(sources)).check() if each.severity == "error"]


def test_files_with_the_name_of_another_module_are_called_with_their_endings() -> None:
    assert load([TYPES, DATALOG, EPL]).modules.names == ("P", "P.dl1s", "P.cet")
    assert load([TYPES]).modules.names == ("P",)


def test_a_module_that_does_not_run_has_a_name_all_the_same() -> None:
    program = load([EPL, TYPES], enable=["P.cet"])
    assert program.modules.names == ("P", "P.cet")
    assert [each.module.name for each in program.modules.found] == ["P.cet"]
    assert program.modules.definitions == {("rule", "rules"): 1}


def test_two_modules_with_one_name_are_an_error_whatever_their_languages() -> None:
    [error] = errors(EPL, Source("b.dl1s", "module P.\np(X, J) <- a(X, J)."))
    assert error.code == "EP101"
    assert [str(note.span) for note in error.notes] == ["a.epl:1:7"]


def test_the_first_of_several_modules_with_one_name_is_pointed_at() -> None:
    twice = Source("a.epl", "begin P monitor A; R: A(X). end.\nbegin P monitor A; R: A(X). end.")
    found = errors(twice, Source("b.dl1s", "module P.\np(X, J) <- a(X, J)."))
    assert [str(note.span) for error in found for note in error.notes] == ["a.epl:1:7", "a.epl:1:7"]


def test_a_wrong_file_of_a_language_of_modules_keeps_the_others_of_it_from_running() -> None:
    program = load([EPL, Source("wrong.epl", "begin Q monitor"), TYPES])
    assert [each.module.name for each in program.modules.found] == ["P.cet"]
