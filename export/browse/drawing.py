"""How an image is drawn: a colour for each of its classes, and names that keep off each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from export.formats.tree_images import TreeImage
from export.voc.records import VocBox, VocObject

COLOURS = 12
"""How many colours the style sheet has for classes."""
SHOWN_WIDTH_PX, SHOWN_HEIGHT_PX = 800, 620
"""Of the place for a picture in a window of 1280 x 720."""
LETTER_PX = 13.0
_LETTER_WIDTH = 0.62
_GAP = 0.35
"""Both in heights of a letter."""


@dataclass(frozen=True)
class Label:
    """A name beside its box; `x` and `y` are the left end of its base line, in image pixels."""

    text: str
    x: float
    y: float


@dataclass(frozen=True)
class _Area:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Area) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def find_colours(image: TreeImage, number_of: Mapping[str, int]) -> dict[str, int]:
    """A colour for each class of the image: its own, or the next one that no other class has."""
    names = sorted({item.name for item in image.objects}, key=lambda name: number_of[name])
    colours: dict[str, int] = {}
    for name in names:
        colour = number_of[name] % COLOURS
        while colour in colours.values() and len(colours) < COLOURS:
            colour = (colour + 1) % COLOURS
        colours[name] = colour
    return colours


def find_letter_height(image: TreeImage) -> float:
    """The height of letters in image pixels."""
    size = image.size
    shrink = max(float(size.width) / SHOWN_WIDTH_PX, float(size.height) / SHOWN_HEIGHT_PX)
    return round(LETTER_PX * shrink, 2)


def place_labels(image: TreeImage) -> list[Label]:
    """The name of each object, above its box where there is room, else inside or below."""
    height = find_letter_height(image)
    taken: list[_Area] = []
    labels = []
    for number, item in enumerate(image.objects, start=1):
        text = _name(number, item)
        areas = _find_areas(item.box, image, height, len(text) * height * _LETTER_WIDTH)
        area = next((it for it in areas if not any(it.meets(other) for other in taken)), areas[0])
        taken.append(area)
        labels.append(Label(text, round(area.left, 1), round(area.bottom - height * _GAP, 1)))
    return labels


def _name(number: int, item: VocObject) -> str:
    view = f" {item.pose}" if item.pose and item.pose != "Unspecified" else ""
    flags = (("T", item.truncated), ("O", item.occluded), ("D", item.difficult))
    letters = "".join(letter for letter, is_set in flags if is_set)
    return f"{number} {item.name}{view}{' ' if letters else ''}{letters}"


def _find_areas(box: VocBox, image: TreeImage, height: float, width: float) -> Sequence[_Area]:
    """Where the name may stand, the best first; all inside the picture."""
    line = height * (1 + _GAP)
    rest = max(float(image.size.width) - width, 0)
    left = min(max(float(box.xmin), 0), rest)
    tops = (box.ymin - line, box.ymin, box.ymax, box.ymax - line, box.ymin + line)
    right_aligned = min(max(float(box.xmax) - width, 0), rest)
    areas = [
        _Area(x, float(top), x + width, float(top) + line)
        for x in (left, right_aligned)
        for top in tops
    ]
    inside = [it for it in areas if it.top >= 0 and it.bottom <= float(image.size.height)]
    return inside or [_Area(left, 0, left + width, line)]
