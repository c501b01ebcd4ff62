"""The local engine inside Spark's state store: kernels as stateful processors of `transformWithState`, layer by layer.

Spark calls the methods by keyword, which is why their parameters have the names they have.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)

from cera.engines.spark.division.operators import Operator, may_repeat
from cera.engines.spark.division.operators_in_columns import columns_plan
from cera.engines.spark.division.routing import Destination, DividedEventError, Router
from cera.engines.spark.streaming.messages.action_requests import action_requests
from cera.engines.spark.streaming.messages.messages import (
    OUTPUT,
    SCHEMA,
    EventCopy,
    LatePolicy,
    pack_events,
    pack_results,
    unpack_results,
)
from cera.engines.spark.streaming.messages.packing import rejection
from cera.engines.spark.streaming.messages.stage_results import (
    DerivedResult,
    LateEvent,
    Result,
    StateReport,
    VersionReport,
    by_kind,
    derivation_key,
    event_fields,
    first_derivations,
)
from cera.engines.spark.streaming.messages.worker_memory import settle
from cera.engines.spark.streaming.results.column_results import derived_events, derived_results, packed_blocks
from cera.engines.spark.streaming.results.compact import Compactor, Shape
from cera.engines.spark.streaming.state.columns_kernel import ColumnsKernel, ColumnsOutcome, ColumnsPart
from cera.engines.spark.streaming.state.kernel import Kernel, Part
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import is_early_answer, is_internal
from cera.model.terms.json_terms import term_text
from cera.modules.processor import Detection
from cera.wording import keeping_marks

if TYPE_CHECKING:
    import pandas as pd

Message = tuple[str, int, bytes]

_MILLISECOND = 1_000

#: Compiled once in each Python worker, which may serve one stream after the other.
_KEPT = 100
_KERNELS: dict[tuple[str, str, bool], Kernel | ColumnsKernel] = {}


class Layer(StatefulProcessor):
    """The operators of one layer. Messages for others pass through."""

    def __init__(
        self,
        operators: Sequence[Operator],
        later: Sequence[Operator],
        *,
        by_id: int = 0,
        shapes: Sequence[Shape] = (),
    ) -> None:
        self._operators = {operator.identity: operator for operator in operators}
        self._later = tuple(later)
        self._by_id = by_id
        self._shapes = tuple(shapes)

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._value: ValueState = handle.getValueState("part", "data binary")
        self._router = Router(self._later)
        self._compactor = Compactor(self._shapes)

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        name, bucket = key
        payloads = [payload for frame in rows for payload in frame["payload"].tolist()]
        if name not in self._operators:
            yield _frame([(name, bucket, payload) for payload in payloads])
            return
        yield from self._advance(name, bucket, payloads, timerValues, None)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        name, bucket = key
        if name in self._operators:
            yield from self._advance(name, bucket, (), timerValues, expiredTimerInfo.getExpiryTimeInMs())
        else:  # an operator that the program no longer has
            self._value.clear()

    def close(self) -> None:
        settle()

    def _advance(
        self,
        name: str,
        bucket: int,
        payloads: Sequence[bytes],
        times: TimerValues,
        expired: int | None,
    ) -> Iterator[pd.DataFrame]:
        gc.disable()  # very many objects are made, none of them in cycles
        try:
            with keeping_marks():
                yield self._advanced(name, bucket, payloads, times, expired)
        finally:
            gc.enable()

    def _advanced(
        self, name: str, bucket: int, payloads: Sequence[bytes], times: TimerValues, expired: int | None
    ) -> pd.DataFrame:
        kernel: Any = _kernel(self._operators[name])
        stored = self._value.get()
        part = kernel.load(None if stored is None else stored[0])
        before = kernel.counts(part)
        outcome = kernel.advance(part, payloads, times.getCurrentWatermarkInMs() * _MILLISECOND)
        results: list[Result] = [LateEvent(event_fields(event)) for event in outcome.late]
        messages = self._messages(bucket, outcome.derived, results)
        if isinstance(outcome, ColumnsOutcome):
            messages += self._column_messages(bucket, outcome, results)
        results += action_requests(self._operators[name], outcome.derived)
        now = kernel.counts(part)
        missing, without_key = now.undefined - before.undefined, now.left_out - before.left_out
        results.append(StateReport(name, bucket, now.in_state, missing, without_key, outcome.repaired))
        results += [VersionReport(*each) for each in outcome.replaced]
        self._set_timer(part, outcome.wake_at, expired)
        data = kernel.save(part)
        if data is not None:
            self._value.update((data,))
        elif stored is not None:
            self._value.clear()
        return _frame([*messages, (OUTPUT, bucket, pack_results(results))])

    def _set_timer(self, part: Part | ColumnsPart, wake_at: int | None, expired: int | None) -> None:
        """Sets a timer; a time is decided when the watermark, which counts milliseconds, lies behind it."""
        timer = None if wake_at is None else wake_at // _MILLISECOND + 1
        if part.timer is not None and part.timer != timer and part.timer != expired:
            self._handle.deleteTimer(part.timer)
        if timer is not None and part.timer != timer:
            self._handle.registerTimer(timer)
        part.timer = timer

    def _messages(self, bucket: int, derived: Sequence[Detection], results: list[Result]) -> list[Message]:
        """Returns the derived events as results, and as messages to the operators that query them.

        Those that belong to several parts of the stream at once are not sent, which is one of the `results`.
        """
        onward = self._onward(
            (one.occurrence for one in derived if not one.leaves and not is_early_answer(one.label)), results
        )
        if self._shapes:  # what goes to a DataFrame has ended
            ended = [one for one in derived if not is_early_answer(one.label)]
            compact, others = self._compactor.take(ended)
        else:
            compact, others = [], derived
        found = (_result(one) for one in others if not is_internal(one.label) or is_early_answer(one.label))
        return [*((OUTPUT, bucket, payload) for payload in compact), *self._placed(bucket, found), *onward]

    def _column_messages(self, bucket: int, outcome: ColumnsOutcome, results: list[Result]) -> list[Message]:
        """Returns the same for derived events in columns."""
        shaped = {shape.rule for shape in self._shapes}
        strings = outcome.strings
        found = (
            result
            for block in outcome.blocks
            if block.rule not in shaped and not is_internal(block.label)
            for result in derived_results(block, strings)
        )
        events = (event for block in outcome.blocks if self._later for event in derived_events(block, strings))
        compact = packed_blocks(outcome.blocks, self._shapes, strings)
        onward = self._onward(events, results)
        return [*((OUTPUT, bucket, payload) for payload in compact), *self._placed(bucket, found), *onward]

    def _onward(self, derived: Iterable[Occurrence], results: list[Result]) -> Iterator[Message]:
        """Yields derived events as messages to the operators that query them."""
        onward: dict[Destination, list[EventCopy]] = {}
        for event in derived if self._later else ():
            try:
                for destination in self._router.destinations(event):
                    onward.setdefault(destination, []).append((event, LatePolicy.TAKE))
            except DividedEventError as error:
                results.append(rejection(event, str(error)))
        for to, some in onward.items():
            yield to.operator, to.bucket, pack_events(some)

    def _placed(self, bucket: int, derived: Iterable[DerivedResult]) -> Iterator[Message]:
        """Yields results, those of one event in one place if several parts may derive it."""
        found: dict[int, list[Result]] = {}
        for result in derived:
            place = int(result.id[:8], 16) % self._by_id if self._by_id else bucket
            found.setdefault(place, []).append(result)
        for place, some in found.items():
            yield OUTPUT, place, pack_results(some)


class Distinct(StatefulProcessor):
    """Stage that drops events derived in another part already. All copies come in the same micro-batch."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        pass

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        payloads = [payload for frame in rows for payload in frame["payload"].tolist()]
        found = by_kind(result for payload in payloads for result in unpack_results(payload))
        others: list[Result] = [*found.late, *found.rejected, *found.actions, *found.states, *found.versions]
        yield _frame([(OUTPUT, key[1], pack_results([*first_derivations(found.derived), *others]))])

    def close(self) -> None:
        pass


