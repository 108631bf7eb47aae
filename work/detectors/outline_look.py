"""Shows twelve pictures with an outline in each, before a pair of models is kept."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import cv2
import numpy as np
from PIL import Image as Picture
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.errors import ImageDamagedError, ImageMissingError, ImageUnreadableError
from catalog.party import PartyData
from catalog.states import ImageState
from catalog.tables import Image, Object
from vockit.evaluate.errors import explain_write_errors
from vockit.format.own_files import write_own_files
from vockit.viewers.page import Mark, Slide, write_viewer
from work.suggest.values import Watch

from .errors import NothingWaitsError
from .looking import choose_shown
from .outlining import Outliner
from .pairs import Click, Mask
from .preparation import Pixels
from .trained import read_pixels

_LINE = (255, 64, 0)
_NEVER_SHOWN = (ImageState.TAKEN_DOWN, ImageState.DISCARDED, ImageState.DUPLICATE)
_UNREADABLE = (ImageMissingError, ImageDamagedError, ImageUnreadableError, OSError)


@dataclass(frozen=True)
class _Target:
    """An image and the edges of its largest object; `size_wh` is the picture's."""

    image_id: int
    sha256: str
    size_wh: tuple[int, int]
    box: tuple[int, int, int, int]

    @property
    def click(self) -> Click:
        """The middle of the object."""
        left, top, right, bottom = self.box
        return Click((left + right) / 2, (top + bottom) / 2, is_inside=True)


@dataclass
class Seen:
    """The page of the pictures, how many it has, and what one took."""

    page: Path = Path()
    pictures: int = 0
    encoding_secs: float = 0.0
    outlining_secs: float = 0.0
    _times: list[tuple[float, float]] = field(default_factory=list)

    def add(self, encoding_secs: float, outlining_secs: float) -> None:
        """One more picture; what one took is the median."""
        self._times.append((encoding_secs, outlining_secs))
        self.pictures = len(self._times)
        self.encoding_secs, self.outlining_secs = map(median, zip(*self._times, strict=True))


def look_at_some(
    party: PartyData, outliner: Outliner, folder: Path, name: str, watch: Watch
) -> Seen:
    """What the pair outlines in twelve of the party's images, as a page in the folder.

    Raises NothingWaitsError, ModelError, ForeignFileError and WriteError.
    """
    with party.catalogue.reading() as session:
        targets = choose_shown(_list_targets(session))
    seen = Seen()
    outlined: list[tuple[_Target, Pixels]] = []
    with watch("Looking at the first", len(targets), "images") as advance:
        for target in targets:
            try:
                pixels = read_pixels(party.store, target.sha256)
            except _UNREADABLE:
                continue
            outlined.append((target, _outline(outliner, target, pixels, seen)))
            advance(1)
    if not outlined:
        raise NothingWaitsError("The party has no image with objects to look at.")
    seen.page = _write_page(folder, f"{name}: what it outlines in some pictures", outlined)
    return seen


def _outline(outliner: Outliner, target: _Target, pixels: Pixels, seen: Seen) -> Pixels:
    """The picture with the outline in it."""
    begun = time.perf_counter()
    embedding = outliner.encode(pixels)
    encoded = time.perf_counter()
    mask = outliner.outline(embedding, [target.click], target.box)
    seen.add(encoded - begun, time.perf_counter() - encoded)
    return _draw(pixels, mask)


def _draw(pixels: Pixels, mask: Mask) -> Pixels:
    rings, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    drawn = pixels.copy()
    cv2.drawContours(drawn, rings, -1, _LINE, max(2, max(pixels.shape) // 300))
    return drawn


def _list_targets(session: Session) -> list[_Target]:
    """The images with objects, in the order of their numbers, each with its largest object."""
    rows = session.execute(
        select(Image, Object)
        .join(Object, Object.annotation_id == Image.annotation_id)
        .where(Image.state.not_in(_NEVER_SHOWN))
        .order_by(Image.id, Object.id)
    ).tuples()
    largest: dict[int, tuple[Image, Object]] = {}
    for image, item in rows:
        known = largest.get(image.id)
        if known is None or item.box.area_px > known[1].box.area_px:
            largest[image.id] = image, item
    return [_make_target(image, item) for image, item in largest.values()]


def _make_target(image: Image, item: Object) -> _Target:
    xmin, ymin, xmax, ymax = item.box.xyxy
    edges = (xmin - 1, ymin - 1, xmax, ymax)
    return _Target(image.id, image.sha256, (image.width, image.height), edges)


def _write_page(folder: Path, title: str, outlined: Sequence[tuple[_Target, Pixels]]) -> Path:
    pictures = {f"{target.image_id}.jpg": _encode(pixels) for target, pixels in outlined}
    with explain_write_errors():
        folder.mkdir(parents=True, exist_ok=True)
        write_own_files(folder, pictures, kind="look")
    return write_viewer(folder, title, [_make_slide(folder, target) for target, _ in outlined])


def _make_slide(folder: Path, target: _Target) -> Slide:
    left, top, right, bottom = target.box
    x = round(target.click.x)
    y = round(target.click.y)
    marks = [
        Mark((left + 1, top + 1, right, bottom), ("object",), "", "its box"),
        Mark((x, y, x, y), ("object",), "", "the click"),
    ]
    picture = folder / f"{target.image_id}.jpg"
    return Slide(str(target.image_id), picture, target.size_wh, marks)


def _encode(pixels: Pixels) -> bytes:
    target = io.BytesIO()
    Picture.fromarray(pixels).save(target, "JPEG", quality=85)
    return target.getvalue()
