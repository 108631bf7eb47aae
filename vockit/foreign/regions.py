"""The pixels of objects, as their masks show them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vockit.format.masks import VOID, MaskError, read_mask

from .boxes import xywh
from .tree_files import read_bytes
from .tree_images import LoadedImage, TreeContent

Region = NDArray[np.bool_] | None
"""The pixels of one object; None where no mask tells them."""


def find_regions(image: LoadedImage) -> list[Region]:
    """The pixels of each object; of a difficult one without own pixels the void ones in its box."""
    data = read_bytes(image.object_mask) if image.object_mask else ""
    try:
        size_wh = (int(image.size.width), int(image.size.height))
        labels = None if isinstance(data, str) else read_mask(data, size_wh)
    except MaskError:  # verify names it; the boxes are as good as before
        labels = None
    if labels is None:
        return [None] * len(image.objects)
    regions: list[Region] = []
    for number, item in enumerate(image.objects, start=1):
        region = labels == number if number < VOID else np.zeros_like(labels, np.bool_)
        if item.difficult and not region.any():
            left, top, width, height = map(int, xywh(item.box))
            rows = slice(max(top, 0), top + height)
            columns = slice(max(left, 0), left + width)
            region[rows, columns] = labels[rows, columns] == VOID
        regions.append(region if region.any() else None)
    return regions


def select_outlined(content: TreeContent) -> TreeContent:
    """The images whose masks show their objects; the others are skipped, not empty."""
    images = list[LoadedImage]()
    skipped = list(content.skipped)
    without_mask: list[tuple[str, str]] = []
    for image in content.images:
        if not image.object_mask:
            without_mask.append((image.image_id, "it has no mask of objects"))
        elif image.objects and all(region is None for region in find_regions(image)):
            reason = "its mask cannot be read or shows none of its objects"
            skipped.append((image.image_id, reason))
        else:
            images.append(image)
    return replace(content, images=tuple(images), skipped=(*skipped, *without_mask))
