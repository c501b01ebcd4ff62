"""XML: every child of the root is an event."""

from __future__ import annotations

import io

import pytest

from cera.connectors.formats import xml_files
from cera.connectors.records.layout import Layout, Rejected
from cera.wording import on_command_line
from event_reading import EVENTS, happened, places_and_reasons, read

GOOD = '<event at="1"><a>1</a></event>'


@pytest.mark.parametrize(
    ("element", "event"),
    [
        ('<event begin="60" end="63"><temp><v>40</v></temp></event>', happened("temp[v{40}]", 60, 63)),
        ('<event at="1970-01-01T00:01:00Z">\n <temp>40</temp>\n</event>', happened("temp{40}", 60)),
        ('<event at="60" id="007"><a/></event>', happened("a{}", 60, qualifier="007")),
        ('<event xmlns="urn:x" at="60"><a/></event>', happened('"{urn:x}a"{}', 60)),
    ],
)
def test_an_event_element_is_read(element: str, event: object) -> None:
    assert read(xml_files.read, f"<events>\n{element}\n</events>") == [event]


def test_text_has_no_types_if_the_layout_says_so_but_times_are_times() -> None:
    assert read(xml_files.read, f"<e>{GOOD}</e>", Layout(xml_types="string")) == [happened('a{"1"}', 1)]


@pytest.mark.parametrize("inside", ["<a><n>{}</n></a>", '<a n="{}"/>', "<n>{}</n>", "<n>x<b/>{}</n>"])
def test_a_number_too_large_costs_its_own_event_only(inside: str) -> None:
    bad = f'<event at="2">{inside.format("9" * 20)}</event>'
    first, second, third = read(xml_files.read, f"<e>\n{GOOD}\n{bad}\n{GOOD}</e>")
    assert first == third == happened("a{1}", 1)
    assert isinstance(second, Rejected)
    assert second.place == "f:3"
    assert on_command_line(second.reason) == (
        "in `n`: the number 99999999999999999999 is too large: integers have 64 bits; if it is a text and not a number,"
        " give --string-field n or --xml-types string"
    )


@pytest.mark.parametrize("layout", [Layout(xml_types="string"), Layout(string_fields=frozenset({"n"}))])
def test_a_text_that_looks_like_a_number_too_large_is_read_where_it_is_said_to_be_one(layout: Layout) -> None:
    content = '<e><event at="1"><a><n>99999999999999999999</n><n n="1">2</n></a></event></e>'
    assert read(xml_files.read, content, layout) == [
        happened('a[n{"99999999999999999999"}, n[@n{"1"}, "2"]]', 1),
    ]


@pytest.mark.parametrize("content", ["", " \n", "\ufeff", "<events/>", "<events>\n<!-- none --></events>"])
def test_a_file_without_elements_has_no_events(content: str) -> None:
    assert read(xml_files.read, content) == []


FLAT = Layout(time_field="ts")


@pytest.mark.parametrize(
    ("layout", "element", "event"),
    [
        (FLAT, '<temp ts="60"><area>a</area></temp>', happened('temp[area{"a"}]', 60)),
        (FLAT, "<temp>\n<ts>60</ts>\n<area>a</area>\n</temp>", happened('temp[area{"a"}]', 60)),
        (FLAT, '<temp ts="60">40</temp>', happened("temp{40}", 60)),
        (FLAT, "<temp>\n<ts>60</ts>\n</temp>", happened("temp{}", 60)),
        (FLAT, '<temp ts="60" s="1"/>', happened("temp[@s{1}]", 60)),
        (FLAT, '<temp ts="60" id="7"/>', happened("temp[@id{7}]", 60)),
        (FLAT, '<event ts="60"><a/></event>', happened("event[a]", 60)),
        (FLAT, GOOD, happened("a{1}", 1)),
        (Layout(time_field="ts", id_field="id"), '<t ts="60" id="7"/>', happened("t{}", 60, qualifier="7")),
        (Layout(time_field="ts", end_field="te"), '<t ts="60"><te>63</te></t>', happened("t{}", 60, 63)),
        (Layout(label="x"), '<t at="60"><b/></t>', happened("x[b]", 60)),
        (Layout(label_field="kind"), '<t at="60" kind="x"><b/></t>', happened("x[b]", 60)),
        (Layout(label_field="kind"), "<t><kind>x</kind><begin>60</begin><end>63</end></t>", happened("x{}", 60, 63)),
    ],
)
def test_any_element_is_an_event_with_a_layout(layout: Layout, element: str, event: object) -> None:
    assert read(xml_files.read, f"<r>{element}</r>", layout) == [event]


