"""What of a tree is shown: its lists, the wish of a reader, the images that fit it, and drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
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
    def pairs(self) -> dict[str, str]:
        """What is asked for, by its name in an address."""
        pairs = {"set": self.set_name, "class": self.class_name, "flag": self.flag, "id": self.text}
        return {key: value for key, value in pairs.items() if value}

    @property
    def query(self) -> str:
        """The wish as an address has it."""
        return urlencode(self.pairs)

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


class Gallery:
    """A tree that was loaded, and its lists."""

    def __init__(self, content: TreeContent, root: Path) -> None:
        self.content, self.root = content, root
        self.by_id: Mapping[str, TreeImage] = {it.image_id: it for it in content.images}
        self.sets = load_sets(root, self.by_id)

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


def find_colour(number: int) -> str:
    """The colour of the class of that number; by the golden angle, near numbers differ most."""
    return f"hsl({number * 137.508 % 360:.0f} 95% 65%)"
