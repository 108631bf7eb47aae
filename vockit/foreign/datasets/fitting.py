"""Objects of a foreign dataset as VOC has them: whole pixels inside the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vockit.foreign.corrections import UncorrectableError, fit_box
from vockit.format.records import VocBox
from vockit.format.rings import Ring, fill, trace
from vockit.format.text import escape_unstorable

from .values import ForeignImage, ForeignObject, Note, NoteKind

ROUNDING_PX = 0.02
"""What the digits of a file may leave of a whole pixel; more counts as rounded."""
MOST_ATTRIBUTES = 50
MOST_NAME_CHARS = 100
MOST_VALUE_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class FittedObject:
    """The object with its box in VOC's whole pixels, and its rings on corners of pixels.

    `attributes` are those of the source, as many and as long as are kept.
    """

    source: ForeignObject
    box: VocBox
    rings: tuple[Ring, ...]
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FittedImage:
    """The objects that have a place in the picture; `notes` say what became of the others."""

    objects: tuple[FittedObject, ...]
    notes: tuple[Note, ...]


def fit_image(image: ForeignImage, size_wh: tuple[int, int]) -> FittedImage:
    """The objects of an image whose picture has that size in pixels."""
    objects: list[FittedObject] = []
    notes = list(image.notes)
    for item in image.objects:
        try:
            objects.append(_fit_object(item, size_wh, notes))
        except UncorrectableError as error:
            notes.append(Note(NoteKind.OBJECT, "box", item.place, str(error)))
    return FittedImage(tuple(objects), tuple(notes))


def _fit_object(item: ForeignObject, size_wh: tuple[int, int], notes: list[Note]) -> FittedObject:
    rings = _fit_rings(item, size_wh, notes)
    edges = item.edges or _find_edges(item.rings)
    if not all(map(math.isfinite, edges)):
        raise UncorrectableError(f"its {item.said or 'outline'} has what is no number")
    left, right = sorted((edges[0], edges[2]))
    top, bottom = sorted((edges[1], edges[3]))
    if left == right or top == bottom:
        raise UncorrectableError(f"its {item.said or 'outline'} has no area")
    x_ends = _round_ends(left, right)
    y_ends = _round_ends(top, bottom)
    whole = VocBox(x_ends[0] + 1, y_ends[0] + 1, x_ends[1], y_ends[1])
    box = fit_box(whole, size_wh, f"its {item.said or 'outline'}")
    rounded = zip(edges, (x_ends[0], y_ends[0], x_ends[1], y_ends[1]), strict=True)
    became = f"became {box.xmin}, {box.ymin}, {box.xmax}, {box.ymax}"
    said = item.said or "the box of its outline"
    if (left, top) != edges[:2]:
        notes.append(Note(NoteKind.CHANGED, "negative size", item.place, f"{said} {became}"))
    elif box != whole:
        message = f"{said} reached over the border and {became}"
        notes.append(Note(NoteKind.CHANGED, "border", item.place, message))
    elif max(abs(given - made) for given, made in rounded) > ROUNDING_PX:
        message = f"{said} was rounded to whole pixels and {became}"
        notes.append(Note(NoteKind.CHANGED, "rounded", item.place, message))
    return FittedObject(item, box, rings, limit_attributes(item, notes))


def limit_attributes(item: ForeignObject, notes: list[Note]) -> dict[str, str]:
    """The attributes that are kept as text, as a database can hold it; notes what is cut."""
    attributes: dict[str, str] = {}
    cut: list[str] = []
    for name, value in item.attributes.items():
        short = escape_unstorable(name[:MOST_NAME_CHARS])
        if len(attributes) >= MOST_ATTRIBUTES or short in attributes:
            continue
        attributes[short] = escape_unstorable(value[:MOST_VALUE_CHARS])
        if len(name) > MOST_NAME_CHARS or len(value) > MOST_VALUE_CHARS:
            cut.append(short)
    if len(attributes) < len(item.attributes):
        message = f"it has {len(item.attributes)} attributes, of which {len(attributes)} with "
        message += "different names are kept"
        notes.append(Note(NoteKind.NOT_KEPT, "attributes", item.place, message))
    if cut:
        message = (
            f"{', '.join(cut)[:200]}: names are kept up to {MOST_NAME_CHARS} characters, texts up "
            f"to {MOST_VALUE_CHARS:,}"
        )
        notes.append(Note(NoteKind.CHANGED, "attributes cut", item.place, message, len(cut)))
    return attributes


def _round_ends(low: float, high: float) -> tuple[int, int]:
    """The nearest edges of pixels, one pixel apart at least."""
    start = math.floor(low + 0.5)
    end = math.floor(high + 0.5)
    if start == end:
        start = math.floor(low)
        end = start + 1
    return start, end


def _find_edges(
    rings: Sequence[Sequence[tuple[float, float]]],
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all corners."""
    xs = [x for ring in rings for x, _y in ring]
    ys = [y for ring in rings for _x, y in ring]
    return min(xs), min(ys), max(xs), max(ys)


def _fit_rings(
    item: ForeignObject, size_wh: tuple[int, int], notes: list[Note]
) -> tuple[Ring, ...]:
    """The rings on corners of the picture's pixels; none where nothing of them is left."""
    if not item.rings:
        return ()
    corners = [corner for ring in item.rings for corner in ring]
    if not all(math.isfinite(value) for corner in corners for value in corner):
        notes.append(Note(NoteKind.NOT_KEPT, "outline", item.place, "a corner is no number"))
        return ()
    rings = [ring for ring in (_fit_ring(ring, size_wh) for ring in item.rings) if ring]
    if not rings:
        message = "its outline holds no pixel of the picture; the box alone came in"
        notes.append(Note(NoteKind.NOT_KEPT, "outline", item.place, message))
        return ()
    edges = _find_edges(item.rings)
    if min(edges) < -1 or edges[2] > size_wh[0] + 1 or edges[3] > size_wh[1] + 1:
        message = "its outline reached over the border and was cut there"
        notes.append(Note(NoteKind.CHANGED, "outline", item.place, message))
    return tuple(_join(rings, size_wh) if item.joins_rings and len(rings) > 1 else rings)


def _fit_ring(ring: Sequence[tuple[float, float]], size_wh: tuple[int, int]) -> Ring:
    """The ring with whole corners inside the picture, each once in a row; empty without area."""
    width, height = size_wh
    fitted: Ring = []
    for x, y in ring:
        corner = (
            min(max(math.floor(x + 0.5), 0), width),
            min(max(math.floor(y + 0.5), 0), height),
        )
        if not fitted or corner != fitted[-1]:
            fitted.append(corner)
    if len(fitted) > 1 and fitted[0] == fitted[-1]:
        fitted.pop()
    has_area = len({x for x, _y in fitted}) > 1 and len({y for _x, y in fitted}) > 1
    return fitted if len(fitted) > 2 and has_area else []


def _join(rings: list[Ring], size_wh: tuple[int, int]) -> list[Ring]:
    """Rings that hold what any of these holds: parts that overlap would leave holes."""
    joined = fill(rings[:1], *size_wh)
    for ring in rings[1:]:
        joined |= fill([ring], *size_wh)
    return rings if (fill(rings, *size_wh) == joined).all() else trace(joined)
