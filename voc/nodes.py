"""XML of any writer as plain nodes that know their lines; safe with hostile files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException
from defusedxml.sax import parseString


class NotXmlError(ValueError):
    """The data are not XML, or XML that would be dangerous to read; `line` is from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Node:
    """One element: its tag, the line of its start tag, its own trimmed text, its children."""

    tag: str
    line: int
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def find(self, tag: str) -> Node | None:
        """The first child of that tag, or None."""
        return next(self.find_all(tag), None)

    def find_all(self, tag: str) -> Iterator[Node]:
        """The children of that tag, in the file's order."""
        return (child for child in self.children if child.tag == tag)


def parse_nodes(data: bytes) -> Node:
    """The root element; raises NotXmlError. Entities and document types are refused."""
    builder = _Builder()
    try:
        parseString(data, builder, forbid_dtd=True)
    except SAXParseException as error:
        raise NotXmlError(error.getLineNumber() or 1, f"not XML: {error.getMessage()}") from error
    except DefusedXmlException as error:
        raise NotXmlError(1, "a document type or an entity, which no annotation needs") from error
    except (SAXException, ValueError, LookupError) as error:
        raise NotXmlError(1, f"not XML: {error}") from error
    return builder.root


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self._above = [Node("", 0)]
        self._texts: list[list[str]] = [[]]  # joined at the end: a long text comes in many pieces

    @property
    def root(self) -> Node:
        return self._above[0].children[0]

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        node = Node(name, self._locator.getLineNumber() or 1)  # type: ignore[attr-defined]
        self._above[-1].children.append(node)
        self._above.append(node)
        self._texts.append([])

    def characters(self, content: str) -> None:
        self._texts[-1].append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._above.pop().text = "".join(self._texts.pop()).strip()
