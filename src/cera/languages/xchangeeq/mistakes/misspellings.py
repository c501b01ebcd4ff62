"""Words that are close to a keyword (XC003).

A guess is believed when the text can be read further with the keyword in the place of the word.
"""

from __future__ import annotations

import re

from cera.languages.text.scanner import Lexeme
from cera.languages.xchangeeq.mistakes.expectations import VOCABULARY, guess
from cera.languages.xchangeeq.mistakes.mistake import Edit, Mistake, Situation, mistake_at
from cera.model.time.durations import UNITS
from cera.model.time.timers import SYNONYMS, TIMERS


def misspelt(situation: Situation) -> Mistake | None:
    """Finds a misspelt word: the one found, two that should be one, or the one before if it was read as a name."""
    return _one_word(situation, 0) or _two_words(situation) or _one_word(situation, -1)


def unknown_semantics(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or situation.accepted != {"PRACTICAL", "FORMAL"} or guess(found.text, ("practical", "formal")):
        return None
    return mistake_at("XC006", found, f"'{found.text}' is not a semantics; there are 'practical' and 'formal'")


def _one_word(situation: Situation, distance: int) -> Mistake | None:
    lexeme = situation.at(distance)
    if lexeme is None or lexeme.kind != "word":
        return None
    accepted = situation.accepted if distance == 0 else situation.accepted_at(situation.index + distance)
    meant = guess(lexeme.text, VOCABULARY.keywords(accepted))
    if meant and situation.reaches(edits := (Edit(lexeme.start, lexeme.end, meant),)) > 1:
        return _misspelling(lexeme, meant, edits)
    return None


def _two_words(situation: Situation) -> Mistake | None:
    """Finds two words that should be one: `group by`."""
    found, after = situation.found, situation.at(1)
    if found is None or after is None or found.kind != "word" or after.kind != "word" or "-" in found.text:
        return None
    words = [word for word in VOCABULARY.keywords(situation.accepted) if re.search("[- ]", word)]
    joined = f"{found.text}-{after.text}"
    meant = joined if joined in words else guess(joined, words)
    whole = Lexeme("word", situation.text[found.start : after.end], found.start)
    if meant and situation.reaches(edits := (Edit(found.start, after.end, meant),)) > 0:
        return _misspelling(whole, meant, edits)
    return None


def misspelt_before_bracket(situation: Situation) -> Mistake | None:
    """Finds misspelt keywords that were read as patterns: `AND { event …`, `form-end[event n, …`."""
    for opening in reversed(situation.brackets.open_at(situation.index)):
        if opening == 0 or situation.brackets.is_second(opening):
            continue
        label = situation.lexemes[opening - 1]
        words = ("and", "or") if situation.lexemes[opening].text == "{" else tuple(SYNONYMS)
        meant = guess(label.text, words) if label.kind == "word" else None
        if meant and situation.reaches(edits := (Edit(label.start, label.end, meant),)) > 1:
            return _misspelling(label, meant, edits)
    return None


def unknown_timer(situation: Situation) -> Mistake | None:
    """Finds `timer:foo[o, 1 min]` and `foo[o, 1 min]`, read as patterns up to the duration or the identifier."""
    before = situation.at(-1)
    opened = situation.brackets.open_at(situation.index)
    if before is None or not opened or situation.lexemes[opened[-1]].text != "[" or opened[-1] == 0:
        return None
    label = situation.lexemes[opened[-1] - 1]
    is_duration = before.kind == "number" and situation.text_at(0) in UNITS
    if label.kind != "word" or label.text in SYNONYMS or not (is_duration or before.text == "event"):
        return None
    hint = f"the timers are {', '.join(TIMERS)}"
    return mistake_at(
        "XC003", label, f"there is no timer '{label.text}'", hint, (Edit(label.start, label.end, "extend"),)
    )


def timer_in_braces(situation: Situation) -> Mistake | None:
    """Finds `from-end{x, 5 min}`, read as a pattern up to the unit of the duration."""
    before, opened = situation.at(-1), situation.brackets.open_at(situation.index)
    if before is None or not opened or opened[-1] == 0 or situation.lexemes[opened[-1]].text != "{":
        return None
    label, opening = situation.lexemes[opened[-1] - 1], situation.lexemes[opened[-1]]
    if label.text not in SYNONYMS or before.kind != "number" or situation.text_at(0) not in UNITS:
        return None
    hint = f"a timer has single brackets: '{label.text}[x, {before.text} {situation.text_at(0)}]'"
    return mistake_at("XC001", opening, f"'{label.text}' is a timer, and a timer has no braces", hint)


def _misspelling(lexeme: Lexeme, meant: str, repair: tuple[Edit, ...]) -> Mistake:
    return mistake_at("XC003", lexeme, f"unknown word '{lexeme.text}'", f"did you mean '{meant}'?", repair)
