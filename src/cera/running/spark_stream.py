"""A program over events as they come: its operators, and what Spark has for streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cera.errors import EngineError
from cera.modules.layering import Layers

if TYPE_CHECKING:
    from cera.engines.spark.division.operators import Operator
    from cera.engines.spark.streaming.live import StreamOptions


def require_spark() -> None:
    """Raises EngineError if pyspark is not installed."""
    try:
        import cera.engines.spark.streaming.live  # noqa: F401
    except ImportError as error:
        raise EngineError(f"`cera stream` needs Spark ({error}); install it with: pip install 'cera[spark]'") from error


def stream_operators(
    layers: Layers, timezone: str, options: StreamOptions, acting: frozenset[str], tick_limit: int
) -> tuple[Operator, ...]:
    """Returns the stateful operators of a program. Raises ProgramError for recursive rules.

    `acting` are the rules that want something done, for which the events behind a detection are reported too.
    """
    from cera.engines.spark.division.operators import operators

    return operators(
        layers,
        max_duration=options.max_duration,
        timezone=timezone,
        buckets=options.buckets,
        tick_limit=tick_limit,
        acting=acting,
    )
