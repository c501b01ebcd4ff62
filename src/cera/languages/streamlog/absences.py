"""What is negated in a conjunction: a literal is absent from its own evaluation time, or from that of its rule.

One that has both is absent from where they overlap: from its own, among what lies in that of the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.demands import AllTime, EventTime, OuterTime, SpanTime
from cera.languages.streamlog.placement import event_conditions, state_conditions
from cera.languages.streamlog.syntax import Literal
from cera.model.expressions.atoms import pattern_of
from cera.rules.rule import Accumulation


@dataclass(frozen=True)
class Absence:
    """A negated literal, where it is absent, and what else it has to lie in to count."""

    literal: Literal
    window: str
    within: str | None


@dataclass(frozen=True)
class Absences:
    """The negated literals of a conjunction in the evaluation time of its rule."""

    body: Body
    time: str | None

    @cached_property
    def found(self) -> tuple[Absence, ...]:
        return tuple(each for literal, own in self.body.negated if (each := self._absence(literal, own)) is not None)

    @property
    def windows(self) -> frozenset[str]:
        """What has to be over before it is known that something did not happen."""
        return frozenset(each.window for each in self.found)

    @property
    def around(self) -> frozenset[str]:
        """The evaluation times that decide what counts."""
        return frozenset(each.within for each in self.found if each.within is not None)

    def add(self) -> None:
        """Adds the absences to the branch."""
        for number, absence in enumerate(self.found):
            self._add(absence, f"#absent{number}{self.body.mark}")

    def _absence(self, literal: Literal, own: str | None) -> Absence | None:
        own = None if own is None or isinstance(self.body.times.get(own), AllTime) else own
        if literal.atom.label in self.body.context.relations:
            hint = "ask for rows that are there"
            self.body.context.refuse("SL311", "a relation cannot be negated", literal.span, hint)
            return None
        if own is None and self.time is None:
            message = "a negated literal needs an evaluation time that is a state, an event, a timer or a window"
            hint = "give it one, like `while i: not p(X)`, or the rule, like `Range 1h:`"
            self.body.context.refuse("SL303", message, literal.span, hint)
            return None
        window = own or self.time
        assert window is not None
        inside = isinstance(self.body.times[window], EventTime) and window in self.body.members
        within = None if own is None or own == self.time or inside else self.time
        return Absence(literal, window, within)

    def _add(self, absence: Absence, element: str) -> None:
        body, literal, window, within = self.body, absence.literal, absence.window, absence.within
        lasting = body.kind(literal) == "state"
        counts = state_conditions if lasting else event_conditions
        conditions = () if within is None else tuple(counts(body, element, within))
        anchors = () if within is None else body.anchors(within)
        made = Accumulation(
            window,
            pattern_of(literal.atom, body.name),
            negated=True,
            conditions=conditions,
            span=literal.span,
            with_anchor=isinstance(body.times[window], SpanTime | OuterTime),
            element=None if within is None else element,
            excluded=tuple(name for name in anchors if self._may_be(name, literal, lasting=lasting)),
        )
        (body.parts.absent_states if lasting else body.parts.absences).append(made)

    def _may_be(self, name: str, literal: Literal, *, lasting: bool) -> bool:
        """Returns whether what an evaluation time is set on might be what is absent: it is not inside."""
        return self.body.is_lasting(name) if lasting else self.body.labels.get(name) == literal.atom.label
