"""The operators check their schemas on construction, with the papers' restrictions (C-01 to C-08)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cera.algebra.operators import (
    AntiSemiJoin,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    Projection,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.schema import MERGED, STREAM, Schema, SchemaError
from cera.algebra.translation import translate
from cera.model.expressions.constructs import ConstructTerm
from cera.model.expressions.expression import Comparison, EventReference, Literal, Temporal, Variable
from cera.model.matching.patterns import OptionalPattern, Pattern, TermPattern, VariablePattern, Without
from cera.model.time.durations import parse_duration
from cera.program import load
from conformance.asking import FIRE_RULES


def query(label: str, *variables: str) -> TermPattern:
    return TermPattern(label, tuple(VariablePattern(name) for name in variables), total=False)


def matching(identifier: str, *variables: str) -> Matching:
    return Matching(identifier, query("temp", *variables), Stream())


def timed(anchor: str = "n", timer: str = "i", *variables: str) -> Join:
    return Join(
        matching(anchor, *(variables or ("S", "T"))),
        RelativeTimers(timer, "from-end", anchor, parse_duration("12 sec")),
    )


def refused(build: Callable[[], Expression], message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        build()
    assert message in str(caught.value)


def test_C_01_the_matchings_of_the_sensor_program_have_the_schemas_of_figure_2() -> None:
    plan = translate(load(FIRE_RULES).checked())
    matchings = [e for point in plan.points for e in walk(point.expression) if isinstance(e, Matching)]
    assert {m.identifier: str(m.schema) for m in matchings} == {
        "s": "{s.begin, s.end, s.ref, A}",
        "t": "{t.begin, t.end, t.ref, A, T}",
        "n": "{n.begin, n.end, n.ref, S, T}",
        "v": "{v.begin, v.end, v.ref, S}",
        "m": "{m.begin, m.end, m.ref, S}",
        "w": "{w.begin, w.end, w.ref, S, T}",
    }


def test_C_01_the_three_kinds_of_attributes_are_apart() -> None:
    schema = matching("s", "A").schema
    assert schema.data == {"A"}
    assert schema.time_attributes == {"s.begin", "s.end"}
    assert schema.reference_attributes == {"s.ref"}
    assert schema.attributes == {"A", "s.begin", "s.end", "s.ref"}


def test_C_01_only_variables_that_a_match_can_bind_are_attributes() -> None:
    parts: tuple[Pattern, ...] = (
        VariablePattern("A"),
        OptionalPattern(VariablePattern("B")),
        Without(VariablePattern("C")),
    )
    assert Matching("i", TermPattern("x", parts), Stream()).schema.data == {"A", "B"}


def test_C_01_a_matching_takes_events_only() -> None:
    refused(lambda: Matching("j", query("temp"), matching("i")), "its input is no stream")


def test_C_02_a_timer_has_its_own_times_and_the_reference_of_its_anchor() -> None:
    timer = RelativeTimers("i", "from-end", "n", parse_duration("12 sec"))
    assert timer.schema.attributes == {"i.begin", "i.end", "i.ref", "n.ref"}


def test_C_03_a_temporal_join_drops_the_times_and_the_reference_of_the_collected_event() -> None:
    joined = TemporalJoin("i", "w", timed("m", "i", "S"), matching("w", "S", "T"))
    assert joined.schema.attributes == {"m.begin", "m.end", "m.ref", "i.begin", "i.end", "i.ref", "S", "T"}


def test_C_03_the_window_is_an_interval_of_the_left_side() -> None:
    refused(lambda: TemporalJoin("x", "w", timed(), matching("w", "S")), "x is no interval of the left side")


def test_C_03_the_right_side_has_the_times_of_the_collected_event_only() -> None:
    two = Join(matching("w", "S"), matching("u", "S"))
    refused(lambda: TemporalJoin("i", "w", timed(), two), "the right side has the times of w only")  # ERR-11
    refused(lambda: TemporalJoin("i", "x", timed(), matching("w")), "the right side has the times of x only")


def test_C_04_an_anti_semi_join_has_the_schema_of_its_left_side() -> None:
    assert AntiSemiJoin("i", "v", timed(), matching("v", "S", "X")).schema == timed().schema


def test_C_04_an_anti_semi_join_needs_exactly_one_interval_on_its_right() -> None:
    two = Join(matching("v", "S"), matching("u", "S"))
    refused(lambda: AntiSemiJoin("i", "v", timed(), two), "the right side has the times of v only")


def test_C_04_what_a_window_leaves_out_is_an_event_of_its_left_side() -> None:
    refused(lambda: AntiSemiJoin("i", "v", timed(), matching("v"), frozenset({"z"})), "excludes what is no reference")


def test_C_05_merging_puts_one_interval_in_the_place_of_its_own_and_keeps_references() -> None:
    schema = Merging(("n", "i"), timed()).schema
    assert schema.attributes == {"begin", "end", "n.ref", "i.ref", "S", "T"}


def test_C_05_merging_keeps_intervals_that_it_does_not_name() -> None:
    assert Merging(("n",), timed()).schema.intervals == {MERGED, "i"}


def test_C_05_merging_an_interval_that_is_not_there_is_refused() -> None:
    absent = AntiSemiJoin("i", "v", timed(), matching("v", "S"))
    refused(lambda: Merging(("n", "i", "v"), absent), "μ merges v, which its input does not have")  # ERR-03
    refused(lambda: Merging((), timed()), "μ needs at least one interval")


def test_C_06_a_renamed_matching_is_the_other_matching() -> None:
    assert Renaming((("w", "n"),), (), matching("n", "S", "T")).schema == matching("w", "S", "T").schema


def test_C_06_renaming_takes_no_name_that_is_there() -> None:
    refused(lambda: Renaming((("i", "n"),), (), timed()), "the name i is taken")
    refused(lambda: Renaming((), (("T", "S"),), timed()), "the name T is taken")


def test_C_06_renaming_needs_what_it_renames() -> None:
    refused(lambda: Renaming((("w", "x"),), (), timed()), "ρ renames x")
    refused(lambda: Renaming((), (("A", "n"),), timed()), "ρ renames n")  # times do not become data
    refused(lambda: Renaming((("A", "S"),), (), timed()), "ρ renames S")  # nor data times


def test_C_06_times_are_renamed_in_pairs_with_their_reference() -> None:
    assert Renaming((("w", "n"),), (), timed()).schema.attributes == {
        *("w.begin", "w.end", "w.ref", "i.begin", "i.end", "i.ref", "S", "T")
    }


def test_C_07_projection_discards_data() -> None:
    schema = timed().schema
    assert Projection(schema.attributes - {"T"}, timed()).schema.data == {"S"}


@pytest.mark.parametrize("attribute", ["n.begin", "n.end", "n.ref", "i.ref"])
def test_C_07_projection_discards_no_times_and_no_references(attribute: str) -> None:
    kept = timed().schema.attributes - {attribute}
    refused(lambda: Projection(kept, timed()), f"π may discard data only, not {attribute}")


def test_C_07_projection_keeps_only_what_is_there() -> None:
    refused(lambda: Projection(timed().schema.attributes | {"Z"}, timed()), "π keeps Z")


def test_C_07_a_natural_join_keeps_the_times_of_both_sides() -> None:
    joined = Join(matching("s", "A"), matching("t", "A", "T"))
    assert joined.schema == Schema(frozenset("AT"), frozenset("st"), frozenset("st"))


def test_C_07_a_selection_speaks_of_its_input_only() -> None:
    high = Comparison(">", Variable("T"), Literal(40))
    assert Selection(high, matching("t", "T")).schema == matching("t", "T").schema
    refused(lambda: Selection(high, matching("t", "A")), "σ uses T")
    later = Temporal("before", EventReference("s"), EventReference("t"))
    refused(lambda: Selection(later, matching("t")), "σ uses the times of s")


def test_C_08_construction_needs_one_merged_interval_and_gives_a_stream() -> None:
    head = ConstructTerm("fire")
    assert Construction("fire", head, Merging(("n", "i"), timed())).schema == STREAM
    refused(lambda: Construction("fire", head, timed()), "C needs the one interval [begin, end]")
    refused(lambda: Construction("fire", head, Merging(("n",), timed())), "C needs the one interval [begin, end]")


def test_C_08_what_is_constructed_can_be_matched_again() -> None:
    constructed = Construction("fire", ConstructTerm("fire"), Merging(("n", "i"), timed()))
    assert Matching("f", query("fire"), Union((Stream(), constructed))).schema.intervals == {"f"}


def test_the_branches_of_a_union_may_bind_different_variables() -> None:
    branches = (Merging(("s",), matching("s", "A")), Merging(("t",), matching("t", "B")))
    assert Union(branches).schema == Schema(frozenset("AB"), frozenset({MERGED}), frozenset("st"))  # ERR-18


def test_the_branches_of_a_union_have_the_same_times() -> None:
    refused(lambda: Union((matching("s"), matching("t"))), "the same time attributes")
