"""Revisions as rows: made from what the page sent, never changed afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import update
from sqlalchemy.orm import Session, selectinload

from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Part
from catalog.transitions import count_changed

from .errors import InvalidError, NotFoundError
from .rules import Frame
from .schemas import ObjectBody, PartBody
from .visit import Visit


def get_image(session: Session, image_id: int) -> Image:
    """The image; raises NotFoundError where there is none."""
    image = session.get(Image, image_id)
    if image is None:
        raise NotFoundError(f"There is no image {image_id}.")
    return image


def make_frame(visit: Visit, image: Image) -> Frame:
    """What objects on the image are judged against."""
    limits = visit.party.settings.annotate
    preset = visit.party.preset
    return Frame(image.width, image.height, preset, limits.min_box_px, limits.max_objects)


def load_revision(session: Session, annotation_id: int) -> Annotation | None:
    """A revision with its objects and their parts, or None."""
    whole = selectinload(Annotation.objects).selectinload(Object.parts)
    return session.get(Annotation, annotation_id, options=[whole])


def find_parent(
    session: Session, image: Image, parent_id: int | None, field: str = "parent_id"
) -> Annotation | None:
    """The revision that a save started from; raises InvalidError where it is not the image's."""
    if parent_id is None:
        return None
    parent = load_revision(session, parent_id)
    if parent is None or parent.image_id != image.id:
        raise InvalidError(f"{field} is wrong: the image has no revision {parent_id}.", field=field)
    return parent


def make_annotation(
    visit: Visit,
    image: Image,
    parent: Annotation | None,
    objects: Sequence[ObjectBody],
) -> Annotation:
    """A revision by the visitor, not yet stored; `difficult` stays as the parent has it."""
    judged = {item.object_key: item.difficult for item in parent.objects} if parent else {}
    return Annotation(
        image_id=image.id,
        person_id=visit.person.id,
        parent_id=parent.id if parent else None,
        saved_at=visit.at,
        is_stale=False,
        objects=[_make_object(n, item, judged) for n, item in enumerate(objects, start=1)],
    )


def move_head(session: Session, annotation: Annotation, state: ImageState) -> bool:
    """Whether the revision became the image's newest: only from the one that it started from."""
    statement = (
        update(Image)
        .where(
            Image.id == annotation.image_id,
            Image.annotation_id.is_not_distinct_from(annotation.parent_id),
            Image.state == state,
        )
        .values(annotation_id=annotation.id)
        .execution_options(synchronize_session=False)
    )
    return count_changed(session, statement) == 1


def _make_object(number: int, item: ObjectBody, judged: Mapping[str, bool]) -> Object:
    xmin, ymin, xmax, ymax = item.box
    point_x, point_y = item.point or (None, None)
    return Object(
        number=number,
        object_key=item.key,
        class_name=item.class_name,
        xmin=xmin,
        ymin=ymin,
        xmax=xmax,
        ymax=ymax,
        view=item.view,
        truncated=item.truncated,
        occluded=item.occluded,
        difficult=judged.get(item.key, False),
        unsure=item.unsure,
        actions=list(item.actions),
        point_x=point_x,
        point_y=point_y,
        drawn_secs=item.drawn_secs,
        parts=[_make_part(n, part) for n, part in enumerate(item.parts, start=1)],
    )


def _make_part(number: int, part: PartBody) -> Part:
    xmin, ymin, xmax, ymax = part.box
    return Part(number=number, name=part.name, xmin=xmin, ymin=ymin, xmax=xmax, ymax=ymax)
