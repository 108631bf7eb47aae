"""What came of some images of a tree, as one process hands it to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.errors import ImageStoreError

from .findings import Mend, Skip
from .tree_image import StoredFile, TreeImage, TreeObject


@dataclass(frozen=True)
class Brought:
    """Images whose pictures are in the store, durably, and what stood against the others.

    `mends`, and the digests of the files that releases hold where those are other ones, `encoded`,
    are by image. `fault` is why the store did not take a picture.
    """

    images: Sequence[TreeImage] = ()
    mends: Mapping[str, Sequence[Mend]] = field(default_factory=dict)
    encoded: Mapping[str, str] = field(default_factory=dict)
    skipped: Sequence[Skip] = ()
    fault: ImageStoreError | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Tuples that have names take six times as long on their way as plain ones."""
        images = [_pack(*image) for image in self.images]
        return _unpack, (images, self.mends, self.encoded, self.skipped, self.fault)


def _pack(
    image_id: str, annotation: str, file: StoredFile, objects: Sequence[TreeObject], *rest: Any
) -> tuple[Any, ...]:
    return (image_id, annotation, tuple(file), [tuple(item) for item in objects], *rest)


def _unpack(images: Sequence[tuple[Any, ...]], *rest: Any) -> Brought:
    return Brought([_unpack_image(*values) for values in images], *rest)


def _unpack_image(
    image_id: str, annotation: str, file: Sequence[Any], objects: Sequence[Any], *rest: Any
) -> TreeImage:
    whole = tuple([TreeObject._make(values) for values in objects])
    return TreeImage(image_id, annotation, StoredFile._make(file), whole, *rest)
