"""Derived events, and the rows they were derived from; terms, ids and derivations are made when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from cera.algebra.layouts import Row
from cera.codegen.functions import tuple_of
from cera.engines.local.python_source import Cells, SourceWriter
from cera.model.events.event import Derivation, DerivedEvent
from cera.model.events.occurrence import Draft, Occurrence, drafted_occurrence, wrap
from cera.model.events.states import early_answer, early_id
from cera.model.terms.term import Term

if TYPE_CHECKING:
    from cera.engines.local.head_source import HeadSource
    from cera.engines.local.heads import Head


class RuleDetection(ABC):
    """A derived event of a step, with all the ways in which it was derived in it."""

    __slots__ = ("_occurrence", "_rank", "begin", "early", "end", "more")

    begin: int
    end: int
    #: The same event as derived by other rows.
    more: list[RuleDetection] | None
    #: The time at which it was certain, if that was before its end.
    early: int | None
    _occurrence: Occurrence | None
    _rank: int

    @property
    @abstractmethod
    def head(self) -> Head: ...

    @property
    @abstractmethod
    def content(self) -> Draft | Term: ...

    @property
    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """The rows that it was derived from, all of one event trace."""

    @property
    @abstractmethod
    def leading(self) -> Row:
        """A row with the event trace, in the places where its rows have it."""

    @property
    def label(self) -> str:
        return self.content.label if isinstance(self.content, Term) else self.content[0]

    @property
    def leaves(self) -> bool:
        """Whether it is sent away, so that no other rule sees it."""
        return self.head.construction.recipient is not None

    @property
    def rule(self) -> str:
        return self.head.construction.rule

    @property
    def title(self) -> str:
        """What derivations call the rule."""
        return self.head.construction.title

    @property
    def opened(self) -> str | None:
        """The name that it had while its end was not known."""
        return None

    @property
    def bare(self) -> Row:
        """A row with its causes, in the places where its rows have them, and without the events that were gathered."""
        return self.head.without_matches(self.rows[0])

    @property
    def copies(self) -> Sequence[RuleDetection]:
        """The event as each of its derivations made it."""
        return (self,) if self.more is None else (self, *self.more)

    @property
    def rank(self) -> int:
        """The rank of its own derivation, as `Derivation` has it."""
        try:
            return self._rank
        except AttributeError:  # nothing derived with the same interval by the same recursion is behind it
            return 0 if self.head.recursive is None else 1

    @rank.setter
    def rank(self, rank: int) -> None:
        self._rank = rank

    @property
    def identity(self) -> Hashable:
        """A key that is equal for those events of a step that are one event."""
        return (self.begin, self.head.qualifier, _spelled_out(self.content))

    @property
    def occurrence(self) -> Occurrence:
        if self._occurrence is None:
            content, qualifier = self.content, self.head.qualifier
            if isinstance(content, Term):
                self._occurrence = Occurrence(self.begin, self.end, content.label, known=content, qualifier=qualifier)
            else:
                self._occurrence = drafted_occurrence(self.begin, self.end, content, qualifier)
        return self._occurrence

    def result(self) -> DerivedEvent:
        derivations: dict[Any, Derivation] = {}
        for one in self.copies:
            for derivation in one.head.derivations(one.rows, one.rank):
                derivations.setdefault(derivation.key, derivation)  # of groups of one trace, the first one counts
        ordered = tuple(derivations.values())
        if len(ordered) > 1:
            ordered = tuple(sorted(ordered, key=attrgetter("order")))
        completes = tuple(sorted({one.opened for one in self.copies if one.opened is not None}))
        return DerivedEvent(self.occurrence.event, ordered, self.head.construction.recipient, self.early, completes)


class EarlyAnswer(RuleDetection):
    """What an answer over all of a state says before the state has ended: a point event of its own, which lasts up to
    the time at which it was certain.
    """

    __slots__ = ("_answer", "_state")

    def __init__(self, answer: RuleDetection, state: str) -> None:
        self.begin = answer.begin
        self.end = answer.end
        self._answer = answer
        self._state = state
        self.early = self.more = self._occurrence = None

    @property
    def head(self) -> Head:
        return self._answer.head

    @property
    def content(self) -> Term:
        return early_answer(_term(self._answer.content, self.begin, self.end), self.begin, self._state)

    @property
    def rows(self) -> Sequence[Row]:
        return self._answer.rows

    @property
    def leading(self) -> Row:
        return self._answer.leading

    @property
    def copies(self) -> Sequence[RuleDetection]:
        return (self,)


class HeadDetection(RuleDetection):
    """A derived event whose head was computed from rows."""

    __slots__ = ("_content", "_head", "_rows")

    def __init__(self, begin: int, end: int, head: Head, content: Draft | Term, rows: Sequence[Row]) -> None:
        self.begin = begin
        self.end = end
        self._head = head
        self._content = content
        self._rows = rows
        self.early = self.more = self._occurrence = None

    @property
    def head(self) -> Head:
        return self._head

    @property
    def content(self) -> Draft | Term:
        return self._content

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def leading(self) -> Row:
        return self._rows[0]


class CompletedAnswer(HeadDetection):
    """An answer over all of a state that was certain before the state ended, now that it has."""

    __slots__ = ("_state",)

    def __init__(
        self, begin: int, end: int, head: Head, content: Draft | Term, rows: Sequence[Row], state: str
    ) -> None:
        super().__init__(begin, end, head, content, rows)
        self._state = state

    @property
    def opened(self) -> str:
        return early_id(_term(self.content, self.begin, self.end), self.begin, self._state)


@dataclass(frozen=True, eq=False)
class WindowHead:
    """The form in which a generated function stores its results: the names of the values of the head and of the parts
    of the row, and the sources that refer to them. `columns` are those of the collected rows that the row is joined to.
    """

    head: Head
    source: HeadSource
    cells: Cells
    columns: Sequence[int]
    writer: SourceWriter

    @cached_property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.cells.names))

    @cached_property
    def draft_of(self) -> Callable[..., Draft]:
        """The function that makes the draft of the values."""
        made: Callable[..., Draft] = self.writer.lambda_(self.source.values, self.source.draft)
        return made

    @cached_property
    def row_of(self) -> Callable[..., Row]:
        """The function that makes the row of its parts."""
        made: Callable[..., Row] = self.writer.lambda_(self.parts, tuple_of(self.cells.columns))
        return made


class WindowDetection(RuleDetection):
    """A derived event whose head was computed from a row and the rows in its window."""

    __slots__ = ("others", "parts", "values", "window")

    def __init__(
        self,
        begin: int,
        end: int,
        window: WindowHead,
        values: tuple[Any, ...],
        parts: tuple[Any, ...],
        others: list[Row],
    ) -> None:
        self.begin = begin
        self.end = end
        self.window = window
        self.values = values
        self.parts = parts
        self.others = others
        self.early = self.more = self._occurrence = None

    @property
    def head(self) -> Head:
        return self.window.head

    @property
    def content(self) -> Draft:
        return self.window.draft_of(*self.values)

    @property
    def rows(self) -> Sequence[Row]:
        row, columns = self.window.row_of(*self.parts), self.window.columns
        return [(*row, *[other[column] for column in columns]) for other in self.others]

    @property
    def leading(self) -> Row:
        return self.window.row_of(*self.parts)


def _term(content: Draft | Term, begin: int, end: int) -> Term:
    return content if isinstance(content, Term) else drafted_occurrence(begin, end, content, None).term


def _spelled_out(content: Draft | Term) -> Hashable:
    """Returns a draft without terms inside, which is equal for two drafts of the same term."""
    label, ordered, children = (
        (content.label, content.ordered, content.children) if isinstance(content, Term) else content
    )
    return (label, ordered, tuple(_spelled_children(children)))


def _spelled_children(children: Sequence[Any]) -> Iterator[Hashable]:
    for child in children:
        yield _spelled_out(child) if isinstance(child, tuple | Term) else wrap(child)
