"""The releases of the catalogue: what decides on a new one, and recording it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Select, case, func, insert, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.at_rest import STATE_AT_REST, move_at_rest, rests_in
from catalog.decisions import decide_many
from catalog.locks import lock_images
from catalog.party import find_party_folder, open_party
from catalog.session import Catalogue
from catalog.settings import DedupSettings
from catalog.states import DecisionKind, FindingVerdict, ImageState
from catalog.tables import (
    Duplicate,
    Finding,
    Image,
    PairLabel,
    Release,
    ReleaseImage,
    Signature,
)
from catalog.words import hold_classes
from vockit.format.image_sets import TESTS

from .errors import ExportError, ReleaseNameError
from .groups import NEAR, Link, find_near_pairs
from .loading import iterate_rows
from .notes import Notes, parse_notes
from .plan import PlannedImage, ReleasePlan
from .recipe import Recipe
from .rows import ImageRow

RELEASABLE = (ImageState.CHECKED, ImageState.RELEASED)


def load_links(session: Session, images: Iterable[ImageRow], settings: DedupSettings) -> list[Link]:
    """The pairs that dedup, people or near hashes bind, but for those called different."""
    columns = Duplicate.image_id, Duplicate.kept_image_id, Duplicate.relation, Duplicate.undone_at
    rows = session.execute(select(*columns).order_by(Duplicate.id)).all()
    links = [
        _make_link(first, other, word) for first, other, word, undone_at in rows if not undone_at
    ]
    bound = {frozenset((link.first_id, link.second_id)) for link in links}
    apart = {frozenset(row[:2]) for row in rows} - bound
    labels = select(PairLabel).where(PairLabel.undone_at.is_(None)).order_by(PairLabel.id)
    said = {
        (label.first_image_id, label.second_image_id): label.verdict
        for label in session.scalars(labels)
    }
    for pair, verdict in said.items():
        if verdict == "different":
            apart.add(frozenset(pair))
        elif frozenset(pair) not in bound:
            links.append(_make_link(*pair, verdict))
    hashes = [(image.id, image.hashes) for image in images if image.hashes is not None]
    near = find_near_pairs(hashes, settings)
    return [*links, *(Link(*pair) for pair in near if frozenset(pair) not in apart)]


def _make_link(first_id: int, second_id: int, word: str) -> Link:
    return Link(first_id, second_id, NEAR if word == "duplicate" else word.replace("_", " "))


def load_uncompared(session: Session, images: Iterable[PlannedImage]) -> list[str]:
    """The public ids of images that dedup never compared with all others, as imported ones."""
    public_ids = {image.row.id: image.public_id for image in images}
    compared = (
        select(Image.id)
        .outerjoin(Signature, Signature.image_id == Image.id)
        .where(Image.phash_64.is_not(None), Signature.is_compared.is_not(False))
    )
    known = {image_id for (image_id,) in iterate_rows(session, compared, Image.id, public_ids)}
    return [public_id for image_id, public_id in public_ids.items() if image_id not in known]


def load_public_ids(session: Session) -> list[tuple[str, int, int]]:
    """Every public id that was ever given, its image and its revision; the earliest first."""
    given = select(ReleaseImage.public_id, ReleaseImage.image_id, ReleaseImage.annotation_id)
    return list(session.execute(given.order_by(ReleaseImage.id)).tuples())


def load_torn(session: Session) -> set[int]:
    """The images that extensions left out, since they are bound to two sets of a release."""
    notes = map(parse_notes, session.scalars(select(Release.settings)))
    return {image["image_id"] for note in notes for image in note.torn}


def find_open_errors(session: Session, image_ids: Iterable[int]) -> list[int]:
    """The image of each error found on these that is unjudged, or confirmed and not fixed."""
    is_open = or_(Finding.verdict.is_(None), Finding.verdict == FindingVerdict.RIGHT)
    findings = select(Finding.image_id).where(Finding.severity == "error", is_open)
    return [row.image_id for row in iterate_rows(session, findings, Finding.image_id, image_ids)]


def load_held_back(session: Session) -> dict[int, str]:
    """For each image whose annotation a blind release holds back the last such release."""
    rows = session.execute(
        select(ReleaseImage.image_id, ReleaseImage.form, Release.name, Release.settings)
        .join(Release, Release.id == ReleaseImage.release_id)
        .where(ReleaseImage.split.in_(TESTS))
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


def is_recorded(
    party_folder: Path | None, *, year: int, name: str | None, **_options: object
) -> bool:
    """Whether `vocparty export` with these options writes a release that was made before."""
    wanted = select(Release.id).where(Release.name == (name or f"VOC{year}"))
    folder = party_folder or find_party_folder(Path.cwd())
    with open_party(folder) as party, party.catalogue.reading() as session:
        return session.scalar(wanted) is not None


def freeze_release(catalogue: Catalogue, plan: ReleasePlan, *, at: datetime) -> None:
    """Record a new release in one transaction; ExportError where an image changed meanwhile."""
    digests = {image.row.sha256: image.jpeg_sha256 for image in plan.images}
    encoded = {stored: digest for stored, digest in digests.items() if stored != digest}
    try:
        with catalogue.writing() as session:
            hold_classes(session, plan.recipe.classes_number)
            _lock_as_planned(session, plan.images)
            key = add_release(session, plan, encoded, at, {"notes": asdict(plan.notes)})
            is_newest = ReleaseImage.annotation_id == Image.annotation_id
            joined = select(Image.id, Image.annotation_id).join(
                ReleaseImage, ReleaseImage.image_id == Image.id
            )
            waits = rests_in([ImageState.CHECKED])
            frozen = joined.where(ReleaseImage.release_id == key, is_newest, waits)
            _note_released(session, frozen, plan.name, at)
            released = frozen.with_only_columns(Image.id)
            move_at_rest(session, released, ImageState.CHECKED, ImageState.RELEASED, at)
    except IntegrityError as error:
        raise ReleaseNameError(
            f"Another process just created {plan.name}. Run the same command again to write "
            "a copy, or pass --name for a new release."
        ) from error


def _note_released(
    session: Session, frozen: Select[tuple[int, int | None]], name: str, at: datetime
) -> None:
    """Write about each image that this release froze it, with the revision."""
    rows = session.execute(frozen.order_by(Image.id)).tuples()
    released = [
        {"image_id": image_id, "annotation_id": annotation_id, "reason": name}
        for image_id, annotation_id in rows
    ]
    decide_many(session, released, DecisionKind.RELEASED, at=at)


def parse_settings(settings: Mapping[str, Any]) -> tuple[Recipe, dict[str, str], Notes]:
    """The recipe, the digests of files written otherwise than stored, and the notes of a row."""
    recipe = TypeAdapter(Recipe).validate_python(dict(settings["recipe"]))
    return recipe, dict(settings["encoded"]), parse_notes(settings)


def _lock_as_planned(session: Session, images: Sequence[PlannedImage]) -> None:
    """Lock the images, none of which may have changed unless an earlier release froze it."""
    ids = lock_images(session, [image.row.id for image in images])
    newest = select(Image.id, STATE_AT_REST, Image.annotation_id).order_by(Image.id)
    now = {row.id: row for row in iterate_rows(session, newest, Image.id, ids)}
    changed = []
    for image in images:
        _, state, newest = now[image.row.id]
        is_newest = newest == image.row.annotation_id
        may_differ = image.is_taken_over and state is not ImageState.TAKEN_DOWN
        if not may_differ and not (is_newest and state in RELEASABLE):
            changed.append(image.row.id)
    if changed:
        raise ExportError(
            f"People worked on image {changed[0]} while the release was written "
            f"({len(changed)} in all); nothing was released. Run the same command again."
        )
    planned = {image.public_id: image.row.id for image in images}
    for public_id, image_id, _ in load_public_ids(session):
        if planned.get(public_id, image_id) != image_id:
            raise ExportError(
                f"Another release gave the name {public_id} to another image meanwhile; nothing "
                "was released, run the same command again."
            )


def add_release(
    session: Session,
    plan: ReleasePlan,
    encoded: Mapping[str, str],
    at: datetime,
    more: Mapping[str, Any],
) -> int:
    """The id of a new row of all that writes the release again, with a row for each image."""
    settings = {"recipe": plan.recipe.to_json(), "encoded": dict(sorted(encoded.items())), **more}
    release = Release(name=plan.name, year=plan.year, settings=settings, created_at=at)
    session.add(release)
    session.flush()
    rows = [
        {
            "release_id": release.id,
            "image_id": image.row.id,
            "annotation_id": image.row.annotation_id,
            "segmentation_id": image.form and image.form.segmentation_id,
            "split": image.split,
            "public_id": image.public_id,
            "form": image.form and image.form.to_json(),
        }
        for image in plan.images
    ]
    session.execute(insert(ReleaseImage), rows)
    return release.id
