"""The queue's plan: which images come first, and which classes are wanted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from sqlalchemy.orm import Session

from catalog.tables import LiveSetting
from catalog.words import Words

from .bodies import Body, Id
from .live_settings import find_setting, list_versions

NAME = "queue"
"""Of the live setting that holds the plan's versions."""


class FirstSet(Body):
    """Images that come before the rest: returned work, a class's or a query's.

    What is on an image is not known yet, so a class stands for the queries made for it.
    """

    kind: Literal["returned", "class", "query"]
    class_id: Annotated[str | None, Field(alias="class")] = None
    query_id: Id | None = None


class QueuePlan(Body):
    """The queue as it was last set; `wanted_classes` are empty while no class is too rare."""

    number: int = 0
    first: tuple[FirstSet, ...] = (FirstSet(kind="returned"),)
    wanted_classes: tuple[str, ...] = ()


def load_plan(session: Session, classes: Words) -> QueuePlan:
    """The plan that holds now."""
    setting = find_setting(session, NAME)
    return QueuePlan() if setting is None else read_plan(setting, classes)


def read_plan(setting: LiveSetting, classes: Words) -> QueuePlan:
    """The plan that a version of the setting holds, its classes as they count today."""
    stored = {"number": setting.number, **setting.value}
    return follow_plan(QueuePlan.model_validate(stored, strict=False), classes)


def follow_plan(plan: QueuePlan, classes: Words) -> QueuePlan:
    """The plan with its classes as they count today, each once."""
    first = (
        item.model_copy(update={"class_id": classes.today(item.class_id)})
        if item.class_id
        else item
        for item in plan.first
    )
    wanted = map(classes.today, plan.wanted_classes)
    once = {"first": tuple(dict.fromkeys(first)), "wanted_classes": tuple(dict.fromkeys(wanted))}
    return plan.model_copy(update=once)


def was_rare_class_mode_on(session: Session) -> bool:
    """Whether rare-class mode was ever on; a page that was offline may still go by it."""
    return any(version.value["wanted_classes"] for version in list_versions(session, NAME))
