"""Every image that a set lists has an id that the kit takes, a picture and an annotation."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from export.voc import tree

from .facts import ImageFacts, check_picture
from .image_sets import ImageSet
from .trees import Tree, list_names
from .violations import Violations

FIRST_KIT_WITH_HASHED_IDS = 2008
SHORTEST_ID = 11


@dataclass(frozen=True)
class _Listing:
    """The first line that lists an image; `is_blind` where its annotation is not released."""

    image_id: str
    path: Path
    line: int
    is_blind: bool


def check_listed(
    tree_: Tree,
    folders: Mapping[str, Mapping[str, ImageSet]],
    facts: Mapping[str, ImageFacts],
    violations: Violations,
) -> None:
    """Check each listed image once, at the first line that lists it."""
    pictures = _Pictures(list_names(tree_.root / tree.JPEG_IMAGES, ""))
    listings = _first_listings(folders, facts)
    _check_unlisted(tree_, pictures.ids, listings, violations)
    for listing in listings.values():
        _check_id(tree_, listing, violations)
        pictures.check(listing, violations)
        if listing.image_id in facts:
            continue
        if not listing.is_blind:
            message = f"expected {tree.annotation_path(listing.image_id)}"
            violations.add(listing.path, listing.line, "annotation-missing", message)
        if pictures.has(listing.image_id):
            check_picture(tree_, listing.image_id, violations)


def is_blind(set_name: str, image_set: ImageSet, annotated: Container[str]) -> bool:
    """Whether it is a test set whose annotations are not released: none of them is there."""
    return set_name == "test" and not any(it.image_id in annotated for it in image_set.lines)


def _first_listings(
    folders: Mapping[str, Mapping[str, ImageSet]], annotated: Container[str]
) -> dict[str, _Listing]:
    listings: dict[str, _Listing] = {}
    for sets in folders.values():
        for name, image_set in sets.items():
            blind = is_blind(name, image_set, annotated)
            for image_id, line in image_set.line_of.items():
                listings.setdefault(image_id, _Listing(image_id, image_set.path, line, blind))
    return listings


def _check_unlisted(
    tree_: Tree, image_ids: Iterable[str], listings: Container[str], violations: Violations
) -> None:
    for image_id in image_ids:
        if image_id not in listings:
            path = tree_.root / tree.jpeg_path(image_id)
            violations.add(path, 1, "unlisted", "expected a set that lists the picture")


def _check_id(tree_: Tree, listing: _Listing, violations: Violations) -> None:
    """The kit makes a number of characters 3-4, 6-11 and 13 to the end (VOChash, 2012 kit)."""
    image_id = listing.image_id
    digits = image_id[2:4] + image_id[5:11] + image_id[12:]
    if tree_.kit_year < FIRST_KIT_WITH_HASHED_IDS:
        return
    if len(image_id) < SHORTEST_ID or not re.fullmatch("[0-9]+", digits):
        message = f"expected an id like 2008_000001, of which the kit makes a number: {image_id!r}"
        violations.add(listing.path, listing.line, "id", message)


class _Pictures:
    """The names in JPEGImages, and how they are spelled where their endings differ."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._spellings = {
            name.lower().replace(".jpeg", ".jpg"): name for name in sorted(self._names)
        }

    @property
    def ids(self) -> list[str]:
        """The images that have a picture, in ascending order."""
        return sorted(it.removesuffix(".jpg") for it in self._names if it.endswith(".jpg"))

    def has(self, image_id: str) -> bool:
        """Whether the image's picture is there."""
        return f"{image_id}.jpg" in self._names

    def check(self, listing: _Listing, violations: Violations) -> None:
        """Add a violation where the picture is missing."""
        if not self.has(listing.image_id):
            found = self._spellings.get(f"{listing.image_id}.jpg".lower())
            message = f"expected {tree.jpeg_path(listing.image_id)}"
            message += f", found {found}" if found else ""
            violations.add(listing.path, listing.line, "picture-missing", message)
