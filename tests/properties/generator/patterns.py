"""Patterns that are likely to match: each is made from the shape of an event, which it generalises.

Children are left out, values become variables or regular expressions, labels become `*`, terms are put under `desc`,
and `without` and `optional` are added. Variables have the name of the place they stand in, so that two patterns of a
body join on `k` more often than not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)

from .choices import Choices
from .shapes import Leaf, Shape

#: The variable of each place; what stands elsewhere is Z.
_VARIABLES = {"k": "K", "v": "V", "u": "U", "w": "W", "x": "X", "y": "Y"}
#: Bound to a child as a whole, and to the term of an event.
CHILD_VARIABLE, TERM_VARIABLE = "C", "T"
#: What `without` asks for when it is to find nothing.
_ABSENT = (Shape("z", (Leaf(1),)), Shape("v", (Leaf("y"),)), Shape("k", (Leaf(3),)))
#: (ordered, total): the brackets of a pattern.
_BRACKETS = ((False, False), (False, False), (False, True), (True, False), (True, True))
_IDENTIFIERS = ("i", "j", "m", "a", "n", "o", "s", "t")


@dataclass
class Names:
    """The names that a rule has used up, and a bound on how many matches it has.

    What `optional` binds must not occur in another pattern (XC207), nor what stands under `without` alone (XC208).
    """

    optional_variables: int = 0
    without_variables: int = 0
    identifiers: int = 0
    matches: int = 1
    in_pattern: set[str] = field(default_factory=set)
    windowed: bool = False
    depth: int = 0

    def start_pattern(self, *, windowed: bool = False) -> None:
        """A new pattern begins; one that is looked for in a window shares fewer of its variables with the others."""
        self.in_pattern.clear()
        self.windowed = windowed

    def variable(self, choices: Choices, place: str) -> str:
        """The variable of the place, or another one if the pattern has that variable already, most of the time.

        Under `without` it is one that the pattern binds outside of it, or one that occurs nowhere else (XC208).
        """
        if self.depth:  # under `without`
            if self.in_pattern and choices.chance(50):
                return choices.one_of(sorted(self.in_pattern))
            self.without_variables += 1
            return f"N{self.without_variables}"
        name = _VARIABLES.get(place, "Z")
        if self.windowed and choices.chance(60):
            name = f"{name}s"
        if name in self.in_pattern and choices.chance(75):
            name = f"{name}2"
        self.in_pattern.add(name)
        return name

    def optional_variable(self) -> str:
        self.optional_variables += 1
        return f"O{self.optional_variables}"

    def identifier(self) -> str:
        self.identifiers += 1
        return _IDENTIFIERS[self.identifiers - 1] if self.identifiers <= len(_IDENTIFIERS) else f"i{self.identifiers}"


def term_pattern(choices: Choices, names: Names, shape: Shape) -> TermPattern:
    """A pattern for terms of this shape."""
    kept = [child for child in shape.children if choices.chance(50 if names.windowed else 75)]
    complete = len(kept) == len(shape.children) and not shape.open
    children = [_child_pattern(choices, names, child, shape.label) for child in kept]
    decorated = names.depth == 0
    if decorated and choices.may("optional", 6):
        children.insert(_place(choices, children), _optional(choices, names, shape))
    if decorated and choices.may("without", 6):
        children.insert(_place(choices, children), _without(choices, names, shape))
    ordered, total = _brackets(choices, shape, complete)
    return TermPattern(shape.label, tuple(children), ordered, total)


def _place(choices: Choices, children: list[Pattern]) -> int:
    return choices.integer(0, len(children))


def _brackets(choices: Choices, shape: Shape, complete: bool) -> tuple[bool, bool]:
    """(ordered, total). Ordered patterns match ordered data; total ones want every child to be asked for."""
    ordered = shape.ordered or len(shape.children) <= 1
    options = [(6, (False, False))]
    if choices.allows("total unordered") and complete:
        options.append((3, (False, True)))
    if choices.allows("partial ordered") and ordered:
        options.append((3, (True, False)))
    if choices.allows("total ordered") and complete and ordered:
        options.append((2, (True, True)))
    return choices.weighted(options)


def _child_pattern(choices: Choices, names: Names, child: Shape | Leaf, place: str) -> Pattern:
    if isinstance(child, Leaf):
        return _leaf_pattern(choices, names, child, place)
    if choices.may("desc", 8):
        return _descendant(choices, names, child)
    if not names.depth and choices.may("whole child", 6):
        return VariablePattern(CHILD_VARIABLE)
    pattern = _relabelled(choices, term_pattern(choices, names, child), (child.label,))
    if not names.depth and choices.may("as", 6):
        inner: Pattern = Descendant(pattern) if choices.may("desc", 8) else pattern
        return VariablePattern(
            CHILD_VARIABLE, VariablePattern(f"{CHILD_VARIABLE}2", inner) if _rarely(choices) else inner
        )
    return pattern


def _descendant(choices: Choices, names: Names, child: Shape) -> Pattern:
    """`desc` of a term or a leaf somewhere in the child."""
    within = choices.one_of(list(_shapes(child)))
    leaves = [leaf for leaf in within.children if isinstance(leaf, Leaf)]
    before = set(names.in_pattern)
    inner: Pattern = term_pattern(choices, names, within)
    if leaves and _rarely(choices):
        names.in_pattern = before  # that pattern is not used, and binds nothing
        inner = _leaf_pattern(choices, names, choices.one_of(leaves), within.label)
    elif not names.depth and choices.may("as", 10):
        inner = VariablePattern(CHILD_VARIABLE, inner)
    return Descendant(Descendant(inner) if _rarely(choices) else inner)


def _rarely(choices: Choices) -> bool:
    return choices.chance(12)


def _leaf_pattern(choices: Choices, names: Names, leaf: Leaf, place: str) -> Pattern:
    """The leaf, or a variable for it, with `as` now and then."""
    inner = _plain_leaf(choices, names, leaf, place)
    if names.depth or not choices.may("as", 4):
        return inner
    name = names.variable(choices, place)
    return inner if isinstance(inner, VariablePattern) and inner.name == name else VariablePattern(name, inner)


def _plain_leaf(choices: Choices, names: Names, leaf: Leaf, place: str) -> Pattern:
    value = leaf.value
    if isinstance(value, str) and choices.may("string regex", 20):
        return RegexPattern(choices.one_of(("[a-zü]+", f"{value or 'y'}?.?", f"y|{value}", ".*")))
    if value is None or choices.chance(85):
        return VariablePattern(names.variable(choices, place))
    return ScalarPattern(value)


def _optional(choices: Choices, names: Names, shape: Shape) -> Pattern:
    """`optional` for a child that may or may not be there; its variables are its own."""
    children = [child for child in shape.children if isinstance(child, Shape)]
    child = choices.one_of([*children, *_ABSENT])
    pattern = TermPattern(child.label, (VariablePattern(names.optional_variable()),), *choices.one_of(_BRACKETS))
    if not (
        choices.allows("total ordered") and choices.allows("total unordered") and choices.allows("partial ordered")
    ):
        pattern = TermPattern(pattern.label, pattern.children, False, False)
    if choices.may("desc", 10):
        return OptionalPattern(Descendant(pattern))
    if choices.may("as", 10):
        return OptionalPattern(VariablePattern(names.optional_variable(), pattern))
    leaves = [leaf for leaf in shape.children if isinstance(leaf, Leaf)]
    if leaves and choices.chance(25):
        return OptionalPattern(_rare_leaf(choices, choices.one_of(leaves), names.optional_variable()))
    return OptionalPattern(pattern)


def _rare_leaf(choices: Choices, leaf: Leaf, variable: str) -> Pattern:
    """A leaf directly under `optional` or `without`."""
    if leaf.value is not None and choices.chance(40):
        return ScalarPattern(leaf.value)
    return RegexPattern("x|y") if choices.may("string regex", 40) else VariablePattern(variable)


def _without(choices: Choices, names: Names, shape: Shape) -> Pattern:
    """`without` for a child that is more likely not to be there."""
    children = [child for child in shape.children if isinstance(child, Shape)]
    child = choices.one_of([*_ABSENT, *children])
    names.depth += 1
    pattern: Pattern = term_pattern(choices, names, child)
    variable = names.variable(choices, "")
    names.depth -= 1
    leaves = [leaf for leaf in shape.children if isinstance(leaf, Leaf)]
    if leaves and choices.chance(25):
        pattern = _rare_leaf(choices, choices.one_of([Leaf("zz"), *leaves]), variable)
    elif choices.may("desc", 10):
        pattern = Descendant(pattern)
    elif choices.may("as", 10):
        pattern = VariablePattern(variable, pattern)
    return Without(pattern)


def _shapes(shape: Shape) -> Iterator[Shape]:
    yield shape
    for child in shape.children:
        if isinstance(child, Shape):
            yield from _shapes(child)


def _relabelled(choices: Choices, pattern: TermPattern, labels: tuple[str, ...]) -> TermPattern:
    return with_label(pattern, loose_label(choices, pattern.label, labels, percent=6))


def with_label(pattern: TermPattern, label: Label) -> TermPattern:
    return TermPattern(label, pattern.children, pattern.ordered, pattern.total)


def loose_label(
    choices: Choices, label: Label, labels: tuple[str, ...], percent: int, *, any_label: bool = True
) -> Label:
    """The label itself, a regular expression that matches exactly `labels` of all there are, or `*`."""
    if any_label and choices.may("any label", percent):
        return AnyLabel()
    if all(name.isalnum() and name.isascii() for name in labels) and choices.may("label regex", percent):
        return RegexLabel("|".join((*labels, "zz")) if choices.chance(50) else f"({'|'.join(labels)})")
    return label