@pytest.mark.parametrize(
    ("layout", "element", "reason"),
    [
        (EVENTS, "<temp/>", "unknown field layout: found <temp>; expected <event begin="),
        (EVENTS, '<event at="1" x="2"><a/></event>', "unknown field layout: found <event at x>"),
        (EVENTS, '<event at="1"/>', "one element inside, its term; found nothing"),
        (EVENTS, '<event at="1"><a/><b/></event>', "one element inside, its term; found 2"),
        (EVENTS, '<event at="1">text</event>', "one element inside"),
        (EVENTS, "<event><a/></event>", "the time is missing"),
        (EVENTS, '<event begin="2" end="1"><a/></event>', "the end lies before the begin"),
        (EVENTS, '<event at="soon"><a/></event>', "in the field `at`: 'soon' is not a time"),
        (EVENTS, f'<event at="1">{"<a>" * 200}{"</a>" * 200}</event>', "nested deeper than 100 levels"),
        (EVENTS, "stray text", "text outside of any event"),
        (FLAT, "<temp/>", "the time is missing: there is no field `ts`"),
        (FLAT, '<temp ts="1"><ts>2</ts></temp>', "the field `ts` is given more than once"),
        (FLAT, "<temp><ts><x/></ts></temp>", "the field `ts` is to be a text, found <ts><x/></ts>"),
        (Layout(label_field="kind"), '<t at="60"/>', "there is no attribute or element `kind`"),
    ],
)
def test_a_bad_element_is_rejected_at_its_line_and_the_rest_goes_on(layout: Layout, element: str, reason: str) -> None:
    first, bad, last = read(xml_files.read, f'<r>\n<event at="1"><a>1</a></event>\n{element}\n{GOOD}</r>', layout)
    assert first == last == happened("a{1}", 1)
    assert isinstance(bad, Rejected)
    assert bad.place == "f:3"
    assert reason in bad.reason
    assert bad.text[:6] == element[:6]
    assert len(bad.text) <= 500


@pytest.mark.parametrize(
    ("rest", "line", "unread_from", "reason"),
    [
        ('<event at="2">\n<a>\n</event></r>', 5, 3, "not well-formed XML at line 5, column 3: mismatched tag"),
        ("", 3, 3, "no element found"),
        ("</s>", 3, 3, "mismatched tag"),
        ("&x;</r>", 3, 3, "undefined entity"),
    ],
)
def test_what_stands_before_a_break_is_kept_and_one_rejection_says_where_it_is(
    rest: str, line: int, unread_from: int, reason: str
) -> None:
    event, broken = read(xml_files.read, f"<r>\n{GOOD}\n{rest}")
    assert event == happened("a{1}", 1)
    assert isinstance(broken, Rejected)
    assert broken.place == f"f:{line}"
    assert reason in broken.reason
    assert broken.reason.endswith(f"nothing from line {unread_from} on was read")


def test_a_file_with_a_document_type_declaration_is_rejected_as_a_whole() -> None:
    content = f'<!DOCTYPE r [<!ENTITY x "y">]>\n<r>{GOOD}</r>'
    [(place, reason)] = places_and_reasons(read(xml_files.read, content))
    assert place == "f:1"
    assert "document type declaration" in reason


def test_a_file_is_not_read_further_than_asked() -> None:
    content = "<r>" + GOOD * 200_000 + "</r>"
    stream = io.BytesIO(content.encode())
    found = xml_files.read(stream, "f", EVENTS)
    assert next(found) == happened("a{1}", 1)
    assert stream.tell() < 1_000_000 < len(content)
