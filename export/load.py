"""The catalogue's rows that a release is made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from sys import intern
from typing import Any

from sqlalchemy import Row, func, or_, select
from sqlalchemy.orm import Session

from catalog.states import FindingVerdict, ImageState, PhotoState
from catalog.tables import (
    Annotation,
    Duplicate,
    Finding,
    Image,
    PairLabel,
    Photo,
    Query,
    Release,
    ReleaseImage,
)

from .groups import NEAR, Link
from .load_revisions import load_chains, load_reviews
from .rows import FrozenImage, FrozenRelease, HashRow, ImageRow, PhotoRow, ReviewRow, RevisionRow
from .slices import slices, within

DUPLICATE, DIFFERENT = "duplicate", "different"
"""Dedup's and people's words on two images."""
UNCHECKED = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.RETURNED,
)
"""Annotated, and no checker has let it pass yet."""
RELEASABLE = (ImageState.CHECKED, ImageState.RELEASED)


def load_checked(session: Session) -> list[ImageRow]:
    """Every image that passed checking, with its newest revision, in order of its digest."""
    found = session.execute(
        select(Image.id, Annotation.id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Image.state.in_(RELEASABLE))
    )
    return load_images(session, dict(found.tuples().all()))


def load_images(session: Session, annotation_ids: Mapping[int, int]) -> list[ImageRow]:
    """The images of these ids, each with the revision given for it, in order of their digests."""
    chains = load_chains(session, annotation_ids)
    reviews = load_reviews(session, chains)
    photos = _load_photos(session, annotation_ids)
    connection = session.connection()
    rows = [
        _image_row(image, photos.get(image[0], ()), chains[image[0]], reviews[image[0]])
        for some_ids in slices(annotation_ids)
        for image in connection.execute(
            select(*_IMAGE_COLUMNS).where(within(Image.id, some_ids))
        ).all()
        if image[0] in annotation_ids
    ]
    return sorted(rows, key=attrgetter("sha256"))


def load_links(session: Session) -> tuple[list[Link], set[frozenset[int]]]:
    """What dedup and people bound, and the pairs of which somebody said that they are different."""
    found = select(Duplicate.image_id, Duplicate.kept_image_id, Duplicate.relation)
    links = [
        Link(first, second, NEAR if relation == DUPLICATE else relation.replace("_", " "))
        for first, second, relation in session.execute(
            found.where(Duplicate.undone_at.is_(None)).order_by(Duplicate.id)
        )
    ]
    apart = {
        frozenset(pair)
        for *pair, _ in session.execute(found.where(Duplicate.undone_at.is_not(None)))
    }
    said = {
        (first, second): verdict
        for first, second, verdict in session.execute(
            select(PairLabel.first_image_id, PairLabel.second_image_id, PairLabel.verdict)
            .where(PairLabel.undone_at.is_(None))
            .order_by(PairLabel.id)
        )
    }
    different = {frozenset(pair) for pair, verdict in said.items() if verdict == DIFFERENT}
    bound = {frozenset((link.first_id, link.second_id)) for link in links}
    links += [
        Link(*pair, NEAR if verdict == DUPLICATE else verdict.replace("_", " "))
        for pair, verdict in said.items()
        if verdict != DIFFERENT and frozenset(pair) not in bound
    ]
    return links, (apart - bound) | different


def load_release(session: Session, name: str) -> FrozenRelease | None:
    """The release of that name with its images in order of their public ids, or None."""
    release = session.scalar(select(Release).where(Release.name == name))
    if release is None:
        return None
    images = session.execute(
        select(
            ReleaseImage.image_id,
            ReleaseImage.annotation_id,
            ReleaseImage.split,
            ReleaseImage.public_id,
            ReleaseImage.form,
        )
        .where(ReleaseImage.release_id == release.id)
        .order_by(ReleaseImage.public_id)
    )
    frozen = tuple(FrozenImage(*image) for image in images)
    return FrozenRelease(release.name, release.year, release.settings, frozen)


def load_public_ids(session: Session) -> list[tuple[str, int]]:
    """Every public id that was ever given, and its image; the earliest first."""
    given = select(ReleaseImage.public_id, ReleaseImage.image_id).order_by(ReleaseImage.id)
    return list(session.execute(given).tuples())


def load_given_revisions(session: Session) -> dict[str, tuple[int, int]]:
    """For every public id its image and the revision that the latest release has of it."""
    given = select(ReleaseImage.public_id, ReleaseImage.image_id, ReleaseImage.annotation_id)
    rows = session.execute(given.order_by(ReleaseImage.id))
    return {public_id: (image_id, annotation_id) for public_id, image_id, annotation_id in rows}


def load_withdrawn_ids(session: Session) -> set[int]:
    """The images that were taken down."""
    return set(session.scalars(select(Image.id).where(Image.state == ImageState.TAKEN_DOWN)))


def count_open_errors(session: Session, image_ids: Iterable[int]) -> int:
    """How many findings of severity error on these images are unjudged, or right and not mended."""
    is_open = or_(Finding.verdict.is_(None), Finding.verdict == FindingVerdict.RIGHT)
    counted = select(func.count()).where(Finding.severity == "error", is_open)
    return sum(
        session.scalar(counted.where(Finding.image_id.in_(some_ids))) or 0
        for some_ids in slices(image_ids)
    )


def count_unreleased(session: Session) -> int:
    """How many images passed checking and are in no release, made here or imported."""
    released = (
        select(ReleaseImage.image_id)
        .join(Annotation, Annotation.id == ReleaseImage.annotation_id)
        .where(Annotation.is_finished)  # an imported release may have the picture alone
    )
    statement = select(func.count()).where(
        Image.state == ImageState.CHECKED, Image.id.not_in(released)
    )
    return session.scalar(statement) or 0


def count_states(session: Session) -> dict[ImageState, int]:
    """How many images are in each state."""
    counted = session.execute(select(Image.state, func.count()).group_by(Image.state))
    return dict(counted.tuples().all())


_IMAGE_COLUMNS = (
    Image.id,
    Image.sha256,
    Image.width,
    Image.height,
    Image.state,
    Image.original_sha256,
    Image.hash_recipe,
    Image.phash_64,
    Image.phash_256,
    Image.quality,
)
_PHOTO_COLUMNS = (
    Photo.source,
    Photo.source_id,
    Photo.owner_id,
    Photo.owner_name,
    Photo.title,
    Photo.licence_id,
    Photo.licence_name,
    Photo.licence_url,
    Photo.page_url,
    Photo.window_start_at,
    Photo.window_end_at,
)
"""Columns alone: whole objects of the mapper take three times as long."""


def _image_row(
    image: Row[Any],
    photos: Sequence[PhotoRow],
    revisions: Sequence[RevisionRow],
    reviews: Sequence[ReviewRow],
) -> ImageRow:
    image_id, sha256, width, height, state, original_sha256, *hashes = image
    return ImageRow(
        image_id,
        sha256,
        width,
        height,
        state,
        tuple(photos),
        tuple(revisions),
        tuple(reviews),
        original_sha256,
        None if None in hashes else HashRow(*hashes),
    )


def _load_photos(session: Session, image_ids: Iterable[int]) -> dict[int, list[PhotoRow]]:
    """The photos of each image but those withdrawn, whose owners are named no more."""
    photos: dict[int, list[PhotoRow]] = defaultdict(list)
    connection = session.connection()
    words = {None: (None, None)} | {
        query_id: (class_name, keyword)
        for query_id, class_name, keyword in connection.execute(_QUERY_WORDS)
    }
    for some_ids in slices(image_ids):
        found = connection.execute(
            select(Photo.image_id, Photo.query_id, *_PHOTO_COLUMNS)
            .where(within(Photo.image_id, some_ids), Photo.state != PhotoState.WITHDRAWN)
            .order_by(Photo.id)
        ).all()
        for image_id, query_id, *photo in found:
            photos[image_id].append(_photo_row(photo, *words[query_id]))
    return photos


_QUERY_WORDS = select(Query.id, Query.class_name, Query.keyword)


def _photo_row(values: Sequence[Any], class_name: str | None, keyword: str | None) -> PhotoRow:
    """The row; what many photos share is kept once."""
    source, source_id, owner_id, name, title, licence_id, licence, licence_url, *rest = values
    page_url, start_at, end_at = rest
    return PhotoRow(
        source,
        source_id,
        _once(owner_id),
        _once(name),
        title,
        _once(licence_id),
        _once(licence),
        _once(licence_url),
        page_url,
        class_name,
        keyword,
        start_at,
        end_at,
    )


def _once(text: str | None) -> str | None:
    return None if text is None else intern(text)
