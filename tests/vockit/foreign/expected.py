"""What a reader of a converted tree has to find."""

from collections import Counter

from vockit.foreign.boxes import xywh
from vockit.foreign.tree_images import TreeContent

Found = Counter[tuple[str, str, tuple[int, int, int, int]]]
"""Image id, class, and left, top, width and height in pixels from 0, rounded to the pixel."""


def expect(content: TreeContent, *set_names: str) -> Found:
    """The objects of these sets according to the tree."""
    return Counter(
        (image.image_id, item.name, tuple(round(number) for number in xywh(item.box)))  # type: ignore[misc]
        for image in content.images
        if image.set_name in set_names
        for item in image.objects
    )
