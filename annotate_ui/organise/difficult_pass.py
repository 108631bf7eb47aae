"""The difficult pass: a class in one organiser's hands, judged object by object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from annotate_ui.api.answers import Json
from annotate_ui.api.schemas import Body, Id, ObjectKey
from annotate_ui.errors import AnnotateError, NotFoundError
from annotate_ui.visit import Visit
from annotate_ui.work.blind import list_hidden
from catalog.tables import LiveSetting, Person
from qa.difficulty import ToJudge, judge_difficulty, list_to_judge
from qa.errors import UnknownObjectError

from .live_settings import SettingStaleError, find_setting, save_setting
from .people import display_name

HOLD = timedelta(minutes=15)
"""A class is free again so long after its organiser's last judgement."""


class ClassHeldError(AnnotateError):
    """Another organiser judges the class in this sitting."""

    status, code = 409, "held"


class Judgement(Body):
    """One word on one object."""

    image_id: Id
    key: ObjectKey
    difficult: bool


def list_waiting_classes(visit: Visit) -> list[Json]:
    """Every class of the preset, with how many objects wait and which other organiser is at it."""
    waiting = Counter(item.class_name for item in _list_waiting(visit))
    return [
        {
            "name": name,
            "display": display,
            "waiting": waiting[name],
            "holder": _name_holder(visit, _find_hold(visit, name)),
        }
        for name, display in visit.party.preset.class_displays.items()
    ]


def take_class(visit: Visit, class_name: str) -> list[ToJudge]:
    """The objects of a class that wait, the smallest first; the class is the visitor's from now on.

    Raises NotFoundError for a class that is not the party's, ClassHeldError where another has it.
    """
    if class_name not in visit.party.preset.class_names:
        raise NotFoundError(f"There is no class {class_name}.")
    _hold(visit, class_name)
    return [item for item in _list_waiting(visit) if item.class_name == class_name]


def give_class_back(visit: Visit, class_name: str) -> None:
    """End the visitor's hold on the class, where they have it."""
    setting = _find_hold(visit, class_name)
    if setting is not None and setting.person_id == visit.person.id:
        _save_hold(visit, class_name, setting, visit.at)


def save_judgements(visit: Visit, class_name: str, said: Sequence[Judgement]) -> list[Judgement]:
    """Those judgements that came too late, since the object is gone or a release froze it.

    Raises ClassHeldError where another organiser has the class; then nothing was saved.
    """
    _hold(visit, class_name)
    late = []
    for one in said:
        try:
            judge_difficulty(
                visit.session,
                one.image_id,
                one.key,
                one.difficult,
                person_id=visit.person.id,
                at=visit.at,
            )
        except UnknownObjectError:
            late.append(one)
    return late


def _list_waiting(visit: Visit) -> list[ToJudge]:
    hidden = list_hidden(visit)  # they are the visitor's to annotate blind
    waiting = list_to_judge(visit.session, visit.party.preset.class_names)
    return [item for item in waiting if item.image_id not in hidden]


def _hold(visit: Visit, class_name: str) -> None:
    """Take or renew the class; a version is written at most every half hold.

    What was read once decides and is written on: a version that came since makes the write fail.
    """
    setting = _find_hold(visit, class_name)
    holder = _name_holder(visit, setting)
    if holder is not None:
        raise ClassHeldError(f"{holder} is judging this class; take another, or ask them.")
    until = visit.at if setting is None else _read_until(setting)
    is_own = setting is not None and setting.person_id == visit.person.id
    if is_own and until - visit.at > HOLD / 2:
        return
    try:
        _save_hold(visit, class_name, setting, visit.at + HOLD)
    except SettingStaleError as error:
        message = "Another organiser took this class at this moment; take another, or ask them."
        raise ClassHeldError(message) from error


def _save_hold(visit: Visit, class_name: str, setting: LiveSetting | None, until: datetime) -> None:
    value = {"until": until.isoformat()}
    save_setting(visit, _hold_name(class_name), value, base=setting.number if setting else 0)


def _name_holder(visit: Visit, setting: LiveSetting | None) -> str | None:
    """The other organiser who has the class now, or None."""
    if setting is None or setting.person_id == visit.person.id:
        return None
    if _read_until(setting) <= visit.at:
        return None
    return display_name(visit.session.get_one(Person, setting.person_id))


def _find_hold(visit: Visit, class_name: str) -> LiveSetting | None:
    return find_setting(visit.session, _hold_name(class_name))


def _hold_name(class_name: str) -> str:
    return f"difficult.{class_name}"[:40]


def _read_until(setting: LiveSetting) -> datetime:
    return datetime.fromisoformat(setting.value["until"])
