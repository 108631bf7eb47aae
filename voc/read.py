"""Annotation files: from bytes of any year and any writer to a record and remarks on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .elements import Element
from .kit_syntax import find_kit_remarks
from .nodes import Node, NotXmlError, parse_nodes
from .read_object import read_object
from .records import Remark, Remarks, VocImage, VocObject, VocOwner, VocSize, VocSource
from .styles import STYLE_2007, STYLE_2008, STYLE_2012, VocStyle
from .write import UnwritableError, format_annotation

FIRST_KIT_WITH_SOURCE = 2008
"""From this year on the kit requires source/annotation and source/image."""


@dataclass(frozen=True)
class Places:
    """The first line of each child of the root, by tag, and the line of every object."""

    lines: Mapping[str, int] = field(default_factory=dict)
    objects: tuple[int, ...] = ()

    def find_line(self, tag: str, number: int = 0) -> int:
        """The line of the object of that number, else of the tag; 1 where there is none."""
        if number:
            return self.objects[number - 1] if number <= len(self.objects) else 1
        return self.lines.get(tag, 1)


@dataclass(frozen=True)
class Reading:
    """What a file says, and everything in it that is not as the norm says.

    `image` is None where there is no file name, or an object without a name or a box: then the
    remarks say so.
    """

    image: VocImage | None
    remarks: tuple[Remark, ...]
    root: Node | None = field(default=None, compare=False, repr=False)
    data: bytes = field(default=b"", compare=False, repr=False)

    @cached_property
    def places(self) -> Places:
        """The lines of what the file says."""
        if self.root is None:
            return Places()
        lines = {child.tag: child.line for child in reversed(self.root.children)}
        return Places(lines, tuple(node.line for node in self.root.find_all("object")))

    @cached_property
    def style(self) -> VocStyle | None:
        """The style in which writing the image gives the file, without any remark."""
        return None if self.remarks or self.image is None else _find_style(self.image, self.data)

    def line_of(self, tag: str) -> int:
        """The line of the root's first child of that tag, 1 where there is none."""
        return self.places.find_line(tag)


def read_annotation(data: bytes, *, year: int = 2012) -> Reading:
    """The record in an annotation file and the remarks on it, held to the kit of `year`.

    Raises nothing, whatever the bytes are.
    """
    remarks = Remarks()
    try:
        if not data.strip():
            raise NotXmlError(1, "expected an annotation, got an empty file")
        for remark in find_kit_remarks(data):
            remarks.add(remark.line, remark.rule, remark.message)
        root = parse_nodes(data)
        if root.tag != "annotation":
            raise NotXmlError(root.line, f"expected <annotation> as the root, got <{root.tag}>")
    except NotXmlError as error:
        remarks.add(error.line, "xml", str(error))
        return Reading(None, remarks.sorted())
    image = _read_image(Element(root, remarks), year)
    return Reading(image, remarks.sorted(), root, data)


def _find_style(image: VocImage, data: bytes) -> VocStyle | None:
    """The style in which writing the image gives these bytes; with texts beyond ASCII too."""
    for style in (STYLE_2007, STYLE_2008, STYLE_2012):
        if not data.startswith(f"<annotation>\n\t<{style.orders['annotation'][0]}>".encode()):
            continue  # so that most files are written once
        try:
            if format_annotation(image, style).encode() == data:
                return style
        except UnwritableError:
            return None
    return None


def _read_image(root: Element, year: int) -> VocImage | None:
    folder, filename = root.word("folder"), root.word("filename")
    source, owner, size = _read_source(root, year), _read_owner(root), _read_size(root)
    segmented = root.flag("segmented", is_required=True)
    objects = _read_objects(root, size)
    if filename is None or objects is None:
        return None
    return VocImage(filename, objects, folder, source, owner, size, segmented)


def _read_source(root: Element, year: int) -> VocSource | None:
    element = root.element("source", is_required=True)
    if element is None:
        return None
    is_required = year >= FIRST_KIT_WITH_SOURCE
    return VocSource(
        database=element.text("database", is_required=True),
        annotation=element.text("annotation", is_required=is_required),
        image=element.text("image", is_required=is_required),
        flickrid=element.text("flickrid"),
    )


def _read_owner(root: Element) -> VocOwner | None:
    element = root.element("owner")
    if element is None:
        return None
    return VocOwner(flickrid=element.text("flickrid"), name=element.text("name"))


def _read_size(root: Element) -> VocSize | None:
    element = root.element("size", is_required=True)
    if element is None:
        return None
    numbers, depth = element.numbers("width", "height"), element.number("depth")
    return VocSize(numbers[0], numbers[1], depth) if numbers else None


def _read_objects(root: Element, size: VocSize | None) -> tuple[VocObject, ...] | None:
    nodes = list(root.node.find_all("object"))
    if not nodes:
        message = "expected at least one object; the development kit cannot read a file with none"
        root.remark("no-object", message)
    for tag in ("actions", "point"):
        without = [node for node in nodes if node.find(tag) is None]
        if without and len(without) < len(nodes):
            message = f"expected <{tag}> in all objects of a file or in none"
            root.remarks.add(without[0].line, f"{tag}-in-all", message)
    objects = [read_object(node, root.remarks, size) for node in nodes]
    whole = tuple(item for item in objects if item is not None)
    return whole if len(whole) == len(objects) else None
