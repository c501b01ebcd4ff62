"""Programs with mistakes made by chance: pieces of the text deleted, doubled, moved, reversed, put in."""

from __future__ import annotations

from random import Random

FRAGMENTS = (
    *("{", "}", "{{", "}}", "[", "]", "[[", "]]", "(", ")", ",", ";", ":", "->", "-", "*", "/", "=", "<", "@x", "$"),
    *('"', "'", "\\", "#", "/*", "*/", "\n", "\t", " ", "\x00", "é", "\ufeff", "\u2028", "😀"),
    *("var ", "var X", "event ", "while ", "not ", "collect ", "where ", "and", "or ", "all ", "group-by ", "desc "),
    *("DETECT ", "RAISE ", "END", "ON ", "SEMANTICS ", "SOURCE ", "CALENDARS ", "to(", "true", "optional "),
    *("12", "1 min", "1e999", "99999999999999999999", "timer:", "extend[", "datetime(", "within", "before", "avg("),
)


def mutated(text: str, random: Random) -> str:
    """The text after one to six mutations, more often few."""
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice([1, 1, 2, 5, 20, 100]))
        before, cut, after = text[:start], text[start:end], text[end:]
        elsewhere = random.randrange(len(text) + 1)
        text = random.choice(
            [
                before + after,
                before + random.choice(FRAGMENTS) + cut + after,
                before + random.choice(FRAGMENTS) + after,
                before + cut + cut + after,
                before + text[elsewhere : elsewhere + random.choice([3, 10, 50])] + cut + after,
                before + cut[::-1] + after,
            ]
        )
    return text
