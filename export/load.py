"""The releases of the catalogue, and what decides whether and how a new one is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import Session

from catalog.settings import DedupSettings
from catalog.states import FindingVerdict, ImageState, Split
from catalog.tables import Annotation, Duplicate, Finding, Image, PairLabel, Release, ReleaseImage

from .groups import NEAR, Link, find_near_pairs
from .recipe import parse_notes
from .rows import ImageRow, iterate_rows, load_images

DUPLICATE, DIFFERENT = "duplicate", "different"
"""Dedup's and people's words on two images."""
UNCHECKED = (ImageState.ANNOTATED, ImageState.CHECKING, ImageState.RETURNED)
"""Annotated, but not accepted by a checker yet."""
RELEASABLE = (ImageState.CHECKED, ImageState.RELEASED)


def load_checked(session: Session) -> list[ImageRow]:
    """Every image that passed checking, with its newest revision, in order of its digest."""
    found = session.execute(
        select(Image.id, Annotation.id)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Image.state.in_(RELEASABLE))
    )
    return load_images(session, dict(found.tuples().all()))


def load_links(session: Session, images: Iterable[ImageRow], settings: DedupSettings) -> list[Link]:
    """The pairs that dedup, people or near hashes bind, but for those called different."""
    found = select(Duplicate.image_id, Duplicate.kept_image_id, Duplicate.relation)
    duplicates = found.add_columns(Duplicate.undone_at.is_(None)).order_by(Duplicate.id)
    links, apart = list[Link](), set[frozenset[int]]()
    for first, second, relation, is_bound in session.execute(duplicates):
        if is_bound:
            links.append(_make_link(first, second, relation))
        else:
            apart.add(frozenset((first, second)))
    labels = select(PairLabel).where(PairLabel.undone_at.is_(None)).order_by(PairLabel.id)
    said = {(it.first_image_id, it.second_image_id): it.verdict for it in session.scalars(labels)}
    bound = {frozenset((link.first_id, link.second_id)) for link in links}
    apart -= bound
    for pair, verdict in said.items():
        if verdict == DIFFERENT:
            apart.add(frozenset(pair))
        elif frozenset(pair) not in bound:
            links.append(_make_link(*pair, verdict))
    hashes = [(image.id, image.hashes) for image in images if image.hashes is not None]
    near = find_near_pairs(hashes, settings)
    return [*links, *(Link(*pair) for pair in near if frozenset(pair) not in apart)]


def _make_link(first_id: int, second_id: int, word: str) -> Link:
    return Link(first_id, second_id, NEAR if word == DUPLICATE else word.replace("_", " "))


def load_public_ids(session: Session) -> list[tuple[str, int, int]]:
    """Every public id that was ever given, its image and its revision; the earliest first."""
    given = select(ReleaseImage.public_id, ReleaseImage.image_id, ReleaseImage.annotation_id)
    return list(session.execute(given.order_by(ReleaseImage.id)).tuples())


def find_open_errors(session: Session, image_ids: Iterable[int]) -> list[int]:
    """The image of each error found on these that is unjudged, or confirmed and not fixed."""
    is_open = or_(Finding.verdict.is_(None), Finding.verdict == FindingVerdict.RIGHT)
    found = select(Finding.image_id).where(Finding.severity == "error", is_open)
    return [it.image_id for it in iterate_rows(session, found, Finding.image_id, image_ids)]


def count_unreleased(session: Session) -> int:
    """How many images passed checking and are in no release, made here or imported."""
    released = select(ReleaseImage.image_id).join(
        Annotation, Annotation.id == ReleaseImage.annotation_id
    )
    released = released.where(Annotation.is_finished)  # an imported one may have the picture alone
    is_new = Image.state == ImageState.CHECKED, Image.id.not_in(released)
    return session.scalar(select(func.count()).where(*is_new)) or 0


def load_held_back(session: Session) -> dict[int, str]:
    """For each image whose annotation a blind release holds back the last such release."""
    rows = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.form, Release.name, Release.settings)
        .join(Release, Release.id == ReleaseImage.release_id)
        .where(ReleaseImage.split == Split.TEST)
        .order_by(ReleaseImage.release_id)
    )
    return {
        image_id: name
        for image_id, form, name, settings in rows
        if (settings.get("notes") or {}).get("blind_salt") or (form or {}).get("is_blind")
    }


def list_releases(session: Session) -> list[dict[str, Any]]:
    """What is told of every release of the party, the earliest first."""
    is_gone = case((Image.state == ImageState.TAKEN_DOWN, 1), else_=0)
    counted = (
        select(Release, func.count(Image.id), func.coalesce(func.sum(is_gone), 0))
        .outerjoin(ReleaseImage, ReleaseImage.release_id == Release.id)
        .outerjoin(Image, Image.id == ReleaseImage.image_id)
        .group_by(Release.id)
        .order_by(Release.id)
    )
    return [
        {
            "name": row.name,
            "year": row.year,
            "created_at": row.created_at.isoformat(),
            "images": images,
            "withdrawn": gone,
            "extends": notes.extends,
            "corrects": notes.corrects,
            "forced": notes.forced,
            "is_blind": notes.blind_salt is not None,
        }
        for row, images, gone in session.execute(counted).tuples()
        for notes in [parse_notes(row.settings)]
    ]
