"""Terms as XML: read without trust, written without loss or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.terms.term import MAX_DEPTH, Term, TermError, Value
from cera.model.terms.term_text import parse_term
from cera.model.terms.xml_elements import Element, StrayText, XmlError, elements
from cera.model.terms.xml_terms import Types, term_from_xml, term_to_xml
from term_strategies import SCALARS, terms

FIG_1 = """
<order>
  <orderId>4711</orderId>
  <customer>John</customer>
  <buy>
    <stock>IBM</stock>
    <limit>3.14</limit>
    <volume>4000</volume>
  </buy> </order>
""".strip()
FIG_1_TERM = 'order[orderId{4711}, customer{"John"}, buy[stock{"IBM"}, limit{3.14}, volume{4000}]]'


def term(text: str) -> Term:
    value = parse_term(text)
    assert isinstance(value, Term)
    return value


def test_X_01_the_order_of_fig_1_is_read_and_survives_the_round_trip() -> None:
    order = term_from_xml(FIG_1)
    assert order == term(FIG_1_TERM)
    assert term_from_xml(term_to_xml(order)) == order
    assert term_to_xml(order) == FIG_1.replace("\n", "").replace("  ", "").replace("> <", "><")


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<a/>", "a{}"),
        ("<a></a>", "a{}"),
        ("<a>1</a>", "a{1}"),
        ("<a> </a>", 'a{" "}'),
        ("<a>John &amp; <![CDATA[<Jane>]]></a>", 'a{"John & <Jane>"}'),
        ("<a>one<!-- no -->two</a>", 'a{"onetwo"}'),
        ("<a><b/></a>", "a[b]"),
        ('<a id="7"/>', "a[@id{7}]"),
        ('<a id="7" x="">1.50</a>', 'a[@id{7}, @x{""}, 1.5]'),
        ("<a>see <b>1</b> and <c/></a>", 'a["see ", b{1}, " and ", c]'),
        ("<a>007</a>", 'a{"007"}'),
        ("<a>true</a>", 'a{"true"}'),
        ('<s:a xmlns:s="urn:x" s:i="1"><b xmlns="urn:y"/></s:a>', '"{urn:x}a"["@{urn:x}i"{1}, "{urn:y}b"{}]'),
        ('<a xmlns="urn:x"><b xmlns=""/></a>', '"{urn:x}a"[b]'),
        ('<a xml:lang="en"/>', 'a["@{http://www.w3.org/XML/1998/namespace}lang"{"en"}]'),
    ],
)
def test_an_element_is_read_and_survives_the_round_trip(xml: str, text: str) -> None:
    assert term_from_xml(xml) == term(text)
    assert term_from_xml(term_to_xml(term(text))) == term(text)


def test_text_is_left_alone_if_types_are_off() -> None:
    assert term_from_xml('<a n="1">2</a>', types="string") == term('a[@n{"1"}, "2"]')
    assert term_to_xml(term('a[@n{"1"}, "2"]'), types="string") == '<a n="1">2</a>'


def test_bytes_are_read_in_the_encoding_they_declare() -> None:
    assert term_from_xml('<?xml version="1.0" encoding="latin-1"?><a>é</a>'.encode("latin-1")) == term('a{"é"}')
    assert term_from_xml("\ufeff<a>é</a>".encode()) == term('a{"é"}')


BILLION_LAUGHS = """<!DOCTYPE a [
 <!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
]><a>&d;</a>"""


@pytest.mark.parametrize(
    "xml",
    [
        BILLION_LAUGHS,
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;]><a/>',
        '<!DOCTYPE a SYSTEM "http://localhost/x.dtd"><a/>',
        "<!DOCTYPE a><a/>",
    ],
    ids=["billion laughs", "external entity", "parameter entity", "external subset", "any"],
)
def test_a_document_type_declaration_is_refused(xml: str) -> None:
    with pytest.raises(XmlError, match=r"document type declaration .* refused"):
        term_from_xml(xml)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (b"", "line 1, column 1: no element found"),
        (b"<a>\n<b></a>", "line 2, column 6: mismatched tag"),
        (b"<a/><b/>", "junk after document element"),
        (b"plain", "syntax error"),
        (b"<a>&x;</a>", "undefined entity"),
        (b"<x:a/>", "unbound prefix"),
        (b"<a>\xff</a>", "invalid token"),
        (b'<?xml version="1.0" encoding="none-such"?><a/>', "cannot be decoded: unknown encoding"),
        (b'<a xmlns="x&#10;y"/>', "contains white space"),
    ],
)
def test_what_is_not_xml_is_refused_with_a_reason(xml: bytes, message: str) -> None:
    with pytest.raises(XmlError, match=message):
        term_from_xml(xml)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 20_000])
def test_what_is_nested_too_deep_is_refused(depth: int) -> None:
    with pytest.raises(TermError, match=f"deeper than {MAX_DEPTH}"):
        term_from_xml("<a>" * depth + "</a>" * depth)


def test_unordered_children_are_written_in_canonical_order_and_come_back_ordered() -> None:
    assert term_to_xml(term('a{c{2}, b{1}, @i{0}, "x"}')) == '<a i="0">x<b>1</b><c>2</c></a>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"two words"{1}', 'the label "two words" is not an XML name'),
        ('a["1b"{}]', 'the label "1b" is not an XML name'),
        ('""{1}', 'the label "" is not an XML name'),
        ("\"a b='1'\"{}", "is not an XML name"),
        ('"a/><b"{}', "is not an XML name"),
        ('"x:a"{}', "is not an XML name"),
        ('"{x y}a"{}', "is not an XML name"),
        ('"{}a"{}', "is not an XML name"),
        ("@a{1}", "is not an XML name"),
        ("a[@b{1}, @b{2}]", "a has the attribute @b more than once"),
        ("a[c, @b{1}]", "in a the attribute @b stands after other children"),
        ("a[@b]", "an attribute has exactly one value; found @b{}"),
        ("a[@b{c}]", "an attribute has exactly one value"),
        ('a[@xmlns{"u"}]', "the label @xmlns is not the name of an attribute"),
        ('a["@"{1}]', "is not the name of an attribute"),
        ("a{1, 2}", "a has two leaves side by side"),
        ('a{""}', "an empty string as a child"),
        ('a[" ", b]', "white space beside other children"),
        ("a{true}", "XML has no truth values"),
        ('a{"40"}', 'the value "40" would be read back as a number'),
        (r'a{"\u0000"}', r"the character U\+0000 is not allowed"),
    ],
)
def test_a_term_that_xml_cannot_carry_is_refused(text: str, message: str) -> None:
    with pytest.raises(XmlError, match=f"XML cannot carry the term: .*{message}"):
        term_to_xml(term(text))


def test_numbers_are_refused_where_types_are_off() -> None:
    with pytest.raises(XmlError, match="the value 1 would be read back as a string"):
        term_to_xml(term("a{1}"), types="string")


def as_xml_brackets(value: Value) -> Value:
    """The value with the brackets that XML would give it: ordered, unless there is one leaf or nothing."""
    if not isinstance(value, Term):
        return value
    attributes = [c for c in value.children if isinstance(c, Term) and c.label.startswith("@")]
    others = [c for c in value.children if not (isinstance(c, Term) and c.label.startswith("@"))]
    if not attributes and (not others or (len(others) == 1 and not isinstance(others[0], Term))):
        return Term(value.label, others)
    children = [*(Term(a.label, a.children) for a in attributes), *map(as_xml_brackets, others)]
    return Term(value.label, children, ordered=True)


XML_LABELS = st.sampled_from(["a", "b", "@c", "@d", "é", "{urn:x}a", "@{urn:x}c", "@{urn:y}c"])
ANY_LABELS = XML_LABELS | st.text(max_size=3)
NAMES = st.text(alphabet="a:é·{}@ -.\u0300\u2118", min_size=1, max_size=4)


@given(terms(ANY_LABELS | NAMES, max_leaves=4) | terms(XML_LABELS, SCALARS), st.sampled_from(["inferred", "string"]))
def test_what_is_written_is_read_back_up_to_the_kind_of_brackets(value: Term, types: Types) -> None:
    try:
        xml = term_to_xml(value, types=types)
    except XmlError:
        return
    assert term_from_xml(xml, types=types) == as_xml_brackets(value)
    assert term_from_xml(xml.encode(), types=types) == as_xml_brackets(value)


ELEMENT_NAMES = st.sampled_from(["a", "b", "é", "{urn:x}a", "{urn:y}b"])
ATTRIBUTE_NAMES = st.sampled_from(["@c", "@d", "@{urn:x}c", "@{http://www.w3.org/XML/1998/namespace}lang"])
TEXTS = st.sampled_from(["x", "<&>\"'", "two  words", " 007", "]]>", "\r\n\t."]) | st.integers(-9, 9) | st.just(0.1)


@st.composite
def documents(draw: st.DrawFn, depth: int = 3) -> Term:
    """Terms as XML has them: attributes first and once each, then elements with texts between them."""
    name = draw(ELEMENT_NAMES)
    attributes: list[Value] = [Term(key, [draw(TEXTS)]) for key in draw(st.sets(ATTRIBUTE_NAMES, max_size=2))]
    content: list[Value] = []
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        content += [draw(TEXTS)] if draw(st.booleans()) else []
        content.append(draw(documents(depth=depth - 1)))
    content += [draw(TEXTS)] if draw(st.booleans()) else []
    only_text = not attributes and all(not isinstance(part, Term) for part in content)
    return Term(name, [*attributes, *content], ordered=not only_text)


@given(documents())
def test_a_term_of_elements_attributes_and_texts_is_always_carried(value: Term) -> None:
    assert term_from_xml(term_to_xml(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1))
def test_every_number_is_carried(number: float) -> None:
    assert term_from_xml(term_to_xml(Term("a", [number]))) == Term("a", [number])


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])).map(lambda text: f"x{text}\t\r\n"))
def test_every_text_is_carried_also_line_ends(text: str) -> None:
    in_xml = text.replace("\ufffe", "").replace("\uffff", "")
    value = Term("a", [Term("@b", [in_xml]), in_xml], ordered=True)
    assert term_from_xml(term_to_xml(value)) == value


def test_elements_are_delivered_as_soon_as_they_are_complete() -> None:
    chunks = iter([b"<r><a>1</a>\n<b><c", b"/></b>", b"</r>"])
    stream = elements(chunks, level=1)
    assert next(stream) == Element("a", {}, ["1"], line=1)
    assert next(chunks).startswith(b"/>"), "the first element was there before the second chunk was read"


def test_elements_carry_their_lines_and_texts_outside_of_them_are_not_lost() -> None:
    found = list(elements(["<r>\n<a>x<b/>y</a>\nstray\n</r>"], level=1))
    assert found == [Element("a", {}, ["x", Element("b", {}, [], line=2), "y"], line=2), StrayText("stray", line=3)]


def test_everything_before_a_break_is_delivered_and_the_error_says_what_is_not() -> None:
    stream = elements(["<r><a/>\n<b>\n<c></b></r>"], level=1)
    assert next(stream) == Element("a", {}, [], line=1)
    with pytest.raises(XmlError, match="mismatched tag") as caught:
        next(stream)
    assert (caught.value.line, caught.value.unread_from) == (3, 2)
