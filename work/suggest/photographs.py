"""Photographs by the names that a detector's files have for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from sqlalchemy import select

from catalog.session import Catalogue, in_parts
from catalog.states import SEARCHED, ImageState
from catalog.tables import Image, Photo, ReleaseImage

_OURS = re.compile(r"image-([0-9]{1,10})-([0-9a-f]{8})")
_CLOSED = {
    ImageState.TAKEN_DOWN: "a photograph that was taken down",
    ImageState.DUPLICATE: "a near-duplicate of another photograph",
    ImageState.BROKEN: "a photograph that is broken",
}
UNKNOWN = "a photograph that the party does not have"
AMBIGUOUS = "a name that several photographs have"


def name_file(image_id: int, sha256: str) -> str:
    """The name, without extension, of an image's file for a detector.

    The digest tells it from an image of another party with the same number.
    """
    return f"image-{image_id:06}-{sha256[:8]}"


@dataclass(frozen=True, slots=True)
class Photograph:
    """An image that a name means; `fault` says why it takes no suggestions."""

    id: int = 0
    width_px: int = 1
    height_px: int = 1
    fault: str = ""


class Photographs:
    """The images of a party by number or name; each is looked up once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._found: dict[int | str, Photograph] = {}
        self._others: dict[str, int] | None = None

    def find_all(self, words: Sequence[int | str]) -> list[Photograph]:
        """What each number or name of a file means.

        A name is that of `name_file`, or the one that an import or a release had for it, with or
        without folder and extension.
        """
        self._look_up(set(words) - self._found.keys())
        return [self._found[word] for word in words]

    def list_found(self) -> set[int]:
        """The numbers of all images that were found so far and take suggestions."""
        return {photograph.id for photograph in self._found.values() if not photograph.fault}

    def _look_up(self, words: set[int | str]) -> None:
        ids = {word: self._find_id(word) for word in words}
        rows = self._load(sorted({image_id for image_id, _ in ids.values() if image_id > 0}))
        for word, (image_id, digest) in ids.items():
            row = rows.get(image_id)
            if image_id < 0:
                self._found[word] = Photograph(fault=AMBIGUOUS)
            elif row is None or not row[1].startswith(digest):
                self._found[word] = Photograph(fault=UNKNOWN)
            else:
                self._found[word] = row[0]

    def _find_id(self, word: int | str) -> tuple[int, str]:
        """The number that a word means, 0 for none and -1 for several, and a digest's beginning."""
        if isinstance(word, int):
            return word, ""
        name = word.replace("\\", "/")
        stem = drop_extension(name)
        if match := _OURS.fullmatch(stem.rpartition("/")[2]):
            return int(match[1]), match[2]
        if self._others is None:
            self._others = self._load_others()
        for form in (name, stem, stem.rpartition("/")[2]):
            if form in self._others:
                return self._others[form], ""
        return 0, ""

    def _load_others(self) -> dict[str, int]:
        """The images by the names that imports and releases had; -1 for a name of several."""
        imported = select(Photo.source_id, Photo.image_id).where(
            Photo.image_id.is_not(None), Photo.source.not_in(SEARCHED)
        )
        released = select(ReleaseImage.public_id, ReleaseImage.image_id)
        names: dict[str, int] = {}
        with self._catalogue.reading() as session:
            for rows in (session.execute(imported), session.execute(released)):
                for name, image_id in rows:
                    for form in _list_forms(name):
                        if names.setdefault(form, image_id) != image_id:
                            names[form] = -1
        return names

    def _load(self, ids: Sequence[int]) -> dict[int, tuple[Photograph, str]]:
        columns = select(Image.id, Image.width, Image.height, Image.state, Image.sha256)
        rows: dict[int, tuple[Photograph, str]] = {}
        with self._catalogue.reading() as session:
            for some in in_parts(ids):
                for number, width, height, state, sha256 in session.execute(
                    columns.where(Image.id.in_(some))
                ):
                    photograph = Photograph(number, width, height, _CLOSED.get(state, ""))
                    rows[number] = photograph, sha256
        return rows


def drop_extension(name: str) -> str:
    """The path without the extension of a picture's file; a dot in a name stays."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if _EXTENSION.fullmatch(path.suffix) else name


_EXTENSION = re.compile(r"\.(jpe?g|png|bmp|gif|webp|tiff?|txt|xml)", re.IGNORECASE)


def _list_forms(name: str) -> Iterable[str]:
    """A name as files of detectors may have it."""
    stem = drop_extension(name.replace("\\", "/"))
    return {name, stem, stem.rpartition("/")[2]}
