"""Images for one task alone, Layout or Action: which they are, and what a save of one may hold.

People draw the persons that they choose for the task and nothing else, so that nobody was asked
what else the image shows (VOC2011 and 2012 have such images apart from Main).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.orm import Session

from catalog.preset import Preset
from catalog.refusals import InvalidError, refuse
from catalog.sentences import say
from catalog.states import ImageState, Taster
from catalog.tables import Image
from vockit.format.tree import PERSON
from work.bodies import ObjectBody

MARKED_STATES = (ImageState.FETCHED, ImageState.HASHED, ImageState.POOL)
"""Images that nobody works on, and that people are still to annotate."""


@dataclass(frozen=True)
class Marked:
    """How many images a mark was set on, had it before, and were left as they are."""

    changed: int
    same: int
    left: int


def mark_images(
    session: Session,
    preset: Preset,
    conditions: Sequence[ColumnElement[bool]],
    taster: Taster | None,
) -> Marked:
    """Let the images be annotated for the task alone, or in full again where it is None.

    Those that people annotated or work on are left as they are. Raises InvalidError where the
    preset does not ask for what the task needs.
    """
    if taster is not None:
        _require_asked(preset, taster)
    waits = and_(*conditions, Image.state.in_(MARKED_STATES))
    differs = Image.taster.is_distinct_from(taster)
    matching = select(func.count()).select_from(Image)
    all_matching = session.scalar(matching.where(*conditions)) or 0
    same = session.scalar(matching.where(waits, ~differs)) or 0
    chosen = select(Image.id).where(waits, differs)
    changed = len(session.scalars(_MARK.where(Image.id.in_(chosen)).values(taster=taster)).all())
    return Marked(changed=changed, same=same, left=all_matching - same - changed)


_MARK = update(Image).returning(Image.id).execution_options(synchronize_session=False)


def _require_asked(preset: Preset, taster: Taster) -> None:
    """Raise InvalidError where people are not asked for what the task needs."""
    spec = preset.find_class(PERSON)
    words = {Taster.LAYOUT: "parts", Taster.ACTION: "actions"}[taster]
    if spec is None or not getattr(spec, f"has_{words}"):
        raise InvalidError(
            say(
                "Images for {task} alone need a class person with {words}, which the preset lacks.",
                task=taster.title(),
                words=words,
            )
        )


def check_chosen(
    objects: Iterable[ObjectBody],
    taster: Taster,
    person_ids: frozenset[str],
    prefix: str,
    *,
    is_finished: bool,
) -> None:
    """Raise InvalidError for the first object that an image for one task cannot have.

    `person_ids` are the ids that count as the class person today. What the task needs of each
    person may still be missing unless the work `is_finished`.
    """
    objects = list(objects)
    task = taster.title()
    if is_finished and not objects:
        refuse(prefix, say("expected a person, as the image is for {task} alone", task=task))
    for index, item in enumerate(objects):
        field = f"{prefix}.{index}"
        if item.class_id not in person_ids:
            message = say("expected person, as the image is for {task} alone", task=task)
            refuse(f"{field}.class", message)
        _check_person(item, taster, field, is_finished=is_finished)


def _check_person(item: ObjectBody, taster: Taster, field: str, *, is_finished: bool) -> None:
    """Raise InvalidError where a person has what another task asks for, or lacks what this does."""
    if taster is Taster.LAYOUT:
        if item.actions or item.point is not None:
            refuse(f"{field}.actions", say("expected neither actions nor a point, only parts"))
        if is_finished and not item.parts:
            refuse(f"{field}.parts", say("expected a part of each person"))
        return
    if item.parts:
        refuse(f"{field}.parts", say("expected no parts, only actions and a point"))
    if is_finished and not item.actions:
        refuse(f"{field}.actions", say("expected an action of each person"))
    if is_finished and item.point is None:
        refuse(f"{field}.point", say("expected a point on each person"))
