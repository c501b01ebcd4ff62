"""XML as a stream of elements, read without trust.

Document type declarations, and with them entities, are refused: they are how a small file expands without bound or
makes its reader open others.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, feature_namespaces
from xml.sax.xmlreader import AttributesNSImpl

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from cera.model.terms.term import MAX_DEPTH, TermError

WHITE_SPACE = " \t\r\n"

#: Elements below this depth are dropped: too deep for a term (two levels for the root and an event around it).
_KEPT_DEPTH = MAX_DEPTH + 2


class XmlError(TermError):
    """A text is not XML that can be read, or a term is not one that XML can carry.

    `line` is where reading stopped, `unread_from` the line from which on nothing was delivered.
    """

    def __init__(self, message: str, line: int | None = None, unread_from: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.unread_from = line if unread_from is None else unread_from


@dataclass(slots=True)
class Element:
    """An element as it stands in the file: names in Clark notation, texts and elements in their order."""

    name: str
    attributes: dict[str, str]
    content: list[Element | str]
    line: int = 0


@dataclass(frozen=True, slots=True)
class StrayText:
    """Text where only elements are expected."""

    text: str
    line: int


def is_blank(text: str) -> bool:
    return not text.strip(WHITE_SPACE)


def elements(chunks: Iterable[str | bytes], *, level: int) -> Iterator[Element | StrayText]:
    """Yields the elements of a document at one level, each as soon as it is complete: 0 is the root, 1 are its
    children.

    Raises XmlError where the document breaks off, after everything before that place has been delivered.
    """
    parser = make_parser()
    parser.forbid_dtd = parser.forbid_entities = parser.forbid_external = True
    parser.setFeature(feature_namespaces, True)
    builder = _Builder(level, parser.getLineNumber)
    parser.setContentHandler(builder)
    problem: XmlError | None = None
    for chunk in itertools.chain(chunks, [None]):
        try:
            parser.close() if chunk is None else parser.feed(chunk)
        except SAXParseException as error:
            line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
            problem = XmlError(f"not well-formed XML at line {line}, column {column}: {error.getMessage()}", line)
        except DefusedXmlException:
            problem = XmlError(
                "the XML has a document type declaration (<!DOCTYPE …>), which is refused because entities declared"
                " there can expand without bound or read other files; remove it",
                parser.getLineNumber(),
            )
        except XmlError as error:
            problem = XmlError(str(error), parser.getLineNumber())
        except (ValueError, LookupError) as error:  # an encoding that is unknown, or that a text cannot be written in
            problem = XmlError(f"the XML cannot be decoded: {error}", parser.getLineNumber())
        yield from builder.take_finished()
        if problem is not None:
            problem.unread_from = builder.unfinished_since or problem.line
            raise problem


class _Builder(ContentHandler):
    """A handler that collects the elements of one level."""

    def __init__(self, level: int, line: Callable[[], int]) -> None:
        super().__init__()
        self._level = level
        self._line = line
        self._depth = 0
        self._open: list[Element] = []
        self._finished: list[Element | StrayText] = []

    @property
    def unfinished_since(self) -> int | None:
        return self._open[0].line if self._open else None

    def take_finished(self) -> list[Element | StrayText]:
        finished, self._finished = self._finished, []
        return finished

    @property
    def _is_kept(self) -> bool:
        """Returns whether the innermost element of the document is the innermost one that is kept."""
        return bool(self._open) and self._depth == self._level + len(self._open)

    def startPrefixMapping(self, prefix: str | None, uri: str | None) -> None:  # noqa: N802
        if any(character.isspace() for character in uri or ""):  # the SAX reader takes names apart at white space
            raise XmlError(f"the namespace {uri!r} is not a URI: it contains white space")

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: AttributesNSImpl) -> None:  # noqa: N802
        self._depth += 1
        if self._depth <= self._level or len(self._open) > _KEPT_DEPTH:
            return
        attributes = {_clark(attribute): value for attribute, value in attrs.items()}
        element = Element(_clark(name), attributes, [], self._line())
        if self._open:
            self._open[-1].content.append(element)
        self._open.append(element)

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: N802
        if self._is_kept:
            element = self._open.pop()
            element.content = _with_joined_texts(element.content)
            if not self._open:
                self._finished.append(element)
        self._depth -= 1

    def characters(self, content: str) -> None:
        if self._is_kept:
            self._open[-1].content.append(content)
        elif self._depth <= self._level and not is_blank(content):
            self._finished.append(StrayText(content, self._line()))


def _clark(name: tuple[str | None, str]) -> str:
    uri, local = name
    return f"{{{uri}}}{local}" if uri else local


def _with_joined_texts(content: list[Element | str]) -> list[Element | str]:
    """Joins the pieces in which a parser delivers one text."""
    joined: list[Element | str] = []
    for are_texts, parts in itertools.groupby(content, lambda part: isinstance(part, str)):
        run = list(parts)
        joined += ["".join(part for part in run if isinstance(part, str))] if are_texts else run
    return joined
