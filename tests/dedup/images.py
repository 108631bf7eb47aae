"""Images put into a party's catalogue and store, as collecting leaves them."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Duplicate, Image, Photo
from dedup.hashes import RECIPE

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOON


def add_file(party: Party, data: bytes, *, size_wh: tuple[int, int] = (500, 375)) -> int:
    """The id of a fetched image with these bytes in the store."""
    return add_row(party, party.store.put(data), size_wh=size_wh)


def add_row(party: Party, sha256: str, *, size_wh: tuple[int, int] = (500, 375)) -> int:
    """The id of a fetched image of this digest, whatever the store holds."""
    with party.catalogue.writing() as session:
        image = Image(
            sha256=sha256,
            width=size_wh[0],
            height=size_wh[1],
            bytes=1,
            stored_at=NOON,
            state=ImageState.FETCHED,
            state_at=NOON,
        )
        session.add(image)
        session.flush()
        return image.id


def add_hashed(
    party: Party,
    phash_256: int,
    *,
    phash_64: int = 0,
    size_wh: tuple[int, int] = (500, 375),
    quality: float = 100.0,
    state: ImageState = ImageState.HASHED,
    recipe: str = RECIPE,
) -> int:
    """The id of an image with planted hashes and no file."""
    with party.catalogue.reading() as session:
        number = len(session.scalars(select(Image.id)).all())
    image_id = add_row(party, digest_of(b"%d" % number), size_wh=size_wh)
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        image.phash_64, image.phash_256 = f"{phash_64:016x}", f"{phash_256:064x}"
        image.quality, image.hash_recipe, image.state = quality, recipe, state
    return image_id


def add_photo(
    party: Party,
    image_id: int,
    *,
    uploaded_at: datetime | None = None,
    licence_url: str | None = None,
) -> None:
    """A photo that the image came from."""
    with party.catalogue.writing() as session:
        number = len(session.scalars(select(Photo.id)).all())
        session.add(
            Photo(
                source=Source.FLICKR,
                source_id=str(number),
                state=PhotoState.FETCHED,
                uploaded_at=uploaded_at,
                licence_url=licence_url,
                found_at=NOON,
                image_id=image_id,
            )
        )


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


def load_duplicates(party: Party) -> dict[int, int]:
    """The kept image of each one that is put aside."""
    with party.catalogue.reading() as session:
        rows = session.scalars(select(Duplicate).where(Duplicate.undone_at.is_(None)))
        return {row.image_id: row.kept_image_id for row in rows}
