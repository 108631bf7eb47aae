"""scenes.toml: which part of which picture is a photograph, and what is to be seen in it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .known import KnownObject, parse_object

TABLE = Path(__file__).with_name("scenes.toml")


@dataclass(frozen=True)
class Scene:
    """A photograph to be made. Boxes are in pixels of the whole original."""

    name: str
    original: str
    title: str
    description: str
    tags: tuple[str, ...]
    crop: tuple[int, int, int, int] | None = None
    side_px: int | None = None
    format: str = "jpg"
    content_type: str = "1"
    stereo_of: str | None = None
    discard: str | None = None
    renditions: tuple[str, ...] = ()
    objects: tuple[KnownObject, ...] = ()


def read_scenes(path: Path = TABLE) -> tuple[Scene, ...]:
    """The declared scenes, in the order of the file."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_parse_scene(values) for values in document["scenes"])


def _parse_scene(values: Mapping[str, Any]) -> Scene:
    known = dict(values)
    known["objects"] = tuple(parse_object(item) for item in values.get("objects", ()))
    known["tags"] = tuple(values["tags"])
    known["renditions"] = tuple(values.get("renditions", ()))
    known["crop"] = tuple(values["crop"]) if "crop" in values else None
    return Scene(**known)
