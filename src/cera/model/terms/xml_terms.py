"""Terms as XML.

    <order id="7"><stock>IBM</stock>  <note/></order>     order[@id{7}, stock{"IBM"}, note{}]

An element is an ordered term: first its attributes as children `@name`, then its content. An element with nothing but
text is `label{leaf}`, an empty one `label{}`. White space between elements is dropped. A name with a namespace is
`{uri}name`. Text has the type that `values.infer_scalar` gives it, or with types="string" none; some elements and
attributes can be named whose text is a string whatever it looks like.

XML does not say whether children are ordered, so writing forgets it: reading what was written gives the same term up to
the kind of its brackets. Everything else that XML cannot carry is refused with an error that says why.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from cera.model.terms.term import Term, Value, format_scalar, label, same
from cera.model.terms.values import NumberTooLargeError, Scalar, infer_scalar
from cera.model.terms.xml_elements import Element, XmlError, elements, is_blank

Types = Literal["inferred", "string"]

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"


class XmlNumberError(XmlError):
    """The text of an element or attribute, `name`, is a number that is too large."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"in `{name}`: {reason}")
        self.name = name
        self.reason = reason


def term_from_xml(text: str | bytes, *, types: Types = "inferred") -> Term:
    """Returns the term of a document's root element."""
    return term_of(_root(text), types)


def _root(text: str | bytes) -> Element:
    [root] = (element for element in elements([text], level=0) if isinstance(element, Element))
    return root


def term_of(element: Element, types: Types = "inferred", strings: Collection[str] = ()) -> Term:
    """Returns the term of an element; `strings` names the elements and attributes whose text is a string."""

    def leaf(name: str, text: str) -> Scalar:
        if types == "string" or name in strings:
            return text
        try:
            return infer_scalar(text)
        except NumberTooLargeError as error:
            raise XmlNumberError(name, str(error)) from None

    texts_only = all(isinstance(part, str) for part in element.content)
    children: list[Value] = [Term(f"@{name}", [leaf(name, value)]) for name, value in element.attributes.items()]
    for part in element.content:
        if isinstance(part, Element):
            children.append(term_of(part, types, strings))
        elif texts_only or not is_blank(part):
            children.append(leaf(element.name, part))
    return Term(element.name, children, ordered=bool(element.attributes) or not texts_only)


def term_to_xml(term: Term, *, types: Types = "inferred") -> str:
    """Returns the XML text that `term_from_xml` with the same types reads as this term, up to the kind of brackets."""
    return to_text(_element(term, types))


def _element(term: Term, types: Types) -> Element:
    element = Element(_checked_name(term.label), {}, [])
    for child in term.children:
        if not isinstance(child, Term):
            element.content.append(_text(child, types))
        elif not child.label.startswith("@"):
            element.content.append(_element(child, types))
        elif element.content and term.ordered:
            raise _refused(f"in {label(term.label)} the attribute {child.label} stands after other children")
        else:
            name, value = _attribute(child, types)
            if name in element.attributes:
                raise _refused(f"{label(term.label)} has the attribute {child.label} more than once")
            element.attributes[name] = value
    _check_texts(term, element)
    return element


def _attribute(term: Term, types: Types) -> tuple[str, str]:
    name = term.label[1:]
    if not _is_attribute_name(name):
        raise _refused(f"the label {label(term.label)} is not the name of an attribute")
    if len(term.children) != 1 or isinstance(term.children[0], Term):
        raise _refused(f"an attribute has exactly one value; found {term}")
    return name, _text(term.children[0], types)


def _checked_name(name: str) -> str:
    if not _is_element_name(name):
        raise _refused(f"the label {label(name)} is not an XML name")
    return name


@lru_cache(maxsize=4096)
def _is_element_name(name: str) -> bool:
    """Returns whether an element of this name is read back under this name, by asking the parser itself."""
    try:
        return _root(to_text(Element(name, {}, []))) == Element(name, {}, [], line=1)
    except XmlError:
        return False


