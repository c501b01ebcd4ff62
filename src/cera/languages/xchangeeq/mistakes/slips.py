"""Common slips, each with a message of its own. The first that fits explains the mistake.

Most are tried: a slip is believed when the text can be read further once it is repaired.
"""

from __future__ import annotations

import re

from cera.languages.text.scanner import Lexeme
from cera.languages.xchangeeq.mistakes.expectations import VOCABULARY, guess
from cera.languages.xchangeeq.mistakes.misspellings import misspelt, timer_in_braces, unknown_semantics, unknown_timer
from cera.languages.xchangeeq.mistakes.mistake import Edit, Mistake, Situation, described, mistake_at
from cera.languages.xchangeeq.mistakes.rule_slips import (
    absence_without_window,
    grouping_without_all,
    no_receiver,
    nothing_between,
    relation_in_window,
    rule_not_closed,
    several_queries,
    window_without_identifier,
)
from cera.model.time.durations import UNITS
from cera.model.time.timers import SYNONYMS

_QUOTES = frozenset("'`´‘’‚“”„«»")
_OTHER_OPERATORS = {"&&": "and", "||": "or", "&": "and", "|": "or", "!": "not", "=>": ">=", "=<": "<="}
_COMPARISONS = frozenset({"=", "==", "!=", "<>", "<", "<=", ">", ">="})
_NEVER_FIRST = ("group-by", "order-by", "with", "default", "asc", "within", "where", "ON", "END")
_UNIT_NAMES = "us, ms, sec, min, hour, day, week, month, year"


def slip(situation: Situation) -> Mistake | None:
    for explain in _SLIPS:
        if mistake := explain(situation):
            return mistake
    return None


def _lone_var(situation: Situation) -> Mistake | None:
    found = situation.found
    after = situation.at(1)
    if found is None or found.text != "var" or (after is not None and after.kind == "word"):
        return None
    return mistake_at("XC001", found, "'var' needs the name of a variable, as in 'var X'")


def _var_left_out(situation: Situation) -> Mistake | None:
    """Finds a name where only a variable can stand: `group-by S`."""
    found = situation.found
    if found is None or found.kind != "word" or "VARIABLE" not in situation.accepted or "NAME" in situation.accepted:
        return None
    edits = (Edit(found.start, found.start, "var "),)
    if situation.reaches(edits) == 0:
        return None
    message = f"{VOCABULARY.expected(situation.accepted)}, found {described(found)}"
    return mistake_at("XC001", found, message, f"write 'var {found.text}'", edits)


