"""What streams remember of event types: it is bounded where later events can use no more of it."""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.state.kernel import Kernel
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.program import Program
from cera.testing import event
from properties.streaming_runs import MicroBatches

BATCHES = 150


def layers_of(name: str, text: str) -> Layers:
    return Program((Source(name, text),)).layers


def kept(layers: Layers, labels: str, *, keys: int) -> tuple[list[int], list[int]]:
    """What is remembered after each micro-batch, and how many bytes that takes; all keys are in one bucket."""
    stream = MicroBatches(operators(layers, buckets=1), 0)
    remembered, sizes = [], []
    for number in range(BATCHES):
        for place, label in enumerate(labels.split()):
            stream.batch([event(f"{label}{{k{{{number % keys}}}, n{{{number}}}}}", 2 * number + place)])
        [store] = stream.stores.values()
        parts = [data for (data,) in store.values.values()]
        sizes.append(sum(map(len, parts)))
        [module] = layers.modules
        kernel = Kernel(module.processor(Settings()))
        remembered.append(sum(kernel.counts(kernel.load(data)).in_state for data in parts))
    return remembered, sizes


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("recent.snoop", "E := recent A ; B", "A B"),
        ("recent.snoop", "E := recent A ; B", "A"),
        ("conjunction.snoop", "E := recent A ∧ B", "A"),
        ("chronicle.snoop", "E := chronicle A ; B", "A B"),
        ("without.snoop", "E := recent NOT(C)[A, B]", "A C"),
        ("without.snoop", "E := recent NOT(C)[A, B]", "A B"),
        ("open.cet", "E := ;(first: A, B) within 20 sec;", "A"),
        ("open.cet", "E := and(cumulative: A, B) within 20 sec;", "A"),
        ("clock.cet", "T := 3 sec after A; E := ;(A, T) within 20 sec;", "A"),
        ("clock.cet", "T := every 2 sec after last A; E := ;(last: shared: A, T);", "A"),
        ("whole.cet", "E := continuous: ;(A, B);", "A B"),
    ],
)
def test_a_history_remembers_what_can_be_used(name: str, text: str, labels: str) -> None:
    remembered, sizes = kept(layers_of(name, text), labels, keys=1)
    assert max(remembered[50:]) <= max(remembered[:50]) <= 40
    assert max(sizes[50:]) <= max(sizes[:50]) + 40


@pytest.mark.parametrize(
    "text",
    [
        "E := ;(first: A, B) within 20 sec;",
        "E := ;(first: A, B) within 20 sec; F := and(E, A) within 30 sec;",
        "T := 3 sec after A; E := ;(A, T, B) within 20 sec;",
        "T := every 2 sec after A until B; E := ;(A, T) within 5 sec;",
        "E := continuous: ;(A, B) within 20 sec;",
        "E := not(A, C, B) within 20 sec;",
    ],
)
def test_keys_that_do_not_come_again_are_forgotten(text: str) -> None:
    """Each key has a history of its own, in which nothing happens any more."""
    labels = "A B" if "until" in text else "A"
    remembered, sizes = kept(layers_of("keys.cet", f"partition by k; {text}"), labels, keys=BATCHES)
    assert max(remembered[50:]) <= max(remembered[:50]) <= 60
    assert max(sizes[50:]) <= max(sizes[:50]) + 100


def test_events_without_the_partition_attribute_are_counted_once() -> None:
    layers = layers_of("keys.cet", "partition by k; E := ;(A, B);")
    stream = MicroBatches(operators(layers, buckets=4), 0)
    for second, text in enumerate(("A{k{1}}", "A{v{1}}", "B{}", "B{k{1}}", "C{}", "D{}")):
        stream.batch([event(text, second)])
    assert sum(state.without_key for state in stream.by_kind.states) == 2
    assert len(stream.by_kind.derived) == 1