def _kernel(operator: Operator) -> Kernel | ColumnsKernel:
    key = operator.identity, operator.rows_identity, operator.in_columns
    kernel = _KERNELS.get(key)
    if kernel is None:
        if len(_KERNELS) >= _KEPT:
            _KERNELS.clear()
        kernel = _KERNELS[key] = _new_kernel(operator)
    return kernel


def _new_kernel(operator: Operator) -> Kernel | ColumnsKernel:
    plan = columns_plan(operator)
    if isinstance(plan, str):
        return Kernel(operator.processor(), operator.relations)
    return ColumnsKernel(plan, lambda: Kernel(operator.processor(), operator.relations), starts=operator.in_columns)


def _result(derived: Detection) -> DerivedResult:
    found = derived.result()
    event, first = found.event, found.derivations[0]
    causes = {name: cause.id for name, cause in first.causes.items()}
    return DerivedResult(
        event.id,
        event.begin,
        event.end,
        event.label,
        term_text(event.term),
        first.rule,
        json.dumps(causes, ensure_ascii=False),
        found.recipient.address if found.recipient else None,
        found.recipient.transport if found.recipient else None,
        derivation_key(first),
        found.early,
        json.dumps(found.completes) if found.completes else None,
    )


def _frame(messages: Sequence[Message]) -> pd.DataFrame:
    """Makes a pandas frame of messages, in columns of Arrow, which Spark takes as they are."""
    import pandas as pd  # the process that Spark starts for every query, to ask for its state, makes no frames

    operators, buckets, payloads = zip(*messages, strict=True) if messages else ((), (), ())
    columns = {
        "operator": pa.array(operators, pa.string()),
        "bucket": pa.array(buckets, pa.int32()),
        "payload": pa.array(payloads, pa.binary()),
    }
    return pd.DataFrame({name: pd.arrays.ArrowExtensionArray(column) for name, column in columns.items()})


def results(
    messages: DataFrame, operators: Sequence[Operator], *, distinct: bool = True, shapes: Sequence[Shape] = ()
) -> DataFrame:
    """Sends the messages of a stream through the layers of operators; returns messages that are results.

    With `distinct`, an event that several parts derive comes out once. Events of the `shapes` come out as columns.
    """
    by_id = max(operator.buckets for operator in operators) if distinct and may_repeat(operators) else 0
    flow = messages
    for number in sorted({operator.layer for operator in operators}):
        here = [operator for operator in operators if operator.layer == number]
        later = [operator for operator in operators if operator.layer > number]
        flow = flow.groupBy("operator", "bucket").transformWithStateInPandas(
            Layer(here, later, by_id=by_id, shapes=shapes), SCHEMA, "append", "eventTime"
        )
    if by_id:
        flow = flow.groupBy("operator", "bucket").transformWithStateInPandas(Distinct(), SCHEMA, "append", "none")
    return flow
