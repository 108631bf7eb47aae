"""What several routes share in making their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime
from math import isnan
from typing import Any, TypeVar

from flask.json.provider import DefaultJSONProvider

from catalog.preset import ClassSpec
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.stuck import about_image
from vockit.report.intervals import Interval
from web.refusals import get_answer
from work.live_settings import SettingStaleError
from work.visit import Visit

from .names import Term
from .schemas import Answer, Conflict, make_error

A = TypeVar("A", bound=Answer)
R = TypeVar("R")
T = TypeVar("T")
Json = dict[str, Any]
Share = tuple[float, float, float] | None
"""An estimate with its interval of 95 %, or null where nothing is known."""


class PartyJson(DefaultJSONProvider):
    """JSON in which moments are UTC, and answers have the fields that were set."""

    @staticmethod
    def default(value: Any) -> Any:
        """What stands in JSON for a value that JSON does not know."""
        if isinstance(value, Answer):
            return value.model_dump(by_alias=True, exclude_unset=True)
        if isinstance(value, datetime):
            return format_moment(value)
        return vars(value) if is_dataclass(value) else DefaultJSONProvider.default(value)


class WaitingClass(Answer):
    """A class with the words by which people find it, and how many of something wait."""

    id: str
    name: str
    display: Term
    synonyms: tuple[Term, ...]
    waiting: int


def answer_each(
    visit: Visit, rows: Iterable[R], make_answer: Callable[[R], T], find_image: Callable[[R], int]
) -> list[T]:
    """The answers made of the rows, without those of images that stop a page.

    Raises BadRowError for an image that stops this one, which the guard then leaves out.
    """
    answers = list[T]()
    for row in rows:
        image_id = find_image(row)
        if image_id not in visit.stuck:
            with about_image(image_id):
                answers.append(make_answer(row))
    return answers


def format_moment(moment: datetime) -> str:
    """A moment as in 2026-01-31T12:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_share(share: Interval) -> Share:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return None if isnan(share.value) else (share.value, share.low, share.high)


def format_interval(interval: Interval) -> Interval | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return interval if interval.count else None


def save_or_head(save: Callable[[], A], load: Callable[[], A]) -> A | tuple[Conflict, int]:
    """The setting as it was saved; 409 with the version that holds where another came before."""
    try:
        return save()
    except SettingStaleError as error:
        return make_stale(error, load())


def make_stale(error: SettingStaleError, head: Answer) -> tuple[Conflict, int]:
    """409 with the version of a setting that holds."""
    answer = get_answer(type(error))
    return Conflict(error=make_error(answer.code, error.message), head=head), answer.status


def get_class(visit: Visit, class_id: str) -> ClassSpec:
    """The class that an id counts as now; the page may have been opened before it changed.

    Raises NotFoundError for a class that the party does not have.
    """
    spec = visit.party.find_class_today(class_id)
    if spec is None:
        raise NotFoundError(say("Unknown class {class_id}.", class_id=class_id))
    return spec


def list_classes(visit: Visit, waiting: Mapping[str, int]) -> list[WaitingClass]:
    """The party's classes, each with how many of something wait, by their ids."""
    return [
        WaitingClass(
            id=spec.key,
            name=spec.name,
            display=spec.display,
            synonyms=spec.synonyms,
            waiting=waiting.get(spec.key, 0),
        )
        for spec in visit.party.preset.classes
    ]
