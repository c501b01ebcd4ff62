"""Slips in the build of a rule: a part that is missing, or one that does not stand where it should."""

from __future__ import annotations

from itertools import pairwise

from cera.languages.xchangeeq.mistakes.expectations import ITEM_WORDS, VOCABULARY, guess
from cera.languages.xchangeeq.mistakes.mistake import Edit, Mistake, Remark, Situation, described, mistake_at


def nothing_between(situation: Situation) -> Mistake | None:
    """Finds `DETECT ON …` and `ON END`, read as a head and as a query of these names."""
    for first, second, what in (("DETECT", "ON", "head"), ("ON", "END", "query")):
        for one, other in pairwise(situation.lexemes[: situation.index]):
            if (one.text, other.text) == (first, second):
                return mistake_at("XC001", other, f"the {what} is missing between {first} and {second}")
    return None


def no_receiver(situation: Situation) -> Mistake | None:
    found, hint = situation.found, 'a reactive rule says where its events go: RAISE to(recipient="…") { … }'
    if found is None or situation.lexemes[0].text != "RAISE":
        return None
    if situation.accepted == {"_TO"}:
        return mistake_at("XC001", found, f"expected 'to', found {described(found)}", hint)
    if found.text == ")" and situation.accepted == {"COMMA"}:
        return mistake_at("XC001", found, "the recipient is missing", hint)
    if found.kind != "word" and situation.accepted == {"_RECIPIENT", "_TRANSPORT"}:
        return mistake_at("XC001", found, f"{VOCABULARY.expected(situation.accepted)}, found {described(found)}", hint)
    return None


def rule_not_closed(situation: Situation) -> Mistake | None:
    found = situation.found
    if "_END" not in situation.accepted:
        return None
    if found is not None and guess(found.text, ITEM_WORDS) is None and found.text not in ITEM_WORDS:
        return None
    last = situation.lexemes[situation.index - 1]
    next_item = found or situation.following
    where = f" before '{next_item.text}'" if next_item is not None else ""
    begin = situation.lexemes[0]
    remarks = (Remark("the rule begins here", begin.start, begin.end),)
    return Mistake("XC005", f"the rule is not closed: END is missing{where}", last.start, last.end, remarks=remarks)


def several_queries(situation: Situation) -> Mistake | None:
    """Finds several queries without `and`: `ON event a: A{{}}, event b: B{{}} END`."""
    found = situation.found
    if found is None or "_END" not in situation.accepted or situation.text_at(-1) not in ("}", "]"):
        return None
    if found.text not in (",", ";") and found.kind != "word":
        return None
    message = f"{VOCABULARY.expected(situation.accepted)}, found {described(found)}"
    return mistake_at("XC001", found, message, "several queries are combined by 'and { …, … }'")


def absence_without_window(situation: Situation) -> Mistake | None:
    """Finds `not buy{{…}}` among the queries, without a window."""
    word = situation.at(-1)
    if (
        word is None
        or word.text not in ("not", "collect")
        or "_WHILE" not in situation.accepted_at(situation.index - 1)
    ):
        return None
    hint = f"write 'while i: {word.text} …', where i is an event, a state or a timer"
    return mistake_at("XC001", word, f"'{word.text}' needs a window of time", hint)


def relation_in_window(situation: Situation) -> Mistake | None:
    """Finds `while e: not relation prices{{…}}`, read as an event `relation`."""
    word, kind = situation.at(-1), situation.text_at(-2)
    if word is None or word.text != "relation" or kind not in ("not", "collect") or situation.found is None:
        return None
    hint = f"rows have no times; ask for them beside an event, in a rule whose events '{kind}' may look for"
    return mistake_at("XC001", word, f"'while … {kind}' looks for events, and not for rows of a relation", hint)


def window_without_identifier(situation: Situation) -> Mistake | None:
    """Finds `while: not buy{{…}}`, read as an event `while` whose label is `not`."""
    word, window = situation.at(-1), situation.at(-3)
    if word is None or window is None or word.text not in ("not", "collect"):
        return None
    if situation.text_at(-2) != ":" or window.text != "while":
        return None
    declared = [
        name.text
        for event, name, colon in zip(situation.lexemes, situation.lexemes[1:], situation.lexemes[2:], strict=False)
        if event.text == "event" and colon.text == ":"
    ]
    identifier = declared[-1] if declared else "i"
    hint = f"write 'while {identifier}: {word.text} …'; the window is an event, a state or a timer"
    return mistake_at(
        "XC001",
        window,
        "'while' needs the identifier of a window",
        hint,
        (Edit(window.end, window.end, f" {identifier}"),),
    )


def grouping_without_all(situation: Situation) -> Mistake | None:
    found = situation.found
    if found is None or found.text not in ("group-by", "order-by"):
        return None
    return mistake_at("XC001", found, f"'{found.text}' belongs to 'all'", f"write 'all … {found.text} var X'")
