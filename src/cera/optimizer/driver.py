"""The passes in their order, and the driver that distrusts them: after each, the plan is checked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from cera.algebra.invariants import InvariantError, check_results, check_shape
from cera.algebra.plan import Plan
from cera.algebra.schema import SchemaError
from cera.errors import EngineError, UsageError
from cera.model.events.rates import Rates
from cera.optimizer.materialize import materialize
from cera.optimizer.order_joins import order_joins
from cera.optimizer.push_projections import push_projections
from cera.optimizer.push_selections import push_selections
from cera.optimizer.serve_joins import serve_joins
from cera.optimizer.share_subexpressions import share_subexpressions


@dataclass(frozen=True)
class Pass:
    """A rewriting of plans that keeps the answers; it returns the same object where there is nothing to do."""

    name: str
    rewrite: Callable[[Plan], Plan]


PASSES = (
    Pass("push-selections", push_selections),
    Pass("push-projections", push_projections),
    Pass("serve-joins", serve_joins),
    Pass("share-subexpressions", share_subexpressions),
    Pass("materialize", materialize),
    Pass("order-joins", order_joins),
)


class OptimizerError(EngineError):
    """A pass made a malformed plan. This is a mistake in cera, not in the program."""


@dataclass(frozen=True)
class OptimizedPlan:
    """The plan, and the names of the passes that changed it."""

    plan: Plan
    applied: tuple[str, ...] = ()


def passes_for(rates: Rates | None) -> tuple[Pass, ...]:
    """Returns the passes: joins are ordered by rates of events, if these are known."""
    if rates is None:
        return PASSES
    return tuple(
        Pass(each.name, partial(order_joins, rates=rates)) if each.rewrite is order_joins else each for each in PASSES
    )


def optimize(plan: Plan, without: Collection[str] = (), rates: Rates | None = None) -> Plan:
    """Returns the plan after all passes but those switched off by name."""
    return optimized(plan, without, passes_for(rates)).plan


def optimized(plan: Plan, without: Collection[str] = (), passes: Collection[Pass] = PASSES) -> OptimizedPlan:
    unknown = set(without) - {each.name for each in passes}
    if unknown:
        there = ", ".join(each.name for each in passes)
        raise UsageError(f"there is no pass '{min(unknown)}' of the optimizer; there are: {there}")
    applied = []
    for each in passes:
        if each.name not in without:
            changed = _run(each, plan)
            if changed is not plan:
                applied.append(each.name)
            plan = changed
    return OptimizedPlan(plan, tuple(applied))


def _run(each: Pass, plan: Plan) -> Plan:
    try:
        changed = each.rewrite(plan)
        if changed is not plan:
            check_results(changed, plan)
            check_shape(changed)
    except (SchemaError, InvariantError) as error:
        raise OptimizerError(
            f"the pass '{each.name}' of the optimizer made a wrong plan: {error}; this is a mistake in cera, "
            "not in the program: please report it with the program"
        ) from error
    return changed
