"""Labels that are patterns: from Lark's tree to event queries.

`bid{{auctionID{{var A}}, value{{var V*}}}}`: a variable with `*` is declared, one without it is referred to.
"""

from __future__ import annotations

from typing import Any

from lark import Token

from cera.automata.automaton import Declaration, EventQuery
from cera.diagnostics import Diagnostic, Span
from cera.languages.patterns.transformer import PatternTransformer
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern, bound_variables, walk

MEMORY_HINT = "write `unique X* for 30 days`; months have no fixed length"


class PatternQueryTransformer(PatternTransformer):
    """Reads patterns with declared variables."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        #: What each `var X*` declares, by its node; the nodes are kept, so that none has the number of another.
        self._declarations: dict[int, tuple[VariablePattern, Declaration]] = {}

    def variable_pattern(self, span: Span, variable: Token, pattern: Pattern | None) -> VariablePattern:
        return self._variable_pattern(span, variable, pattern, None)

    def remembered(self, span: Span, variable: Token, memory: Token, pattern: Pattern | None) -> VariablePattern:
        return self._variable_pattern(span, variable, pattern, memory)

    def _variable_pattern(
        self, span: Span, variable: Token, pattern: Pattern | None, memory: Token | None
    ) -> VariablePattern:
        words = variable.removesuffix("*").split()
        unique = words[0] == "unique"
        made = VariablePattern(words[-1], pattern, span)
        if variable.endswith("*"):
            self._declarations[id(made)] = made, self._declaration(span, words[-1], memory, unique=unique)
        elif unique or memory is not None:
            hint = f"write `unique var {words[-1]}*`"
            self._misplaced("only a variable that is declared is unique", span, hint)
        return made

    def _declaration(self, span: Span, name: str, memory: Token | None, *, unique: bool) -> Declaration:
        """Returns what `unique X* for 30 days` declares."""
        if memory is None:
            return Declaration(name, unique)
        limit = self._duration(memory)
        if not unique or limit.months:
            self._misplaced("only what is unique is remembered for a time", span, MEMORY_HINT)
        return Declaration(name, unique, None if limit.months else limit.microseconds)

    def pattern_query(self, span: Span, pattern: TermPattern) -> EventQuery:
        """Reads a pattern as an event query. A variable that it declares twice has the same value in both places."""
        declared: dict[str, Declaration] = {}
        referred: dict[str, VariablePattern] = {}
        for part in walk(pattern):
            if not isinstance(part, VariablePattern):
                continue
            _, found = self._declarations.get(id(part), (part, None))
            if found is None:
                referred.setdefault(part.name, part)
                if part.pattern is not None:
                    hint = f"write `var {part.name}` alone, or declare it: `var {part.name}* -> …`"
                    self._unfit(f"`var {part.name}` has a value already, which needs no pattern", part.span, hint)
            elif found.unique or part.name not in declared:
                declared[part.name] = found
        self._check_variables(pattern, declared, referred)
        if not isinstance(pattern.label, str):
            self._unfit("the outermost label of a pattern is given", span, "write the label of the events: bid{{…}}")
        return EventQuery(str(pattern.label), (), pattern, tuple(declared.values()), span)

    def _check_variables(
        self, pattern: TermPattern, declared: dict[str, Declaration], referred: dict[str, VariablePattern]
    ) -> None:
        for name in declared:
            if name in referred:
                hint = f"write `{name}*` where it gets a new value, and `{name}` where it has one already, not both"
                message = f"the variable `{name}` is declared and referred to in one query"
                self._problems.append(Diagnostic("IH212", "error", message, referred[name].span, hint))
            elif name not in bound_variables(pattern):
                hint = "declare it outside of `without` and `optional`"
                self._unfit(f"`var {name}*` may get no value here", pattern.span, hint)

    def _unfit(self, message: str, span: Span | None, hint: str) -> None:
        self._problems.append(Diagnostic("IH214", "error", message, span, hint))

    def _misplaced(self, message: str, span: Span | None, hint: str | None = None) -> None:
        self._problems.append(Diagnostic(self._codes.unexpected, "error", message, span, hint))
