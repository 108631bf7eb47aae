"""Images put into a party's catalogue and store, as collecting leaves them."""

import io
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np
from PIL import Image as PILImage
from sqlalchemy import func, select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Duplicate, Image, Photo, Signature
from dedup.jobs import DedupSummary, remove_duplicates
from dedup.signature.origin import Origin
from dedup.signature.picture import make_picture
from dedup.signature.signature import RECIPE, make_signature, pack_signature
from dedup.signature.signature import Signature as ImageSignature
from tests.rows import make_image

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOON


def run(party: Party) -> DedupSummary:
    return remove_duplicates(party, workers=2, clock=clock)


def add_file(party: Party, data: bytes, *, size_wh: tuple[int, int] | None = None) -> int:
    """The id of a fetched image with these bytes in the store; its size is the file's own."""
    if size_wh is None:
        size_wh = 500, 375
        broken = OSError, PILImage.DecompressionBombError
        with suppress(*broken), PILImage.open(io.BytesIO(data)) as image:
            size_wh = image.size
    return add_row(party, party.store.put(data), size_wh=size_wh)


def add_row(party: Party, sha256: str, *, size_wh: tuple[int, int] = (500, 375)) -> int:
    """The id of a fetched image with this digest, whether or not the store has it."""
    with party.catalogue.writing() as session:
        width, height = size_wh
        image = make_image(sha256, NOON, width=width, height=height, state=ImageState.FETCHED)
        session.add(image)
        session.flush()
        return image.id


def add_hashed(
    party: Party,
    scene: int,
    *,
    share: float = 1.0,
    size_wh: tuple[int, int] = (500, 375),
    quality: float = 100.0,
    state: ImageState = ImageState.HASHED,
    recipe: str = RECIPE,
) -> int:
    """The id of a hashed image without a file: the middle of an invented scene.

    Images of one scene are near-duplicates if their shares differ by little.
    """
    with party.catalogue.reading() as session:
        number = session.scalar(select(func.count()).select_from(Image)) or 0
    image_id = add_row(party, digest_of(b"%d" % number), size_wh=size_wh)
    signature = paint_scene(scene, share)
    hashed = pack_signature(signature)
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        for name, value in hashed.image.items():
            setattr(image, name, value)
        image.quality = quality
        image.hash_recipe = recipe
        image.state = state
        fields = {"image_id": image_id, "recipe": recipe, "real_px": size_wh[0] * size_wh[1]}
        is_compared = state is not ImageState.HASHED
        session.add(Signature(**hashed.signature | fields, is_compared=is_compared))
    return image_id


@cache
def paint_scene(scene: int, share: float = 1.0) -> ImageSignature:
    """The signature of the middle of a picture of soft shapes, unique to the scene."""
    levels = np.random.default_rng(scene).integers(0, 256, (32, 32), dtype=np.uint8)
    cut = 256 * (1 - share) / 2
    shown = PILImage.fromarray(levels).resize((256, 256), PILImage.Resampling.BICUBIC)
    grey = shown.resize((320, 240), box=(cut, cut, 256 - cut, 256 - cut))
    return make_signature(make_picture(grey, Origin(320 * 240, 100.0)))


def add_photo(party: Party, image_id: int, **values: Any) -> None:
    """A photo that the image came from."""
    with party.catalogue.writing() as session:
        number = len(session.scalars(select(Photo.id)).all())
        known = {"source": Source.FLICKR, "source_id": str(number), "state": PhotoState.FETCHED}
        session.add(Photo(image_id=image_id, found_at=NOON, **known, **values))


def set_state(party: Party, image_id: int, state: ImageState) -> None:
    with party.catalogue.writing() as session:
        session.get_one(Image, image_id).state = state


def load_states(party: Party) -> dict[int, str]:
    with party.catalogue.reading() as session:
        rows = session.execute(select(Image.id, Image.state).order_by(Image.id))
        return {image_id: state.value for image_id, state in rows}


def load_image(party: Party, image_id: int) -> Image:
    with party.catalogue.reading() as session:
        return session.get_one(Image, image_id)


def load_duplicates(party: Party, relation: str = "duplicate") -> dict[int, int]:
    """The kept image of each removed one, or the images of another relation."""
    with party.catalogue.reading() as session:
        rows = session.scalars(
            select(Duplicate).where(Duplicate.undone_at.is_(None), Duplicate.relation == relation)
        )
        return {row.image_id: row.kept_image_id for row in rows}
