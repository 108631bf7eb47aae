"""The difficult pass: a class in one organiser's hands, judged object by object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated

from pydantic import Field
from sqlalchemy import select

from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.refusals import HeldError, NotFoundError
from catalog.sentences import say
from catalog.session import in_parts
from catalog.stuck import is_stuck
from catalog.tables import Image
from qa.difficulty import ToJudge, count_to_judge, judge_difficulty, list_to_judge
from web.guard import Later
from work.blind import select_hidden
from work.bodies import Body, Id, ObjectKey
from work.live_settings import SettingStaleError, find_setting, save_setting
from work.visit import Visit

from .addresses import crop_url
from .answers import WaitingClass, answer_each, get_class, list_classes
from .names import show_name
from .schemas import Answer, NoAnswer, Reply, Routes, Shown

blueprint = Routes("difficult", __name__, url_prefix="/difficult")
MOST_OBJECTS = 1_000
"""At once; the page asks again when these are judged."""
HOLD = timedelta(minutes=15)
"""A class is free again so long after its organiser's last judgement."""


class ClassHeldError(HeldError):
    """Another organiser judges the class in this sitting."""


class Judgement(Body):
    """One word on one object of the revision that was seen."""

    image_id: Id
    annotation_id: Id
    key: ObjectKey
    difficult: bool


class JudgementsBody(Body):
    """Words on objects of one class."""

    objects: Annotated[tuple[Judgement, ...], Field(max_length=500)]


class ClassWaiting(WaitingClass):
    """A class, how many of its objects wait, and which other organiser has it."""

    holder: str | None


class ClassesWaiting(Answer):
    """Every class, with what waits."""

    classes: list[ClassWaiting]


class ObjectWaiting(Answer):
    """An object to judge; a `changed` one was judged before and looks otherwise now."""

    image_id: int
    annotation_id: int
    key: str
    crop_url: str
    difficult: bool
    changed: bool
    size: tuple[int, int]


class ObjectsWaiting(Answer):
    """The objects of a class that wait."""

    objects: list[ObjectWaiting]


class Late(Answer):
    """An object that is gone, frozen by a release, or of an image saved since it was seen."""

    image_id: int
    key: str


class LateAnswer(Answer):
    """The objects whose judgement came too late."""

    late: list[Late]


@dataclass(frozen=True)
class Hold:
    """A version of who has a class until when; `other` is another organiser who has it now."""

    name: str
    number: int
    until: datetime
    is_own: bool
    other: str | None


@blueprint.on_get("", answers=ClassesWaiting)
def show_waiting(visit: Visit) -> Reply:
    """Every class, with how many objects wait and which other organiser is at it."""
    waiting = count_waiting(visit)
    classes = [
        ClassWaiting(**vars(item), holder=_find_hold(visit, item.id).other)
        for item in list_classes(visit, waiting)
    ]
    return ClassesWaiting(classes=classes)


def count_waiting(visit: Visit) -> dict[str, int]:
    """How many objects of each class wait; in a large party it may be a minute old."""

    def count(visit: Visit) -> dict[str, int]:
        waiting = Counter[str]()
        is_shown = (~is_stuck(), Image.id.not_in(select_hidden(visit)))
        for class_id, number in count_to_judge(visit.session, *is_shown).items():
            waiting[visit.party.classes.today(class_id)] += number
        return waiting

    key = ("difficult", visit.person.id, visit.party.classes_number)  # blind images are left out
    return visit.share(key, count)


@blueprint.on_post("/<class_id>/take", answers=ObjectsWaiting)
def post_take(visit: Visit, class_id: str) -> Later:
    """The smallest objects of a class that wait; the class is the visitor's now.

    It stays theirs until they give it back, or 15 minutes after their last judgement.
    """
    _hold(visit, get_class(visit, class_id).key)
    return Later(partial(_list_objects, class_id))


