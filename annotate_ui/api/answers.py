"""The answers of the JSON interface as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime
from math import isnan
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask.json.provider import DefaultJSONProvider

from catalog.box import Box
from catalog.refusals import NotFoundError
from catalog.states import LeaseKind
from catalog.stuck import about_image
from catalog.tables import Annotation, Image, Lease, Object, Person
from catalog.tables import Finding as FindingRow
from vockit.report.intervals import Interval
from web.language import translate
from web.refusals import get_answer
from work.leases import number_lease
from work.live_settings import SettingStaleError
from work.people import display_name
from work.visit import Visit

from .schemas import Told
from .told import OpenFinding, PersonName, Picture, Revision

R = TypeVar("R")
Json = dict[str, Any]


class PartyJson(DefaultJSONProvider):
    """JSON in which moments are UTC, and rows and values of ours are told as all routes do."""

    @staticmethod
    def default(value: Any) -> Any:
        """What stands in JSON for a value that JSON does not know."""
        if form := _FORMS.get(type(value)):
            return form(value)
        return vars(value) if is_dataclass(value) else DefaultJSONProvider.default(value)


def tell(shape: type[Told], row: object, /, **given: Any) -> Json:
    """An answer of the shape: the fields given, the others as the row has them; no text is ""."""
    told = {name.rstrip("_"): value for name, value in given.items()}
    for name, field in shape.model_fields.items():
        if name not in told:
            value = getattr(row, name)
            told[name] = "" if value is None and field.annotation is str else value
    return told


def tell_each(
    visit: Visit, rows: Iterable[R], tell_row: Callable[[R], Json], find_image: Callable[[R], int]
) -> list[Json]:
    """The rows as answers tell them, without those of images that stop a page.

    Raises BadRowError for an image that stops this one, which the guard then leaves out.
    """
    told = list[Json]()
    for row in rows:
        image_id = find_image(row)
        if image_id not in visit.stuck:
            with about_image(image_id):
                told.append(tell_row(row))
    return told


def pick(row: object, *names: str, **renamed: str) -> Json:
    """The named fields of a row or value; those of `renamed` under another name."""
    fields = {name: name for name in names} | renamed
    return {name: getattr(row, field) for name, field in fields.items()}


def format_moment(moment: datetime) -> str:
    """A moment as in 2026-01-31T12:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_person(person: Person) -> Json:
    """A person as others see them."""
    return tell(PersonName, person, name=display_name(person))


def get_class(visit: Visit, class_name: str) -> str:
    """The class's name as it is now; the page may have been opened before it changed.

    Raises NotFoundError for a class that the party does not have.
    """
    name = visit.party.former_classes.get(class_name, class_name)
    if name not in visit.party.preset.class_names:
        raise NotFoundError(f"Unknown class {class_name}.")
    return name


def list_classes(visit: Visit, waiting: Mapping[str, int]) -> list[Json]:
    """The party's classes, each with how many of something wait."""
    shown = visit.party.preset.class_displays.items()
    return [{"name": it, "display": name, "waiting": waiting.get(it, 0)} for it, name in shown]


def format_lease(lease: Lease) -> Json:
    """A lease."""
    number = number_lease(name_kind(lease), lease.image_id)
    return {"id": number, "expires_at": lease.expires_at}


def name_kind(lease: Lease) -> LeaseKind:
    """What an image is held for; blind tasks are told as what they look like."""
    return LeaseKind.ANNOTATE if lease.kind is LeaseKind.BLIND else lease.kind


def format_revision(annotation: Annotation) -> Json:
    """A revision with its objects."""
    objects = [format_object(item) for item in annotation.objects]
    return tell(Revision, annotation, finished=annotation.is_finished, objects=objects)


def format_object(item: Object) -> Json:
    """An object with all that was drawn and said of it."""
    return {
        **format_boxed(item),
        **pick(item, "view", "truncated", "occluded", "difficult", "unsure", "drawn_secs"),
        "actions": list(item.actions),
        "point": None if item.point_x is None else [item.point_x, item.point_y],
        "parts": [{"name": part.name, "box": list(part.box.xyxy)} for part in item.parts],
    }


def format_found(row: FindingRow) -> Json:
    """A finding of the queue, to be judged."""
    return tell(OpenFinding, row, check=row.check_name, message=translate(row.message))


def format_share(share: Interval) -> list[float] | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return None if isnan(share.value) else [share.value, share.low, share.high]


def format_error(code: str, message: str) -> Json:
    """What an answer says of an error, in the language of the request."""
    return {"code": code, "message": translate(message)}


def save_or_head(save: Callable[[], Json], load: Callable[[], Json]) -> Json | tuple[Json, int]:
    """The setting as it was saved; 409 with the version that holds where another came before."""
    try:
        return save()
    except SettingStaleError as error:
        answer = get_answer(type(error))
        return {"error": format_error(answer.code, str(error)), "head": load()}, answer.status


def format_picture(image: Image) -> Json:
    """Where an image is found, and its size."""
    return tell(Picture, image, image_url=image_url(image.sha256))


def format_drawn(image: Image, revision: Annotation | None) -> Json:
    """An image with the objects that a revision of it has."""
    objects = revision.objects if revision else ()
    return format_picture(image) | {"objects": [format_boxed(one) for one in objects]}


def format_boxed(item: Object) -> Json:
    """An object as pictures with boxes show it."""
    return {"key": item.object_key, "class": item.class_name, "box": list(item.box.xyxy)}


def image_url(sha256: str) -> str:
    """Where the page finds an image."""
    return f"/images/{sha256}.jpg"


def crop_url(sha256: str, box: Box, *, is_framed: bool = False) -> str:
    """Where the page finds the crop of an object."""
    corners = "-".join(str(one) for one in box.xyxy)
    return f"/crops/{sha256}/{corners}.jpg{'?framed=1' if is_framed else ''}"


def safe_url(url: str | None) -> str | None:
    """The address where it is one of the web; a photo's source may say anything."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return url if is_web else None


_FORMS: dict[type, Callable[[Any], Any]] = {
    datetime: format_moment,
    Box: lambda box: box.xyxy,
    Person: format_person,
    Annotation: format_revision,
    Object: format_object,
    Lease: format_lease,
}
"""How an answer has what JSON does not know."""
