"""From a plan to its network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard

from cera.algebra.operators import Construction, Expression, Merging, TemporalJoin, Union, walk
from cera.algebra.plan import Plan
from cera.algebra.recursion_depth import make_room
from cera.algebra.relevance import Relevance
from cera.engines.local.collecting import WindowCollector
from cera.engines.local.connections import Connections, accumulates
from cera.engines.local.deriving import EventDeriver
from cera.engines.local.feeds import compile_alone, compile_feeds, compile_forgetting
from cera.engines.local.heads import Head
from cera.engines.local.network import Network
from cera.engines.local.row_stages import Broadcast, Stage
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.event import STATES
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.rules.analysis.unification import head_label


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
    connections = Connections(plan, relevance, evaluator, recursion_limit, relations)
    for point in plan.points:
        connections.rule = point.name
        if point.result:
            _result(point.expression, connections)
        else:
            connections.settlements, connections.own_stores = (), []
            consumers: list[Stage] = []
            connections.consumers[point.name] = consumers
            connections.connect(point.expression, Broadcast(consumers))
    network = connections.network
    heads = [e for p in plan.results for e in walk(p.expression) if isinstance(e, Construction) and not e.recipient]
    labels = [head_label(construction.head) for construction in heads]
    network.derived_labels = None if None in labels else frozenset(label for label in labels if label)
    network.queried = None if None in connections.queries else frozenset(filter(None, connections.queries))
    _write_feeds(connections)
    return network


def _write_feeds(connections: Connections) -> None:
    """Compiles the patterns to functions, once all that uses them is connected."""
    network = connections.network
    derived, queried = network.derived_labels, network.queried
    for label, queries in connections.queries.items():
        feed = compile_feeds(queries)
        if label is None:
            network.any_label.append(feed)
            continue
        network.by_label[label] = feed
        known = queried is not None and derived is not None and label not in derived
        if known and not network.timers and not label.startswith(STATES):
            network.alone[label] = compile_alone(queries, network, feed)
            forgetting = None if network.any_label else compile_forgetting(queries)
            if forgetting is not None:
                network.forgetting[label] = forgetting


def _result(expression: Expression, connections: Connections) -> None:
    """Connects a rule: the rows of its bodies are gathered, and its head makes events of them."""
    for construction in expression.inputs if isinstance(expression, Union) else (expression,):
        assert isinstance(construction, Construction)
        _construction(construction, connections)


def _construction(construction: Construction, connections: Connections) -> None:
    connections.settlements, connections.own_stores = construction.settlements, []
    _bodies(construction, connections)
    connections.forget_groups()


def _bodies(construction: Construction, connections: Connections) -> None:
    bodies = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
    layout = connections.layout(construction.input)
    recursive = connections.recursive_rule(construction, layout)
    head = Head(construction, layout, connections.evaluator, connections.plan.semantics, recursive)
    deriver = EventDeriver(head, connections.network, one_body=len(bodies) == 1)
    if len(bodies) == 1 and isinstance(bodies[0], Merging) and _collects_last(bodies[0].input):
        operator = bodies[0].input
        collecting = WindowCollector(connections.window(operator), deriver)
        connections.connect_to_slot(operator.left)(connections.slot(collecting))
        return
    # the windows below come first, so that their slots do: slots are finished in their order
    gathering: list[Callable[[int], None]] = []
    for body in bodies:
        assert isinstance(body, Merging)
        gathering.append(connections.connect_to_slot(body.input, layout, one_body=len(bodies) == 1))
    slot = connections.slot(deriver)
    for connect in gathering:
        connect(slot)


def _collects_last(expression: Expression) -> TypeGuard[TemporalJoin]:
    """Returns whether an expression is one window over inputs that do not come from windows."""
    return isinstance(expression, TemporalJoin) and not accumulates(expression.left)