def _hyphen_in_variable(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or situation.text_at(-1) != "var" or "-" not in found.text:
        return None
    better = found.text.replace("-", "_")
    edits = (Edit(found.start, found.end, better),)
    if situation.reaches(edits) == 0:
        return None
    message = f"the name of a variable has no hyphen, '{found.text}' has"
    return mistake_at("XC001", found, message, f"write 'var {better}'", edits)


def _foreign_letters(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or found.kind != "word" or found.text.isascii():
        return None
    edits = (Edit(found.start, found.end, f'"{found.text}"'),)
    message = f"a name is written with the letters a to z, '{found.text}' is not"
    if situation.reaches(edits) > 0:
        return mistake_at("XC001", found, message, f'as a label, write it in quotes: "{found.text}"', edits)
    return mistake_at("XC001", found, message)


def _other_quotes(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or found.text not in _QUOTES:
        return None
    return mistake_at("XC001", found, f"unexpected {found.text}", 'strings stand in double quotes: "…"')


def _other_operator(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or found.text not in _OTHER_OPERATORS:
        return None
    meant = _OTHER_OPERATORS[found.text]
    edits = (Edit(found.start, found.end, f" {meant} "),)
    if situation.reaches(edits) == 0:
        return None
    return mistake_at("XC001", found, f"there is no operator '{found.text}'", f"write '{meant}'", edits)


def _other_brackets(situation: Situation) -> Mistake | None:
    """Finds other brackets: `where (…)` or none, `and (…)`, a timer `extend(o, 1 min)`, a function `extend[o, 1
    min]`."""
    found, before = situation.found, situation.text_at(-1)
    if found is None:
        return None
    if before == "where" and situation.accepted == {"LBRACE"}:
        left, right, hint = "{", "}", "the conditions stand in braces: where { … }"
    elif before in ("and", "or") and situation.accepted == {"LBRACE"}:
        left, right, hint = "{", "}", f"the queries stand in braces: {before} {{ …, … }}"
    elif before in SYNONYMS and found.text == "(":
        left, right, hint = "[", "]", f"a timer is written with brackets: {before}[…, 1 min]"
    elif before in SYNONYMS and found.text == "[" and "LPAR" in situation.accepted:
        left, right, hint = "(", ")", f"in a condition it is a function: {before}(…, 1 min)"
    else:
        return None
    edits = [Edit(found.start, found.end, left)]
    closing = situation.brackets.partner.get(situation.index)
    if closing is not None:
        edits.append(Edit(situation.lexemes[closing].start, situation.lexemes[closing].end, right))
    repair = tuple(edits) if closing is not None and situation.reaches(edits) > 0 else ()
    return mistake_at("XC001", found, f"expected '{left}' after '{before}', found {described(found)}", hint, repair)


def _double_brackets_in_head(situation: Situation) -> Mistake | None:
    """Finds double brackets in a head: `DETECT a{{ … }}`."""
    if any(lexeme.text == "ON" for lexeme in situation.lexemes[: situation.index]):
        return None
    brackets = situation.brackets
    for opening in range(min(situation.index, len(situation.lexemes))):
        if situation.lexemes[opening].text in ("{", "[") and brackets.is_second(opening) and brackets.label(opening):
            first, second = situation.lexemes[opening - 1], situation.lexemes[opening]
            pair = Lexeme("bracket", first.text + second.text, first.start)
            closing = brackets.partner.get(opening)
            edits = [Edit(second.start, second.end, "")]
            if closing is not None:
                edits.append(Edit(situation.lexemes[closing].start, situation.lexemes[closing].end, ""))
            repair = tuple(edits) if situation.reaches(edits) > 0 else ()
            hint = f"double brackets mean 'and perhaps more' and belong to patterns; write '{first.text}'"
            return mistake_at(
                "XC001", pair, f"a head is built exactly as it is written, without '{pair.text}'", hint, repair
            )
    return None


def _condition_in_pattern(situation: Situation) -> Mistake | None:
    """Finds conditions in a pattern: `temp{{ value > 40 }}`, `temp{{ value: 40 }}`, `temp{{ v{var T} where {…} }}`."""
    found, label = situation.found, situation.text_at(-1)
    if found is None or "COMMA" not in situation.accepted or "PLUS" in situation.accepted:
        return None
    if not situation.brackets.open_at(situation.index):
        return None
    if found.text in ("=", ":"):
        return mistake_at(
            "XC001", found, f"a pattern has no '{found.text}'", f"write {label}{{…}} for a child with a value"
        )
    if found.text in _COMPARISONS:
        hint = "conditions stand after the pattern: where { var X > 40 }"
        return mistake_at("XC001", found, f"a pattern has no comparison, found '{found.text}'", hint)
    if found.text == "where":
        hint = "conditions stand after the whole pattern: temp{{ value{var T} }} where { var T > 40 }"
        return mistake_at("XC001", found, "there is no 'where' inside of a pattern", hint)
    return None


def _bad_number(situation: Situation) -> Mistake | None:
    """Finds numbers such as `12abc` and `1..2`."""
    found = situation.found
    if found is None or found.kind != "number" or _wants_duration(situation):
        return None
    written = re.compile(r"[0-9][A-Za-z0-9_.]*").match(situation.text, found.start)
    if written is None or written[0] == found.text:
        return None
    lexeme = Lexeme("number", written[0], found.start)
    return mistake_at("XC004", lexeme, f"'{written[0]}' is not a number")


def _waiting(situation: Situation) -> str:
    return "REFRESH" if situation.text_at(-1) == "REFRESH" else "a timer"


def _bad_duration(situation: Situation) -> Mistake | None:
    """Finds durations such as `1 minuts`, `extend[o, 5]` and `extend[o, var D]`."""
    found = situation.found
    if found is None:
        return None
    unit: Lexeme | None = None
    if _wants_duration(situation):
        if found.kind != "number":
            return mistake_at(
                "XC004",
                found,
                f"{_waiting(situation)} needs a duration, found '{found.text}'",
                "write for example 1 min",
            )
        unit = situation.at(1)
        if unit is None or unit.kind != "word":
            message = f"the duration {found.text} has no unit"
            return mistake_at("XC004", found, message, f"the units are {_UNIT_NAMES}")
    elif (
        found.kind == "word"
        and "PLUS" in situation.accepted
        and situation.text_at(1) in ("", ",", ";", "}", ")", "END")
    ):
        number = situation.at(-1)
        unit = found if number is not None and number.kind == "number" else None
    if unit is None:
        return None
    meant = guess(unit.text, UNITS)
    repair = (Edit(unit.start, unit.end, meant or "sec"),)
    hint = f"did you mean '{meant}'?" if meant else f"the units are {_UNIT_NAMES}"
    return mistake_at(
        "XC004", unit, f"'{unit.text}' is not a unit of time", hint, repair if situation.reaches(repair) > 0 else ()
    )


def _wants_duration(situation: Situation) -> bool:
    return situation.accepted == {"DURATION"}


def _left_out(situation: Situation) -> Mistake | None:
    """Finds a missing comma, colon, `ON` or `where`."""
    found, before = situation.found, situation.at(-1)
    if found is None or before is None or found.text in _NEVER_FIRST:
        return None
    candidates = [("_ON", " ON "), ("_WHERE", " where "), ("COMMA", ",")]
    if situation.text_at(-2) in ("event", "state", "while"):
        candidates.insert(0, ("COLON", ":"))
    for terminal, text in candidates:
        edits = (Edit(before.end, before.end, text),)
        if terminal in situation.accepted and situation.reaches(edits) > 1:
            what = "a comma" if text == "," else f"'{text.strip()}'"
            wanted = VOCABULARY.expected(situation.accepted) if text == "," else f"expected {what}"
            message = f"{wanted}, found {described(found)}"
            return mistake_at("XC001", found, message, f"{what} is missing before {described(found)}", edits)
    return None


_SLIPS = (
    nothing_between,
    no_receiver,
    rule_not_closed,
    unknown_semantics,
    window_without_identifier,
    unknown_timer,
    timer_in_braces,
    misspelt,
    _lone_var,
    _var_left_out,
    _hyphen_in_variable,
    _foreign_letters,
    _other_quotes,
    _other_operator,
    _other_brackets,
    _double_brackets_in_head,
    _condition_in_pattern,
    relation_in_window,
    absence_without_window,
    several_queries,
    grouping_without_all,
    _bad_number,
    _bad_duration,
    _left_out,
)
