"""Random event types over recorded events on Spark against the local engine: many modules over one stream in one job.

The local engine is held to the definitions in `test_meta_model`; streams are in `test_meta_model_streaming`.
"""

from __future__ import annotations

from random import Random

import pytest

from cera.engines.layers.layering import Layer, Layers
from cera.engines.running import RunOptions, run_layers
from properties.test_meta_model_streaming import random_modules, stream_of
from properties.test_spark import derivations

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

#: Programs in `make test`: seed, number of modules, whether they are light and the stream is longer.
SHORT = ((0, 25, False), (1, 25, True))

#: Several hundred modules.
LONG = tuple((seed, 12, seed % 2 == 0) for seed in range(100, 150))


def compare(seed: int, count: int, *, light: bool) -> None:
    """A run over the longer stream ends before the stream does."""
    random = Random(seed)
    modules = random_modules(random, count, light=light)
    layers = Layers((Layer(None, tuple(modules)),))
    events = stream_of(random, modules, 60 if light else 11)
    options = RunOptions(until=events[-3].end) if light else RunOptions()
    local = run_layers(layers, events, "local", options)
    assert local.derived
    reference = run_layers(layers, events, "reference", options)
    assert reference == local
    spark = run_layers(layers, [*events, *events[:9]], "spark", options)
    assert derivations(spark.derived) == derivations(local.derived)
    assert spark == local


@pytest.mark.parametrize(("seed", "count", "light"), SHORT)
def test_random_event_types_detect_the_same_on_every_engine(seed: int, count: int, light: bool) -> None:
    compare(seed, count, light=light)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count", "light"), LONG)
def test_hundreds_of_random_event_types_detect_the_same_on_every_engine(seed: int, count: int, light: bool) -> None:
    compare(seed, count, light=light)
