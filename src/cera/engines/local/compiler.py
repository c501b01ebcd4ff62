"""From a plan to its network: lowered first, then emitted."""

from __future__ import annotations

from collections.abc import Mapping

from cera.algebra.plan import Plan
from cera.algebra.recursion_depth import make_room
from cera.algebra.relevance import Relevance
from cera.engines.local.emission import Emission
from cera.engines.local.lowering import lower
from cera.engines.local.network import Network
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows


def compile_plan(
    plan: Plan,
    relevance: Relevance,
    evaluator: Evaluator,
    recursion_limit: int = RECURSION_LIMIT,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
) -> Network:
    """Returns the network of a plan; stores keep their rows as long as the relevance says.

    Recursive rules may derive so many events that end at one time. `relations` are the rows that rules look up.
    """
    make_room(plan)
    return Emission(lower(plan, relevance), evaluator, recursion_limit, relations).emit()
