"""Recording a release: its rows, and its images' step from checked to released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.session import Catalogue
from catalog.states import ImageState, is_step
from catalog.tables import Image, Release, ReleaseImage, as_table
from catalog.transitions import count_changed

from .errors import CatalogueChangedError, ReleaseNameError
from .importing.bulk_insert import bulk_insert
from .load import RELEASABLE, load_public_ids
from .notes import Notes, parse_notes
from .plan import PlannedImage, ReleasePlan
from .recipe import Recipe, parse_recipe
from .slices import slices, within

CACHE_KB = 8_192


def freeze_release(catalogue: Catalogue, plan: ReleasePlan, *, at: datetime) -> None:
    """Record a new release in one transaction: all of it is durable when this returns, or nothing.

    Raises CatalogueChangedError where an image is no longer as it was planned, and
    ReleaseNameError where a release of that name was made meanwhile.
    """
    try:
        with catalogue.writing() as session, _more_cache(session):
            states = _lock_as_planned(session, plan.images)
            _check_ids_are_free(session, plan.images)
            release_id = _add_rows(session, plan, at)
            checked = sum(state is ImageState.CHECKED for state in states.values())
            _release_images(session, release_id, checked, at)
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


@contextmanager
def _more_cache(session: Session) -> Iterator[None]:
    """In the block SQLite keeps what all rows of a release change; else it writes pages often."""
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        yield
        return
    before = connection.exec_driver_sql("PRAGMA cache_size").scalar_one()
    connection.exec_driver_sql(f"PRAGMA cache_size = -{CACHE_KB}")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size = {before}")


def _lock_as_planned(session: Session, images: Sequence[PlannedImage]) -> dict[int, ImageState]:
    """The state of each image, which nobody changes until the session ends."""
    found: dict[int, tuple[ImageState, int | None]] = {}
    for some_ids in slices(image.row.id for image in images):
        rows = session.connection().execute(
            select(Image.id, Image.state, Image.annotation_id)
            .where(within(Image.id, some_ids))
            .order_by(Image.id)
            .with_for_update()
        )
        found |= {image_id: (state, annotation_id) for image_id, state, annotation_id in rows}
    changed = [image.row.id for image in images if not _is_as_planned(image, found)]
    if changed:
        raise CatalogueChangedError(
            f"Somebody worked on image {changed[0]} while the release was written "
            f"({len(changed)} in all); nothing was released, run the same command again."
        )
    return {image.row.id: found[image.row.id][0] for image in images}


def _check_ids_are_free(session: Session, images: Sequence[PlannedImage]) -> None:
    """No id goes to two images, also not where two releases were planned at once."""
    planned = {image.public_id: image.row.id for image in images}
    for public_id, image_id in load_public_ids(session):
        if planned.get(public_id, image_id) != image_id:
            raise CatalogueChangedError(
                f"Another release gave the name {public_id} to another image meanwhile; nothing "
                "was released, run the same command again."
            )


def _is_as_planned(image: PlannedImage, found: Mapping[int, tuple[ImageState, int | None]]) -> bool:
    state, annotation_id = found[image.row.id]
    return state in RELEASABLE and annotation_id == image.row.annotation_id


def _add_rows(session: Session, plan: ReleasePlan, at: datetime) -> int:
    """The id of the release's new row, which has one for each image behind it."""
    encoded = {
        image.row.sha256: image.jpeg_sha256
        for image in plan.images
        if image.row.sha256 != image.jpeg_sha256
    }
    settings = freeze_settings(plan.recipe, encoded, plan.notes)
    release = Release(name=plan.name, year=plan.year, settings=settings, created_at=at)
    session.add(release)
    session.flush()
    connection, shared = session.connection(), {"release_id": release.id}
    plain = [_columns(image) for image in plan.images if image.form is None]
    formed = [(*_columns(it), it.form.to_json()) for it in plan.images if it.form is not None]
    table = as_table(ReleaseImage)
    bulk_insert(connection, table, shared, _COLUMNS, plain)  # no form is no value, not JSON's null
    bulk_insert(connection, table, shared, (*_COLUMNS, "form"), formed)
    return release.id


_COLUMNS = ("image_id", "annotation_id", "split", "public_id")


def _columns(image: PlannedImage) -> tuple[Any, ...]:
    return image.row.id, image.row.annotation_id, image.split, image.public_id


def _release_images(session: Session, release_id: int, checked: int, at: datetime) -> None:
    """Take all images of the release that are not released yet that step at once."""
    assert is_step(ImageState.CHECKED, ImageState.RELEASED)
    of_release = select(ReleaseImage.image_id).where(ReleaseImage.release_id == release_id)
    moved = count_changed(
        session,
        update(Image)
        .where(Image.id.in_(of_release), Image.state == ImageState.CHECKED)
        .values(state=ImageState.RELEASED, state_at=at, reason=None)
        .execution_options(synchronize_session=False),
    )
    assert moved == checked, "the rows are locked, and their states were read"
