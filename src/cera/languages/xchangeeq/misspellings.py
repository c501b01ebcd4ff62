"""Words that are close to a keyword (XC003).

A guess is believed when the text can be read further with the keyword in the place of the word.
"""

from __future__ import annotations

import re

from cera.languages.xchangeeq.expectations import guess, keywords
from cera.languages.xchangeeq.mistakes import Edit, Mistake, Situation, mistake_at
from cera.languages.xchangeeq.scanner import Lexeme
from cera.model.timers import SYNONYMS


def misspelt(situation: Situation) -> Mistake | None:
    return _two_words(situation) or _one_word(situation)


def unknown_semantics(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or situation.accepted != {"PRACTICAL", "FORMAL"} or guess(found.text, ("practical", "formal")):
        return None
    return mistake_at("XC006", found, f"'{found.text}' is not a semantics; there are 'practical' and 'formal'")


def _one_word(situation: Situation) -> Mistake | None:
    """The word that was found, or the one before it if that could only be read as a name."""
    found, before = situation.found, situation.at(-1)
    for lexeme, distance in ((found, 0), (before, -1)):
        if lexeme is None or lexeme.kind != "word":
            continue
        accepted = situation.accepted if distance == 0 else situation.accepted_at(situation.index - 1)
        meant = guess(lexeme.text, keywords(accepted))
        if meant and situation.reaches(edits := (Edit(lexeme.start, lexeme.end, meant),)) > 1:
            return _misspelling(lexeme, meant, edits)
    return None


def _two_words(situation: Situation) -> Mistake | None:
    """`group by`."""
    found, after = situation.found, situation.at(1)
    if found is None or after is None or found.kind != "word" or after.kind != "word" or "-" in found.text:
        return None
    words = [word for word in keywords(situation.accepted) if re.search("[- ]", word)]
    joined = f"{found.text}-{after.text}"
    meant = joined if joined in words else guess(joined, words)
    whole = Lexeme("word", situation.text[found.start : after.end], found.start)
    if meant and situation.reaches(edits := (Edit(found.start, after.end, meant),)) > 0:
        return _misspelling(whole, meant, edits)
    return None


def misspelt_before_bracket(situation: Situation) -> Mistake | None:
    """`AND { event …` and `form-end[event n, …` were read as patterns, up to what no pattern can contain."""
    for opening in reversed(situation.brackets.open_at(situation.index)):
        if opening == 0 or situation.brackets.is_second(opening):
            continue
        label = situation.lexemes[opening - 1]
        words = ("and", "or") if situation.lexemes[opening].text == "{" else tuple(SYNONYMS)
        meant = guess(label.text, words) if label.kind == "word" else None
        if meant and situation.reaches(edits := (Edit(label.start, label.end, meant),)) > 1:
            return _misspelling(label, meant, edits)
    return None


def _misspelling(lexeme: Lexeme, meant: str, repair: tuple[Edit, ...]) -> Mistake:
    return mistake_at("XC003", lexeme, f"unknown word '{lexeme.text}'", f"did you mean '{meant}'?", repair)
