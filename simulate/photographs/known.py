"""What is known about a demo photograph: its objects, and its near-duplicates."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from catalog.box import Box
from catalog.errors import SettingsError
from catalog.states import View

from .frames import Frame

FILE_NAME = "known.json"


@dataclass(frozen=True)
class KnownPart:
    """A part of a person, with its box in VOC's pixels."""

    name: str
    box: Box


@dataclass(frozen=True)
class KnownObject:
    """An object that is really to be seen, with its box in VOC's pixels."""

    name: str
    box: Box
    view: View = View.UNSPECIFIED
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    parts: tuple[KnownPart, ...] = ()


@dataclass(frozen=True)
class KnownPhoto:
    """A demo photograph. Sizes and boxes are those of the upright original file.

    `original` names the picture that it was made from, `scene` the part of it that is shown and
    `kind` how: "scene" itself, "stereo" for the other view of a pair, else a kind of rendition.
    Photographs of one `group` are near-duplicates; those of one `original` are one event.
    """

    id: str
    name: str
    file: str
    original: str
    scene: str
    kind: str
    group: str
    width_px: int
    height_px: int
    discard_reason: str | None
    objects: tuple[KnownObject, ...]

    def objects_at(self, width_px: int, height_px: int) -> tuple[KnownObject, ...]:
        """The objects as they lie in the photograph at another size."""
        frame = Frame((0, 0, self.width_px, self.height_px), (width_px, height_px))
        return tuple(shown for item in self.objects if (shown := show(item, frame)) is not None)


def show(item: KnownObject, frame: Frame) -> KnownObject | None:
    """The object as a frame shows it; None where too little of it is left.

    Cutting off more than 15 % makes it truncated (the annotation guidelines).
    """
    share = frame.share_shown(item.box)
    box = frame.show(item.box)
    if box is None or share < 0.2:
        return None
    parts = [(part.name, frame.show(part.box)) for part in item.parts]
    kept = tuple(KnownPart(name, shown) for name, shown in parts if shown is not None)
    return replace(item, box=box, truncated=item.truncated or share < 0.85, parts=kept)


def load_known_photographs(folder: Path) -> dict[str, KnownPhoto]:
    """What is known about the demo photographs in a folder, by photo id.

    Raises SettingsError where make_demo_photographs has not made them there.
    """
    try:
        document = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(
            f"{folder} holds no demo photographs; `vocparty demo` makes them."
        ) from error
    photos = [_parse_photo(values) for values in document["photos"]]
    return {photo.id: photo for photo in photos}


def find_near_duplicates(photos: Mapping[str, KnownPhoto]) -> tuple[frozenset[str], ...]:
    """The groups of two and more photo ids that are near-duplicates of each other."""
    groups: dict[str, set[str]] = defaultdict(set)
    for photo in photos.values():
        groups[photo.group].add(photo.id)
    return tuple(frozenset(ids) for _, ids in sorted(groups.items()) if len(ids) > 1)


def format_known(photos: list[KnownPhoto], fingerprint: str) -> str:
    """The text of known.json; the fingerprint tells what the photographs were made with."""
    document = {"fingerprint": fingerprint, "photos": [asdict(photo) for photo in photos]}
    return json.dumps(document, indent=1) + "\n"


def find_fingerprint(folder: Path) -> str | None:
    """The fingerprint with which the folder's photographs were made."""
    try:
        document = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return str(document.get("fingerprint"))


def _parse_photo(values: Mapping[str, Any]) -> KnownPhoto:
    objects = tuple(parse_object(item) for item in values["objects"])
    return KnownPhoto(**{**values, "objects": objects})


def parse_object(values: Mapping[str, Any]) -> KnownObject:
    """The object that a mapping describes; a box is a list of four or a mapping of four."""
    parts = tuple(
        KnownPart(part["name"], _parse_box(part["box"])) for part in values.get("parts", ())
    )
    return KnownObject(
        **{
            **values,
            "box": _parse_box(values["box"]),
            "view": View(values.get("view", View.UNSPECIFIED)),
            "actions": tuple(values.get("actions", ())),
            "parts": parts,
        }
    )


def _parse_box(value: Any) -> Box:
    return Box(**value) if isinstance(value, Mapping) else Box(*value)
