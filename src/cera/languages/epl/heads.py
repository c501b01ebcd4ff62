"""The children of detected events: each has a name of its own (EP402)."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Note
from cera.languages.epl.printer import name_text, print_condition
from cera.languages.epl.syntax import Rule
from cera.languages.text.nodes import Field
from cera.model.expressions.expression import Variable


def check_head(rule: Rule) -> Iterator[Diagnostic]:
    """Others see a child by its name only, and would see none of two."""
    first: dict[str, Field] = {}
    for field in () if rule.head is None else rule.head.fields:
        before = first.setdefault(field.name, field)
        if before is not field:
            note = Note("here is the first", before.span)
            message = f"two children are called `{field.name}`"
            yield Diagnostic("EP402", "error", message, field.span, _hint(before, field), (note,))


def _hint(one: Field, other: Field) -> str:
    if one.expression == other.expression:
        return "leave one of them out"
    match one.expression, other.expression:
        case Variable(name=first), Variable(name=second) if _owner(first) != _owner(second):
            names = (f"{_owner(name)}_{one.name}" for name in (first, second))
            values = map(print_condition, (one.expression, other.expression))
            fields = (f"{name_text(name)}: {value}" for name, value in zip(names, values, strict=True))
            return f"give each a name of its own: `{', '.join(fields)}`"
        case _:
            return "give one of them another name"


def _owner(name: str) -> str:
    return name.partition(".")[0]
