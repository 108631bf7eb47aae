"""Recording a release: its rows, and its images' step from checked to released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import exists, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.class_changes import hold_classes
from catalog.party import find_party_folder, open_party
from catalog.session import Catalogue
from catalog.states import ImageState, is_step
from catalog.tables import Image, Release, ReleaseImage
from catalog.transitions import count_changed

from .errors import CatalogueChangedError, ReleaseNameError
from .load import RELEASABLE, load_public_ids
from .plan import PlannedImage, ReleasePlan
from .recipe import Notes, Recipe, parse_notes, parse_recipe
from .rows import iterate_rows


def name_release(year: int, name: str | None) -> str:
    """The given name of a release, else VOC and the year."""
    return f"VOC{year}" if name is None else name


def is_recorded(
    party_folder: Path | None, *, year: int, name: str | None, **_options: object
) -> bool:
    """Whether `vocparty export` with these options writes a release that was made before."""
    wanted = select(Release.id).where(Release.name == name_release(year, name))
    folder = party_folder or find_party_folder(Path.cwd())
    with open_party(folder) as party, party.catalogue.reading() as session:
        return session.scalar(wanted) is not None


def freeze_release(catalogue: Catalogue, plan: ReleasePlan, *, at: datetime) -> None:
    """Record a new release in one transaction: all of it is durable when this returns, or nothing.

    Raises CatalogueChangedError where an image is no longer as it was planned, and
    ReleaseNameError where a release of that name was made meanwhile.
    """
    try:
        with catalogue.writing() as session:
            hold_classes(session, plan.recipe.classes_number)
            checked = _lock_as_planned(session, plan.images)
            _check_ids_are_free(session, plan.images)
            encoded = {
                image.row.sha256: image.jpeg_sha256
                for image in plan.images
                if image.row.sha256 != image.jpeg_sha256
            }
            settings = freeze_settings(plan.recipe, encoded, plan.notes)
            release_id = add_release(session, plan, settings, at)
            _release_images(session, release_id, len(checked), at)
    except IntegrityError as error:
        raise ReleaseNameError(
            f"A release {plan.name} was made meanwhile; the same command writes it once more, "
            "and --name makes another one."
        ) from error


def freeze_settings(
    recipe: Recipe, encoded: Mapping[str, str], notes: Notes | None = None
) -> dict[str, Any]:
    """What the release's row keeps, so that it can be written again."""
    settings = {"recipe": recipe.to_json(), "encoded": dict(sorted(encoded.items()))}
    return settings if notes is None else {**settings, "notes": notes.to_json()}


def parse_settings(settings: Mapping[str, Any]) -> tuple[Recipe, dict[str, str], Notes]:
    """The recipe, the digests of files written otherwise than stored, and the notes of a row."""
    notes = parse_notes(settings.get("notes", {}))
    return parse_recipe(settings["recipe"]), dict(settings["encoded"]), notes


def _lock_as_planned(session: Session, images: Sequence[PlannedImage]) -> list[int]:
    """The images that this makes released; all are locked until the session ends."""
    locked = select(Image.id, Image.state, Image.annotation_id).order_by(Image.id)
    ids = [image.row.id for image in images]
    rows = iterate_rows(session, locked.with_for_update(), Image.id, ids)
    found = {row.id: (row.state, row.annotation_id) for row in rows}
    changed = [image.row.id for image in images if not _is_as_planned(image, *found[image.row.id])]
    if changed:
        raise CatalogueChangedError(
            f"People worked on image {changed[0]} while the release was written "
            f"({len(changed)} in all); nothing was released, run the same command again."
        )
    return [image.row.id for image in images if _is_step(image, *found[image.row.id])]


def _is_as_planned(image: PlannedImage, state: ImageState, annotation_id: int | None) -> bool:
    """What an earlier release froze may be worked on meanwhile."""
    if image.is_taken_over:
        return state is not ImageState.TAKEN_DOWN
    return state in RELEASABLE and annotation_id == image.row.annotation_id


def _is_step(image: PlannedImage, state: ImageState, annotation_id: int | None) -> bool:
    return state is ImageState.CHECKED and annotation_id == image.row.annotation_id


def _check_ids_are_free(session: Session, images: Sequence[PlannedImage]) -> None:
    """No id goes to two images, also not where two releases were planned at once."""
    planned = {image.public_id: image.row.id for image in images}
    for public_id, image_id, _ in load_public_ids(session):
        if planned.get(public_id, image_id) != image_id:
            raise CatalogueChangedError(
                f"Another release gave the name {public_id} to another image meanwhile; nothing "
                "was released, run the same command again."
            )


def add_release(session: Session, plan: ReleasePlan, settings: dict[str, Any], at: datetime) -> int:
    """The id of a new row with these settings, and a row for each image."""
    release = Release(name=plan.name, year=plan.year, settings=settings, created_at=at)
    session.add(release)
    session.flush()
    for has_form in (False, True):  # no form is no value, not JSON's null
        some = [image for image in plan.images if (image.form is not None) is has_form]
        rows = [
            {
                "release_id": release.id,
                "image_id": image.row.id,
                "annotation_id": image.row.annotation_id,
                "split": image.split,
                "public_id": image.public_id,
            }
            | ({"form": image.form.to_json()} if image.form else {})
            for image in some
        ]
        if rows:
            session.execute(insert(ReleaseImage), rows)
    return release.id


def _release_images(session: Session, release_id: int, checked: int, at: datetime) -> None:
    """Take all images whose newest revision the release froze that step at once."""
    assert is_step(ImageState.CHECKED, ImageState.RELEASED)
    of_release = exists().where(
        ReleaseImage.release_id == release_id,
        ReleaseImage.image_id == Image.id,
        ReleaseImage.annotation_id == Image.annotation_id,
    )
    moved = count_changed(
        session,
        update(Image)
        .where(of_release, Image.state == ImageState.CHECKED)
        .values(state=ImageState.RELEASED, state_at=at, reason=None)
        .execution_options(synchronize_session=False),
    )
    assert moved == checked, "the rows are locked, and their states were read"
