"""From Lark's tree of a rule to the rule; `directive_transformer.py` does the same for directives.

Whether `p(X, 0)` has the stage 0 or the constant 0 is known only when all rules have been read: `p` has stages if it
has one that is `J` or `s(J)` somewhere. Until then an atom keeps its last argument.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, cast

from lark import Token, Tree

from cera.datalog.syntax import NEXT, Anonymous, Argument, Atom, BodyPart, J, Not, Rule, Stage
from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.expressions.transformer import ExpressionTransformer, NestingError
from cera.languages.text.items import Place
from cera.languages.text.mistakes import Codes
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Literal,
    Negative,
    Or,
    Variable,
)
from cera.model.terms.values import NumberTooLargeError, number, read_fraction, read_integer

CODES = Codes("DL001", "DL001", "DL002")

#: The deepest nesting of a rule.
MAX_NESTING = 100


@dataclass(frozen=True)
class Application:
    """`name(…)`: an atom, the call of a function, or `s(J)`."""

    name: str
    arguments: tuple[Any, ...]
    span: Span


class ClauseError(Exception):
    """A rule cannot be used; `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class ClauseTransformer(ExpressionTransformer):
    """A transformer of clauses, each method of which may raise ClauseError.

    A tree becomes expressions, `_` and applications; what these are where they stand is decided afterwards.
    """

    #: So that nothing is nested deeper than MAX_NESTING, the words and numbers inside of a tree among it.
    deepest = MAX_NESTING - 1

    def __init__(self, place: Place) -> None:
        super().__init__(place, CODES)

    def clause(self, tree: Tree[Token]) -> Rule:
        head, *parts = [self.part(child) for child in tree.children]
        return Rule(self.to_atom(head), tuple(self._body_part(part) for part in parts), self._span_of(tree))

    def part(self, node: Any) -> Any:
        try:
            return self.transform(node)
        except NestingError:
            message = f"this is nested deeper than {MAX_NESTING} levels"
            raise self._error(message, self._span_of(_first_too_deep(node))) from None

    def _error(self, message: str, span: Span | None, hint: str | None = None) -> ClauseError:
        return ClauseError(Diagnostic(self._codes.unexpected, "error", message, span, hint))

    # The rules of the grammar.

    def atom(self, span: Span, name: Token, *arguments: Any) -> Application:
        return Application(self.name(name), arguments, span)

    def number(self, span: Span, token: Token) -> Literal:
        return Literal(self._number(token), span)

    def reference(self, span: Span, token: Token) -> Variable | Literal:
        """Reads a word: as in Prolog, a variable begins with a capital letter; any other word stands for itself."""
        return Variable(str(token), span) if token[0].isupper() or token[0] == "_" else Literal(str(token), span)

    def attribute(self, span: Span, token: Token) -> Variable:
        owner, _, attribute = token.partition(".")
        if owner == "J":
            raise _misplaced_stage(span)
        name = self._unquoted(attribute, token) if attribute.startswith('"') else attribute
        return Variable(f"{owner}.{name}", span)

    def anonymous(self, span: Span, _: Token) -> Anonymous:
        return Anonymous(span)

    def parenthesised(self, _: Span, expression: Any) -> Any:
        return expression

    def negative(self, span: Span, _: Token, operand: Any) -> Expression:
        """Reads `-3` as the number, and `-(3)` as the operator."""
        if isinstance(operand, Literal) and operand.span and operand.span.text[0].isdigit():
            value = number(-cast("int | float", operand.value))
            assert value is not None, "what can be written has a negative"
            if span.text.lstrip("-").lstrip()[:1].isdigit():
                return Literal(value, span)
        return Negative(self.expression(operand), span)

    def arithmetic(self, span: Span, left: Any, operator: Token, right: Any) -> Arithmetic:
        return super().arithmetic(span, self.expression(left), operator, self.expression(right))

    def comparison(self, span: Span, left: Any, operator: Token, right: Any) -> Comparison:
        return super().comparison(span, self.expression(left), operator, self.expression(right))

    def not_(self, span: Span, operand: Any) -> Any:
        return _Negation(operand, span)

    def and_(self, span: Span, *operands: Any) -> And:
        return super().and_(span, *map(self.expression, operands))

    def or_(self, span: Span, *operands: Any) -> Or:
        return super().or_(span, *map(self.expression, operands))

    # Words and literals.

    def _number(self, token: Token) -> int | float:
        try:
            return read_integer(token.lstrip("0") or "0") if token.isdigit() else read_fraction(token)
        except NumberTooLargeError as error:
            raise self._bad(str(error), token) from None

    def name(self, token: Token) -> str:
        """Returns a word as it is, or the text in quotes."""
        return self._label(token)

    def _string(self, token: Token) -> str:
        return self._unquoted(token, token)

    def _unquoted(self, text: str, token: Token) -> str:
        try:
            found = cast(str, json.loads(text, strict=False))
            found.encode()
            return found
        except UnicodeEncodeError:
            raise self._bad("the string has half of a surrogate pair, which is not a character", token) from None
        except json.JSONDecodeError:
            hint = 'the escapes are those of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9'
            raise self._bad("the string has a bad escape", token, hint) from None

    def _bad(self, message: str, token: Token, hint: str | None = None) -> ClauseError:
        return ClauseError(Diagnostic(self._codes.bad_literal, "error", message, self._span_of(token), hint))

    # The parts of a rule, by their places.

    def _body_part(self, part: Any) -> BodyPart:
        match part:
            case _Negation(operand=Application() as operand) if not _is_call(operand):
                return Not(self.to_atom(operand), part.span)
            case Application() if not _is_call(part):
                return self.to_atom(part)
            case _:
                return self.expression(part)

    def to_atom(self, application: Application) -> Atom:
        *data, last = application.arguments or (None,)
        stage = self._stage(last)
        arguments = data if stage is not None else [*data, last] if last is not None else []
        return Atom(
            application.name, tuple(self._argument(argument) for argument in arguments), stage, application.span
        )

    def _stage(self, argument: Any) -> Stage:
        match argument:
            case Variable(name="J"):
                return J
            case Application(name="s", arguments=(inner,)):
                if isinstance(inner, Variable) and inner.name == "J":
                    return NEXT
                message = "a stage is `J`, `s(J)` or a number"
                hint = "a rule looks from one stage to the next; name the facts in between with a rule of their own"
                raise ClauseError(Diagnostic("DL101", "error", message, argument.span, hint))
            case _:
                return None

    def _argument(self, argument: Any) -> Argument:
        return argument if isinstance(argument, Anonymous) else self.expression(argument)

    def expression(self, part: Any) -> Expression:
        match part:
            case Variable(name="J"):
                raise _misplaced_stage(part.span)
            case Application(name="s", arguments=(Variable(name="J"),)):
                raise _misplaced_stage(part.span)
            case Anonymous():
                message = "`_` stands for a value of its own in an atom only"
                raise self._error(message, part.span, "give the value a name")
            case Application() if _is_call(part):
                return Call(part.name, tuple(self.expression(argument) for argument in part.arguments), part.span)
            case Application():
                message = f"`{part.name}` is not a function, and an atom stands by itself between the commas of a body"
                raise self._error(message, part.span, did_you_mean(part.name, FUNCTIONS))
            case _Negation():
                return expressions.Not(self.expression(part.operand), part.span)
            case _:
                return cast(Expression, part)


@dataclass(frozen=True)
class _Negation:
    operand: Any
    span: Span


def _first_too_deep(node: Any) -> Any:
    """Returns the first part of a tree, from left to right, that is nested too deeply."""
    pending = [(node, 1)]
    while pending:
        part, depth = pending.pop()
        if depth > MAX_NESTING:
            return part
        pending += [(child, depth + 1) for child in reversed(part.children)] if isinstance(part, Tree) else []
    raise AssertionError("a tree that is nested too deeply has such a part")


def _is_call(application: Application) -> bool:
    """Returns whether this is a function of the model and not an atom, which has a stage."""
    last = application.arguments[-1] if application.arguments else None
    is_stage = (isinstance(last, Variable) and last.name == "J") or (isinstance(last, Application) and last.name == "s")
    return application.name in FUNCTIONS and not is_stage


def _misplaced_stage(span: Span | None) -> ClauseError:
    message = "`J` and `s(J)` are stages: they stand last in an atom and nowhere else"
    hint = "`time(T, s(J))` gives the time of a stage; any other name can be a variable"
    return ClauseError(Diagnostic("DL101", "error", message, span, hint))


def with_stages(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Returns the rules with numbers in the place of stages as stages."""
    temporal = {
        atom.predicate
        for rule in rules
        for atom in (rule.head, *(part.atom if isinstance(part, Not) else part for part in rule.body))
        if isinstance(atom, Atom) and atom.stage is not None
    }

    def staged(atom: Atom) -> Atom:
        match atom:
            case Atom(stage=None, arguments=(*data, Literal(value=int() as value))) if atom.predicate in temporal:
                return atom if isinstance(value, bool) else replace(atom, arguments=tuple(data), stage=value)
            case _:
                return atom

    def staged_part(part: BodyPart) -> BodyPart:
        match part:
            case Atom():
                return staged(part)
            case Not():
                return replace(part, atom=staged(part.atom))
            case _:
                return part

    return tuple(replace(rule, head=staged(rule.head), body=tuple(map(staged_part, rule.body))) for rule in rules)
