"""A tokenizer for the part of TextMate grammars that those in `editors/textmate` use: match, begin and end, include."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "editors" / "textmate"


@dataclass(frozen=True)
class Token:
    text: str
    #: The innermost scope without the name of the language; empty where nothing matched.
    scope: str


@dataclass(frozen=True)
class Grammar:
    path: Path

    @cached_property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return found

    @property
    def language(self) -> str:
        return self.path.name.partition(".")[0]

    def rules(self, patterns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The patterns with what they include in its place."""
        for pattern in patterns:
            if "include" in pattern:
                yield from self.rules(self.data["repository"][pattern["include"].removeprefix("#")]["patterns"])
            else:
                yield pattern

    def tokens(self, text: str) -> list[Token]:
        """Each line by itself, as editors do; of the rules that match first, the first."""
        found: list[Token] = []
        open_rule: dict[str, Any] | None = None
        for line in text.splitlines():
            position = 0
            while position <= len(line):
                rules = list(self.rules(self.data["patterns"] if open_rule is None else open_rule.get("patterns", [])))
                hits = [
                    (hit.start(), place, hit, rule)
                    for place, rule in enumerate(rules)
                    if (hit := re.compile(rule.get("match", rule.get("begin"))).search(line, position)) is not None
                ]
                if open_rule is not None and (end := re.compile(open_rule["end"]).search(line, position)):
                    hits.append((end.start(), -1, end, {}))
                outer = "" if open_rule is None else self._scope(open_rule)
                if not hits:
                    found.append(Token(line[position:], outer))
                    break
                start, _, hit, rule = min(hits, key=lambda each: each[:2])
                found.append(Token(line[position:start], outer))
                found.append(Token(hit[0], self._scope(rule) if rule else outer))
                if not rule:
                    open_rule = None
                elif "begin" in rule:
                    open_rule = rule
                if hit.end() == position and not hit[0] and rule:
                    raise AssertionError(f"{self.language}: {rule} matches nothing")
                if not hit[0] and hit.end() == len(line):
                    break
                position = hit.end()
        return [token for token in found if token.text.strip()]

    def _scope(self, rule: dict[str, Any]) -> str:
        return str(rule["name"]).removesuffix(f".{self.language}")

    def scope_of(self, word: str, text: str) -> str:
        """The scope of the token that a word is in, at its first place in a text."""
        at = 0
        wanted = text.index(word)
        for token in self.tokens(text):
            at = text.index(token.text, at)
            if at <= wanted < at + len(token.text):
                return token.scope
            at += len(token.text)
        return ""


GRAMMARS = {grammar.language: grammar for grammar in map(Grammar, sorted(FOLDER.glob("*.tmLanguage.json")))}