@lru_cache(maxsize=4096)
def _is_attribute_name(name: str) -> bool:
    try:
        return _root(to_text(Element("a", {name: ""}, []))) == Element("a", {name: ""}, [], line=1)
    except XmlError:
        return False


def _text(value: Scalar, types: Types) -> str:
    """Returns the text that is read back as this value."""
    if isinstance(value, bool):
        raise _refused(f"XML has no truth values; {format_scalar(value)} would be read back as a string")
    text = value if isinstance(value, str) else _digits(value)
    if found := _ILLEGAL.search(text):
        raise _refused(f"the character U+{ord(found[0]):04X} is not allowed in XML")
    try:
        is_read_back = same(infer_scalar(text) if types == "inferred" else text, value)
    except NumberTooLargeError:
        is_read_back = False
    if not is_read_back:
        kind = "number" if isinstance(value, str) else "string"
        raise _refused(f"the value {format_scalar(value)} would be read back as a {kind}")
    return text


def _digits(value: int | float) -> str:
    """Returns the number without an exponent, because `infer_scalar` reads one with an exponent as a string."""
    text = format(Decimal(repr(value)), "f")
    return text if isinstance(value, int) or "." in text else f"{text}.0"


def _check_texts(term: Term, element: Element) -> None:
    texts = [part for part in element.content if isinstance(part, str)]
    neighbours = itertools.pairwise(element.content)
    if any(isinstance(one, str) and isinstance(other, str) for one, other in neighbours):
        raise _refused(f"{label(term.label)} has two leaves side by side, which would be read back as one")
    if "" in texts:
        raise _refused(f"{label(term.label)} has an empty string as a child, which would be read back as no child")
    if len(texts) < len(element.content) and any(is_blank(text) for text in texts):
        raise _refused(f"{label(term.label)} has white space beside other children, which would not be read back")


def _refused(reason: str) -> XmlError:
    return XmlError(f"XML cannot carry the term: {reason}")


def to_text(element: Element) -> str:
    """Returns the element as XML; its namespaces are declared at its start."""
    namespaces = dict.fromkeys(namespace for name in _names(element) if (namespace := _split(name)[0]))
    prefixes = {uri: "xml" if uri == _XML_NAMESPACE else f"ns{i}" for i, uri in enumerate(namespaces, 1)}
    declarations = {f"xmlns:{prefix}": uri for uri, prefix in prefixes.items() if prefix != "xml"}
    return "".join(_written(element, prefixes, declarations))


def _written(element: Element, prefixes: dict[str, str], declarations: dict[str, str]) -> Iterator[str]:
    from xml.sax.saxutils import escape, quoteattr  # imports the Internet's protocols, and few events are XML

    tag = _qualified(element.name, prefixes)
    yield f"<{tag}"
    attributes = {_qualified(name, prefixes): value for name, value in element.attributes.items()}
    for name, value in {**declarations, **attributes}.items():
        yield f" {name}={quoteattr(value)}"
    if not element.content:
        yield "/>"
        return
    yield ">"
    for part in element.content:
        if isinstance(part, str):
            yield escape(part, {"\r": "&#13;"})
        else:
            yield from _written(part, prefixes, {})
    yield f"</{tag}>"


def _names(element: Element) -> Iterator[str]:
    yield element.name
    yield from element.attributes
    for part in element.content:
        if isinstance(part, Element):
            yield from _names(part)


def _split(name: str) -> tuple[str, str]:
    """Returns (uri, local) for the Clark notation `{uri}local`; the uri is empty for a name without a namespace."""
    uri, brace, local = name.rpartition("}")
    return (uri[1:], local) if brace and uri.startswith("{") else ("", name)


def _qualified(name: str, prefixes: dict[str, str]) -> str:
    uri, local = _split(name)
    return f"{prefixes[uri]}:{local}" if uri else local
