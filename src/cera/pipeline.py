"""The flow of a program on one screen.

    sources ──parse, name, compile──▶ modules ──▶ layers ──▶ engine ──▶ derived events
              each in its language

What is wrong at any stage is a diagnostic. A program is one or several files; the language of each follows from its
ending. Modules see what others derive: what sees it lies in a higher layer. `program` has what users do with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from cera.algebra.unbounded_state import check_durations, check_state
from cera.automata.module import AutomatonModule
from cera.constraints.clause import Clause
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import Supposition, supposed
from cera.constraints.derivation.program import clauses_of
from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.state_warnings import check_constraint_state
from cera.constraints.unknown_states import unknown_states
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.engines.spark.division.undivided import check_division
from cera.errors import ProgramError
from cera.languages.programs import CompiledProgram, Modules, NamedModules, compile_program, name_modules
from cera.languages.protocol.results import CompileOptions
from cera.languages.registry import Recognition, recognize
from cera.model.calendars.calendar_files import Calendar
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.events.rates import Rates
from cera.modules.expectations import Expectations, expectations_of
from cera.modules.layering import Layers, layered
from cera.modules.module import known
from cera.optimizer.semantic.choice import Choice, choose
from cera.optimizer.semantic.driver import Knowledge, RewrittenProgram, knowledge_of, rewrite, unused
from cera.optimizer.semantic.estimates import CostModel
from cera.optimizer.semantic.partial_values import PartialValues, partial_values
from cera.rules.checks.check import check
from cera.rules.rule import RuleProgram, Semantics


@dataclass(frozen=True)
class Pipeline:
    """The sources of a program, and every stage up to the layers that an engine runs. Wrong programs are values too."""

    sources: tuple[Source, ...]
    semantics: Semantics | None = None
    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()
    #: The names of the modules that run; all if it is None.
    enabled: frozenset[str] | None = None
    #: How many events of a rule or a type one event may end; None is the usual limit.
    answer_limit: int | None = None
    #: Where events come from, for constraints about places.
    locations: Locations = NO_LOCATIONS
    #: Constraints that the stream is trusted to satisfy: they rewrite rules.
    trusted: tuple[Source, ...] = ()
    #: Whether these are verified instead of trusted: the rules run as they are, and violations are derived beside them.
    verifying: bool = False
    #: The names of laws of the semantic optimizer that are not used.
    without_laws: frozenset[str] = frozenset()
    #: What is supposed of the stream besides that automata among the constraints accept it.
    supposing: frozenset[Supposition] = frozenset()
    #: How often events come, for estimates of costs; no answer depends on it.
    rates: Rates | None = None
    #: What the semantic optimizer chooses by; None uses all laws that apply.
    cost: CostModel | None = None

    @cached_property
    def recognitions(self) -> tuple[Recognition, ...]:
        """The sources, each read once in its language."""
        return tuple(map(recognize, self.sources))

    @cached_property
    def _named(self) -> NamedModules:
        return name_modules(self.recognitions)

    @property
    def module_names(self) -> tuple[str, ...]:
        """The names of all modules, whether they run or not."""
        return self._named.names

    @cached_property
    def _compiled(self) -> CompiledProgram:
        options = CompileOptions(self.timezone, self.calendars, self.semantics, self.locations)
        return compile_program(self._named, options, self.enabled)

    @property
    def modules(self) -> Modules:
        """The modules that run, and what there is to say about them."""
        return self._compiled.modules

    @cached_property
    def rules(self) -> RuleProgram:
        """The normalised rules, of which a wrong program may lack some."""
        derived = known(label for each in self.modules.found for label in each.module.derives)
        limit = ANSWER_LIMIT if self.answer_limit is None else self.answer_limit
        return replace(self._compiled.rules.program, from_modules=tuple(derived), answer_limit=limit, rates=self.rates)

    @cached_property
    def _knowledge(self) -> Knowledge:
        modules = [each.module for each in self._trusted.modules.found]
        derived = ConstraintModule("automata", self._derived)
        return knowledge_of([*modules, derived] if self._derived else modules)

    @cached_property
    def _derived(self) -> tuple[Clause, ...]:
        """The clauses that follow from the automata among the constraints."""
        found = [each for one in self.trusted_automata for each in of_automaton(one.automaton)]
        return tuple(clauses_of(supposed(found, self.supposing)))

    @property
    def trusted_automata(self) -> list[AutomatonModule]:
        """The automata that the stream is trusted to be accepted by."""
        return [each.module for each in self._trusted.modules.found if isinstance(each.module, AutomatonModule)]

    @cached_property
    def rewritten(self) -> RewrittenProgram:
        """The rules as constraints have rewritten them, with what became of each."""
        return self._chosen[0]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What was chosen for each rule, with estimated costs; empty unless there are rates or a model."""
        return self._chosen[1]

    @cached_property
    def _chosen(self) -> tuple[RewrittenProgram, tuple[Choice, ...]]:
        if self.rates is None and self.cost is None:
            return rewrite(self.rules, self._knowledge, without=self.without_laws), ()
        return choose(self.rules, self._knowledge, self.rates, self.cost, without=self.without_laws)

    @property
    def unused_constraints(self) -> list[Clause]:
        """The clauses that are written down, and no law could use."""
        derived = {id(clause) for clause in self._derived}
        return [each for each in unused(self._knowledge, self.rewritten.rules) if id(each) not in derived]

    @property
    def partial_values(self) -> list[PartialValues]:
        """The rules of which constraints say nothing, because they ask for attributes that may have several values."""
        return list(partial_values(self.rules, self._knowledge, without=self.without_laws))

    @property
    def derives_constraints(self) -> bool:
        """Whether something follows from the automata among the constraints."""
        return bool(self._derived)

    @property
    def running_rules(self) -> RuleProgram:
        """The rules that run: those of the program, or what constraints make of them."""
        return self.rewritten.program if self.trusted and not self.verifying else self.rules

    @property
    def ruled_out(self) -> frozenset[str]:
        """The labels of events that rules derive, and constraints leave none of these rules."""
        return frozenset() if self.running_rules is self.rules else self.rewritten.ruled_out

    @cached_property
    def _trusted(self) -> Pipeline:
        return Pipeline(self.trusted, timezone=self.timezone, locations=self.locations)

    @property
    def read_by_rules(self) -> frozenset[str | None]:
        """The labels of the events that rules ask for; None for any."""
        return self._compiled.rules.reads

    @property
    def constraint_modules(self) -> list[ConstraintModule]:
        """The constraints that are trusted or verified, file by file."""
        return [each.module for each in self._trusted.modules.found if isinstance(each.module, ConstraintModule)]

    @cached_property
    def _layered(self) -> tuple[Layers, tuple[Diagnostic, ...]]:
        modules = [each.module for each in self.modules.found]
        if self.verifying:
            modules += [each.module for each in self._trusted.modules.found if each.module not in modules]
        if self.answer_limit is not None:
            modules = [each.limited(self.answer_limit) for each in modules]
        rules = replace(self._compiled.rules, program=self.running_rules)
        return layered([rules, *modules])

    @property
    def layers(self) -> Layers:
        """Rules and modules of a program without errors, in the order in which they see each other's events."""
        self.checked()
        return self._layered[0]

    @cached_property
    def expectations(self) -> Expectations:
        """What a program without errors expects of its input."""
        return expectations_of(self.layers)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        found = list(self._compiled.rule_diagnostics)
        wrong_modules = self.modules.of("error")
        if not found:  # what is not well-formed is not judged further: it would only produce follow-up errors
            found += [each for each in check(self.rules) if each.severity == "error" or not wrong_modules]
        found += self.modules.findings
        if self.trusted:
            found += self._trusted.diagnostics
        if not any(each.severity == "error" for each in found):
            found += self._layered[1]
            found += unknown_states([self._compiled.rules, *(each.module for each in self.modules.found)])
        return tuple(in_source_order(found))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity == "error")

    @cached_property
    def state_warnings(self) -> tuple[Diagnostic, ...]:
        """Where what must be remembered grows with the stream; of no interest on a recorded one."""
        if self.errors:
            return ()
        constraints = check_constraint_state(each.module for each in self.modules.found)
        return (*check_state(self.running_rules), *constraints, *self.modules.state_warnings)

    @cached_property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is good to know about how the program will run on a stream: how it is divided, and what it remembers."""
        if self.errors:
            return ()
        return (*check_division(self.rules), *check_durations(self.rules), *self.modules.of("note"))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Every error and warning, in source order."""
        return tuple(in_source_order([*self.diagnostics, *self.state_warnings]))

    def checked(self) -> RuleProgram:
        """Returns the rules of a program without errors; raises ProgramError otherwise."""
        if self.errors:
            raise ProgramError(self.errors)
        return self.rules
