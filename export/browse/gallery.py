"""What of a tree is shown: its lists, the wish of a reader, the images that fit it, and drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from export.formats.tree_images import UNLISTED, TreeContent, TreeImage
from export.verify.image_sets import read_listed
from voc import tree
from voc.image_sets import SETS
from voc.records import VocObject

MASKS = {"class": tree.SEGMENTATION_CLASS, "object": tree.SEGMENTATION_OBJECT}
Sets = Mapping[str, frozenset[str]]
"""The images of each list: those of Main by their names, others with their folder in front."""
FLAGS: Mapping[str, Callable[[VocObject], bool]] = {
    "truncated": lambda item: bool(item.truncated),
    "occluded": lambda item: bool(item.occluded),
    "difficult": lambda item: bool(item.difficult),
    "parts": lambda item: bool(item.parts),
    "actions": lambda item: any(action.is_performed for action in item.actions or ()),
    "point": lambda item: item.point is not None,
}
"""What can be asked of an object."""


@dataclass(frozen=True)
class Wish:
    """Images of one set, with an object of a class that has a flag; empty words ask for nothing."""

    set_name: str = ""
    class_name: str = ""
    flag: str = ""
    text: str = ""

    @property
    def query(self) -> str:
        """The wish as an address has it."""
        pairs = {"set": self.set_name, "class": self.class_name, "flag": self.flag, "id": self.text}
        return urlencode({key: value for key, value in pairs.items() if value})

    def fits(self, image: TreeImage, sets: Sets) -> bool:
        """Whether the image is wanted; class and flag are asked of one and the same object."""
        if self.set_name and image.image_id not in sets.get(self.set_name, ()):
            return False
        is_any = not (self.class_name or self.flag)
        return self.text in image.image_id and (is_any or any(map(self.marks, image.objects)))

    def marks(self, item: VocObject) -> bool:
        """Whether the object is one of those asked for; every one where none is."""
        is_of_class = self.class_name in ("", item.name)
        return is_of_class and (not self.flag or FLAGS[self.flag](item))


def parse_wish(values: Mapping[str, str]) -> Wish:
    """The wish in an address; a flag that there is not asks for nothing."""
    flag = values.get("flag", "")
    return Wish(
        set_name=values.get("set", ""),
        class_name=values.get("class", ""),
        flag=flag if flag in FLAGS else "",
        text=values.get("id", "").strip(),
    )


def find_neighbours(images: Sequence[TreeImage], image_id: str) -> tuple[str | None, str | None]:
    """The ids before and after an image; None at the ends, and where it is not among them."""
    ids = [None, *(image.image_id for image in images), None]
    place = ids.index(image_id) if image_id in ids else 0
    return ids[place - 1], ids[place + 1]


class Gallery:
    """A tree that was loaded, and its lists."""

    def __init__(self, content: TreeContent, root: Path) -> None:
        self.content, self.root = content, root
        self.by_id: Mapping[str, TreeImage] = {it.image_id: it for it in content.images}
        self.sets = load_sets(root, self.by_id)
        self.number_of = {name: number for number, name in enumerate(content.classes)}

    def find(self, wish: Wish) -> list[TreeImage]:
        """The images that fit the wish."""
        return [image for image in self.content.images if wish.fits(image, self.sets)]

    def count(self, set_name: str) -> tuple[int, Mapping[str, int]]:
        """How many images the set has, and in how many of them each class is."""
        images = self.find(Wish(set_name=set_name))
        return len(images), Counter(name for it in images for name in {o.name for o in it.objects})

    def mask_path(self, image: TreeImage, kind: str) -> Path | None:
        """The image's mask of its classes, or of its objects; None where it has none."""
        path = self.root / MASKS[kind] / f"{image.image_id}.png"
        return path if path.is_file() else None


def load_sets(root: Path, image_ids: Iterable[str]) -> Sets:
    """The images of each list that names any; last those of `image_ids` that no list names."""
    sets: dict[str, frozenset[str]] = {}
    for folder, name in product((tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION), SETS):
        lines = read_listed(root / tree.set_path(folder, name))
        if lines and not isinstance(lines, str):
            key = name if folder == tree.MAIN else f"{Path(folder).name}/{name}"
            sets[key] = frozenset(line.image_id for line in lines)
    unlisted = frozenset(image_ids).difference(*sets.values())
    return sets | ({UNLISTED: unlisted} if unlisted else {})


COLOURS = 12
"""How many colours the style sheet has for classes."""
SHOWN_WIDTH_PX, SHOWN_HEIGHT_PX = 800, 620
"""Of the place for a picture in a window of 1280 x 720."""
LETTER_PX = 13.0
_LETTER_WIDTH = 0.62
"""In heights of a letter."""


class Label(NamedTuple):
    """A name next to its box; `x` and `y` are the left end of its base line, in image pixels."""

    text: str
    x: float
    y: float


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
    """The name of each object, above its box, or inside it at the top of the picture."""
    height = find_letter_height(image)
    labels = []
    for number, item in enumerate(image.objects, start=1):
        text = _name_object(number, item)
        room = float(image.size.width) - len(text) * height * _LETTER_WIDTH
        above = item.box.ymin - height / 3
        base = above if above >= height else item.box.ymin + height
        x, y = max(min(item.box.xmin, room), 0), max(min(base, float(image.size.height)), height)
        labels.append(Label(text, round(x, 1), round(y, 1)))
    return labels


def _name_object(number: int, item: VocObject) -> str:
    view = f" {item.pose}" if item.pose and item.pose != "Unspecified" else ""
    flags = (("T", item.truncated), ("O", item.occluded), ("D", item.difficult))
    letters = "".join(letter for letter, is_set in flags if is_set)
    return f"{number} {item.name}{view} {letters}".rstrip()
