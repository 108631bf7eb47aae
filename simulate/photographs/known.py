"""What is known about a demo photograph: its objects, and where they lie in a part of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, TypeAdapter

from catalog.box import Box
from catalog.states import View
from vockit.errors import SettingsError

FILE_NAME = "known.json"


KnownBox = Annotated[
    Box, BeforeValidator(lambda value: Box(*value) if isinstance(value, list) else value)
]
"""A box in VOC's pixels; scenes.toml writes it as four numbers."""


@dataclass(frozen=True)
class Frame:
    """The part of a picture between edges (left, top, right, bottom), shown at a size in pixels."""

    edges: tuple[int, int, int, int]
    size_wh: tuple[int, int]

    def show(self, box: Box) -> Box | None:
        """The box in the shown picture, at least a pixel large; None where it lies outside."""
        left, top, right, bottom = self.edges
        width, height = self.size_wh
        scale_x = width / (right - left)
        scale_y = height / (bottom - top)
        across = _to_pixels((box.xmin - 1 - left) * scale_x, (box.xmax - left) * scale_x, width)
        down = _to_pixels((box.ymin - 1 - top) * scale_y, (box.ymax - top) * scale_y, height)
        if across is None or down is None:
            return None
        (xmin, xmax) = across
        (ymin, ymax) = down
        return Box(xmin, ymin, xmax, ymax)

    def share_shown(self, box: Box) -> float:
        """How much of the box's area lies inside the frame, 0 to 1."""
        left, top, right, bottom = self.edges
        width = min(box.xmax, right) - max(box.xmin - 1, left)
        height = min(box.ymax, bottom) - max(box.ymin - 1, top)
        return max(width, 0) * max(height, 0) / box.area_px


def _to_pixels(low_edge: float, high_edge: float, length: int) -> tuple[int, int] | None:
    """First and last pixel between two edges, inside 1 to length; None where both lie outside."""
    if high_edge <= 0 or low_edge >= length:
        return None
    first = min(max(round(low_edge), 0), length - 1) + 1
    return first, max(first, min(round(high_edge), length))


@dataclass(frozen=True)
class KnownPart:
    """A part of a person, with its box in VOC's pixels."""

    name: str
    box: KnownBox


@dataclass(frozen=True)
class KnownObject:
    """An object that is really to be seen, with its box in VOC's pixels."""

    name: str
    box: KnownBox
    view: str = View.UNSPECIFIED.value
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    parts: tuple[KnownPart, ...] = ()


@dataclass(frozen=True)
class KnownPhoto:
    """A demo photograph. Sizes and boxes are those of the upright original file.

    `original` names the picture that it was made from, `scene` the part of it that is shown and
    `kind` how: "scene" itself, "stereo" for the other view of a pair, else a kind of rendition.
    Photographs of one `group` are near-duplicates; those of one `original` are one event.
    """

    id: str
    name: str
    file: str
    original: str
    scene: str
    kind: str
    group: str
    width_px: int
    height_px: int
    discard_reason: str | None
    objects: tuple[KnownObject, ...]

    def objects_at(self, width_px: int, height_px: int) -> tuple[KnownObject, ...]:
        """The objects as they lie in the photograph at another size."""
        frame = Frame((0, 0, self.width_px, self.height_px), (width_px, height_px))
        return tuple(shown for item in self.objects if (shown := show(item, frame)) is not None)


def show(item: KnownObject, frame: Frame) -> KnownObject | None:
    """The object as a frame shows it; None where too little of it is left."""
    share = frame.share_shown(item.box)
    box = frame.show(item.box)
    if box is None or share < 0.2:
        return None
    parts = [KnownPart(part.name, shown) for part in item.parts if (shown := frame.show(part.box))]
    is_cut = share < 0.85  # the annotation guidelines
    return replace(item, box=box, truncated=item.truncated or is_cut, parts=tuple(parts))


def load_known_photographs(folder: Path) -> dict[str, KnownPhoto]:
    """What is known about a folder's demo photographs, by photo id; SettingsError without them."""
    try:
        text = (folder / FILE_NAME).read_bytes()
    except OSError as error:
        raise SettingsError(
            f"{folder} holds no demo photographs; `vocparty demo` makes them."
        ) from error
    return {photo.id: photo for photo in KNOWN.validate_json(text)}


KNOWN = TypeAdapter(list[KnownPhoto])
"""The form of known.json."""
