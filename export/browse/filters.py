"""Which images of a tree somebody wants to see. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from export.formats.tree_images import TreeContent, TreeImage
from export.voc.records import VocObject

from .sets import Sets

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
    """Images of one set, with an object of a class that has a flag; empty words ask for nothing.

    `text` is a part of the image's id.
    """

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
        if self.text and self.text not in image.image_id:
            return False
        if not self.class_name and not self.flag:
            return True
        return any(self.marks(item) for item in image.objects)

    def marks(self, item: VocObject) -> bool:
        """Whether the object is one of those asked for; every one where none is."""
        if self.class_name not in ("", item.name):
            return False
        return not self.flag or FLAGS[self.flag](item)


def parse_wish(values: Mapping[str, str]) -> Wish:
    """The wish in an address; a flag that there is not asks for nothing."""
    flag = values.get("flag", "")
    return Wish(
        set_name=values.get("set", ""),
        class_name=values.get("class", ""),
        flag=flag if flag in FLAGS else "",
        text=values.get("id", "").strip(),
    )


def find_images(content: TreeContent, wish: Wish, sets: Sets) -> list[TreeImage]:
    """The images that fit, in ascending order of their ids."""
    return [image for image in content.images if wish.fits(image, sets)]


def find_neighbours(images: Sequence[TreeImage], image_id: str) -> tuple[str | None, str | None]:
    """The ids before and after an image; None at the ends, and where it is not among them."""
    ids = [image.image_id for image in images]
    if image_id not in ids:
        return None, ids[0] if ids else None
    place = ids.index(image_id)
    return (
        ids[place - 1] if place else None,
        ids[place + 1] if place + 1 < len(ids) else None,
    )


def count_classes(images: Iterable[TreeImage]) -> Counter[str]:
    """In how many of the images each class has an object."""
    return Counter(name for image in images for name in {item.name for item in image.objects})
