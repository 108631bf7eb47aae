"""Recording a release: its rows, and its images' step from checked to released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.class_changes import hold_classes
from catalog.party import find_party_folder, open_party
from catalog.session import Catalogue
from catalog.states import ImageState, is_step
from catalog.tables import Image, Release, ReleaseImage

from .errors import ExportError, ReleaseNameError
from .load import RELEASABLE, load_public_ids
from .plan import PlannedImage, ReleasePlan
from .recipe import Notes, Recipe, parse_notes, parse_recipe
from .rows import iterate_rows


def is_recorded(
    party_folder: Path | None, *, year: int, name: str | None, **_options: object
) -> bool:
    """Whether `vocparty export` with these options writes a release that was made before."""
    wanted = select(Release.id).where(Release.name == name_release(year, name))
    folder = party_folder or find_party_folder(Path.cwd())
    with open_party(folder) as party, party.catalogue.reading() as session:
        return session.scalar(wanted) is not None


def name_release(year: int, name: str | None) -> str:
    """The given name of a release, else VOC and the year."""
    return f"VOC{year}" if name is None else name


def freeze_release(catalogue: Catalogue, plan: ReleasePlan, *, at: datetime) -> None:
    """Record a new release durably in one transaction.

    Raises ExportError where an image changed since the plan, ReleaseNameError.
    """
    digests = {image.row.sha256: image.jpeg_sha256 for image in plan.images}
    encoded = {stored: digest for stored, digest in digests.items() if stored != digest}
    try:
        with catalogue.writing() as session:
            hold_classes(session, plan.recipe.classes_number)
            checked = _lock_as_planned(session, plan.images)
            settings = freeze_settings(plan.recipe, encoded, plan.notes)
            add_release(session, plan, settings, at)
            assert is_step(ImageState.CHECKED, ImageState.RELEASED)
            step = {"state": ImageState.RELEASED, "state_at": at, "reason": None}
            if checked:  # the rows are locked
                session.execute(update(Image), [{"id": key, **step} for key in checked])
    except IntegrityError as error:
        raise ReleaseNameError(
            f"Another process just created {plan.name}. Run the same command again to write "
            "a copy, or pass --name for a new release."
        ) from error


def freeze_settings(
    recipe: Recipe, encoded: Mapping[str, str], notes: Notes | None = None
) -> dict[str, Any]:
    """What the release's row keeps, so that it can be written again."""
    settings = {"recipe": recipe.to_json(), "encoded": dict(sorted(encoded.items()))}
    return settings if notes is None else {**settings, "notes": asdict(notes)}


def parse_settings(settings: Mapping[str, Any]) -> tuple[Recipe, dict[str, str], Notes]:
    """The recipe, the digests of files written otherwise than stored, and the notes of a row."""
    return parse_recipe(settings["recipe"]), dict(settings["encoded"]), parse_notes(settings)


def _lock_as_planned(session: Session, images: Sequence[PlannedImage]) -> list[int]:
    """Lock the images; which become released. What an earlier release froze may change."""
    locked = select(Image.id, Image.state, Image.annotation_id).order_by(Image.id).with_for_update()
    ids = [image.row.id for image in images]
    now = {row.id: row for row in iterate_rows(session, locked, Image.id, ids)}
    changed, checked = [], []
    for image in images:
        _, state, newest = now[image.row.id]
        is_newest = newest == image.row.annotation_id
        may_differ = image.is_taken_over and state is not ImageState.TAKEN_DOWN
        if not may_differ and not (is_newest and state in RELEASABLE):
            changed.append(image.row.id)
        checked += [image.row.id] if is_newest and state is ImageState.CHECKED else []
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
    return checked


def add_release(
    session: Session, plan: ReleasePlan, settings: dict[str, Any], at: datetime
) -> None:
    """Add a row with these settings, and a row for each image."""
    release = Release(name=plan.name, year=plan.year, settings=settings, created_at=at)
    session.add(release)
    session.flush()
    rows: tuple[list[dict[str, Any]], ...] = [], []
    for image in plan.images:
        row = {
            "release_id": release.id,
            "image_id": image.row.id,
            "annotation_id": image.row.annotation_id,
            "segmentation_id": image.form and image.form.segmentation_id,
            "split": image.split,
            "public_id": image.public_id,
        }
        form = {"form": image.form.to_json()} if image.form else {}
        rows[bool(form)].append(row | form)  # no form is no value, not JSON's null
    for some in filter(None, rows):
        session.execute(insert(ReleaseImage), some)
