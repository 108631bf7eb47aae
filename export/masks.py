"""Segmentation masks of imported images, which go out again as they came."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.image_store import ImageStore

from .files import tree_path
from .plan import ReleasePlan
from .voc import tree


def iterate_masks(plan: ReleasePlan, store: ImageStore) -> Iterator[tuple[str, bytes]]:
    """The path and bytes of every mask of an image whose annotation the release shows.

    Raises ImageMissingError where one is gone from the image store.
    """
    root = tree_path(plan)
    for image in plan.annotated:
        for folder, sha256 in sorted(image.form.masks.items()) if image.form else ():
            yield f"{root}/{tree.mask_path(folder, image.public_id)}", store.get(sha256)