def _list_objects(class_id: str, visit: Visit) -> Reply:
    """The first objects of a class that wait, read once the class is the visitor's."""
    spec = get_class(visit, class_id)
    of_class = [
        item
        for item in _list_waiting(visit, visit.party.classes.members(spec.key))
        if item.class_name == spec.name
    ][:MOST_OBJECTS]
    digests = dict[int, str]()
    for some in in_parts(sorted({item.image_id for item in of_class})):
        rows = visit.session.execute(select(Image.id, Image.sha256).where(Image.id.in_(some)))
        digests |= dict(rows.tuples().all())

    def make_waiting(item: ToJudge) -> ObjectWaiting:
        return ObjectWaiting(
            image_id=item.image_id,
            annotation_id=item.annotation_id,
            key=item.object_key,
            crop_url=crop_url(digests[item.image_id], item.box),
            difficult=item.is_difficult,
            changed=item.was_judged,
            size=(item.box.width_px, item.box.height_px),
        )

    visit.shown.update(item.image_id for item in of_class)
    waiting = answer_each(visit, of_class, make_waiting, lambda item: item.image_id)
    return ObjectsWaiting(objects=waiting)


@blueprint.on_post("/<class_id>/give-back")
def post_give_back(visit: Visit, class_id: str) -> Reply:
    """Nothing; another organiser may take the class."""
    if (hold := _find_hold(visit, get_class(visit, class_id).key)).is_own:
        _save_hold(visit, hold, visit.at)
    return NoAnswer()


@blueprint.on_post("/<class_id>/judgements", shows=Shown("objects"), answers=LateAnswer)
def post_judgements(visit: Visit, class_id: str, body: JudgementsBody) -> Reply:
    """Which judgements came too late: the image was saved since, or released with masks.

    The object is asked again. The others hold; none does where another organiser has the class, or
    had it since the page showed its objects.
    """
    lock_images(visit.session, {judgement.image_id for judgement in body.objects})
    class_key = get_class(visit, class_id).key
    _refuse_taken(_find_hold(visit, class_key))
    _hold(visit, class_key)
    late = []
    for judgement in body.objects:
        try:
            judge_difficulty(
                visit.session,
                judgement.image_id,
                judgement.key,
                judgement.difficult,
                seen_id=judgement.annotation_id,
                person_id=visit.person.id,
                at=visit.at,
            )
        except NotFoundError:
            late.append(Late(image_id=judgement.image_id, key=judgement.key))
    return LateAnswer(late=late)


def _list_waiting(visit: Visit, class_ids: Collection[str] | None = None) -> list[ToJudge]:
    hidden = visit.stuck.union(visit.session.scalars(select_hidden(visit)))
    waiting = list_to_judge(visit.session, visit.party.preset.class_names, class_ids)
    return [item for item in waiting if item.image_id not in hidden]


def _hold(visit: Visit, class_id: str) -> None:
    """Take or renew the class; a version is written at most every half hold.

    What was read once decides and is written on: a version that came since makes the write fail.
    """
    hold = _find_hold(visit, class_id)
    if hold.other is not None:
        raise ClassHeldError(
            say("{person} is judging this class. Choose another class.", person=hold.other)
        )
    if hold.is_own and hold.until - visit.at > HOLD / 2:
        return
    try:
        _save_hold(visit, hold, visit.at + HOLD)
    except SettingStaleError as error:
        message = say("Another organiser just took this class. Choose another class.")
        raise ClassHeldError(message) from error


def _refuse_taken(hold: Hold) -> None:
    """Raise ClassHeldError where another organiser was the last to have the class."""
    if hold.number and not hold.is_own:
        raise ClassHeldError(
            say("Another organiser judged this class meanwhile. Take it again to see what is left.")
        )


def _find_hold(visit: Visit, class_id: str) -> Hold:
    name = f"difficult.{digest_of(class_id.encode())[:30]}"  # an id may be longer than a name
    setting = find_setting(visit.session, name)
    if setting is None:
        return Hold(name=name, number=0, until=visit.at, is_own=False, other=None)
    until = datetime.fromisoformat(setting.value["until"])
    is_own = setting.person_id == visit.person.id
    other = None if is_own or until <= visit.at else show_name(setting.person)
    return Hold(name=name, number=setting.number, until=until, is_own=is_own, other=other)


def _save_hold(visit: Visit, hold: Hold, until: datetime) -> None:
    save_setting(visit, hold.name, {"until": until.isoformat()}, base=hold.number)
