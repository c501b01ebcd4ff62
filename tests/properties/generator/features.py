"""The constructs of XChangeEQ by name.

`constructs` counts them in a program, and the generator can be told to leave some of them out: an engine that does not
know recursion yet is tested with `FEATURES - {"recursion"}`. The basic ones are in every program and stay.
"""

from __future__ import annotations

from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.expression import AGGREGATES
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import SYNONYMS, TIMERS

PATTERNS = (
    "total unordered",
    "total ordered",
    "partial ordered",
    "as",
    "desc",
    "without",
    "optional",
    "label regex",
    "string regex",
    "any label",
    "whole child",
    "odd name",
)
BODIES = (
    "anonymous literal",
    "or",
    "nested and",
    "nested or",
    *(f"timer {kind}" for kind in TIMERS),
    "timer chain",
    "calendar months",
    "absolute timer",
    "calendar",
    "timer variable",
    "absence",
    "several absences",
    "collection",
    "several collections",
    "literal where",
    "accumulation where",
    "body where",
)
#: Functions of data and of time; the interval functions that share their names with timers count as one.
FUNCTION_NAMES = tuple(name for name in FUNCTIONS if name not in SYNONYMS)
CONDITIONS = (
    *(f"allen {relation}" for relation in RELATIONS),
    "within",
    "interval function",
    "datetime",
    "datetime interval",
    "periodic",
    "time arithmetic",
    *(f"arithmetic {operator}" for operator in ("+", "-", "*", "/", "mod")),
    "negative",
    *(f"comparison {operator}" for operator in ("=", "!=", "<", "<=", ">", ">=")),
    "not",
    "conjunction",
    "disjunction",
    *(f"function {name}" for name in FUNCTION_NAMES),
)
HEADS = (
    "ordered head",
    "all",
    "nested all",
    "group-by",
    "order-by",
    "order-by desc",
    *(f"aggregate {function}" for function in AGGREGATES),
    *(f"aggregate {function} distinct" for function in AGGREGATES),
    "optional construct",
    "branch variable",
    "default",
    "head arithmetic",
    "head time",
    "raise",
    "raise variable",
)
PROGRAMS = (
    "chain",
    "same head label",
    "derived base label",
    "recursion",
    "semantics practical",
    "semantics formal",
    "source",
)
BASIC = ("event", "partial unordered", "var", "scalar pattern", "and", "duration")

#: Everything that can be switched off.
FEATURES: frozenset[str] = frozenset((*PATTERNS, *BODIES, *CONDITIONS, *HEADS, *PROGRAMS))

#: With relations, whose rows a run has to be given: they are switched on where it is.
RELATIONAL: frozenset[str] = FEATURES | {"relation", "versions"}

#: Rules upon rules with windows, and little else: what strata are about.
STRATIFIED: frozenset[str] = frozenset(
    (
        *("chain", "same head label", "derived base label", "semantics formal", "absence", "several absences"),
        *("collection", "or", "all", "aggregate count", "aggregate sum", "timer extend", "timer extend-begin"),
    )
)
