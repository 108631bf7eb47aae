"""XML of any writer as plain nodes that know their lines; safe with hostile files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat


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


class _ForbiddenError(ValueError):
    """The file has a document type or an entity."""


def parse_nodes(data: bytes) -> Node:
    """The root element; raises NotXmlError. Entities and document types are refused."""
    parser = expat.ParserCreate()
    above, texts = [Node("", 0)], [list[str]()]  # joined at the end: a long text comes in pieces

    def start(tag: str, _attributes: dict[str, str]) -> None:
        node = Node(tag, parser.CurrentLineNumber)
        above[-1].children.append(node)
        above.append(node)
        texts.append([])

    def end(_tag: str) -> None:
        above.pop().text = "".join(texts.pop()).strip()

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    # before any entity is read, as defusedxml does: bombs and files of others need a document type
    for name in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef"):
        setattr(parser, f"{name}Handler", _forbid)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise NotXmlError(error.lineno or 1, f"not XML: {message}") from error
    except _ForbiddenError as error:
        raise NotXmlError(1, "a document type or an entity, which no annotation needs") from error
    except (ValueError, LookupError) as error:
        raise NotXmlError(1, f"not XML: {error}") from error
    return above[0].children[0]


def _forbid(*_declared: object) -> None:
    raise _ForbiddenError
