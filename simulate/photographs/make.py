"""Writing the demo's photographs into a folder, with the table for the stand-in next to them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from PIL import Image

from catalog.whole_file import write_whole
from simulate.flickr.table import write_table

from .known import (
    FILE_NAME,
    Frame,
    KnownPhoto,
    find_fingerprint,
    format_known,
    load_known_photographs,
)
from .listing import TABLE, Scene, make_photo_id, make_row, read_scenes
from .originals import DISTRIBUTIONS, open_original
from .renditions import KINDS, Photograph, encode, reframe

RECIPE = 1
"""Raised whenever the same scenes and packages would give other files."""


@dataclass(frozen=True)
class _Made:
    known: KnownPhoto
    content: bytes
    row: dict[str, str]


def make_demo_photographs(folder: Path) -> list[KnownPhoto]:
    """The demo's photographs, written into the folder unless they are there already.

    Raises SettingsError where scikit-image or scikit-learn is not installed.
    """
    fingerprint = make_fingerprint()
    if find_fingerprint(folder) != fingerprint:
        _write(folder, fingerprint)
    return list(load_known_photographs(folder).values())


def make_fingerprint() -> str:
    """What the photographs depend on, as a digest: the scenes, the recipe and the packages."""
    packages = [f"{name} {version(name)}" for name in (*sorted(DISTRIBUTIONS.values()), "pillow")]
    text = "\n".join((f"recipe {RECIPE}", *packages, TABLE.read_text(encoding="utf-8")))
    return hashlib.sha256(text.encode()).hexdigest()


def _write(folder: Path, fingerprint: str) -> None:
    """known.json comes last, so that a run that was cut short is begun again."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [item for scene in read_scenes() for item in _make_scene(scene)]
    _remove_former(folder, {item.known.file for item in made})
    for item in made:
        write_whole(folder / item.known.file, item.content)
    write_table(folder, [item.row for item in made])
    write_whole(folder / FILE_NAME, format_known([item.known for item in made], fingerprint))


def _remove_former(folder: Path, wanted: set[str]) -> None:
    """Remove the photographs of an earlier recipe, which the stand-in would list too."""
    if (folder / FILE_NAME).is_file():
        former = {photo.file for photo in load_known_photographs(folder).values()}
        for file in sorted(former - wanted):
            (folder / file).unlink(missing_ok=True)


def _make_scene(scene: Scene) -> Iterator[_Made]:
    photograph = _show(scene)
    yield _make(scene, "stereo" if scene.stereo_of else "scene", photograph)
    for kind in scene.renditions:
        yield _make(scene, kind, KINDS[kind](photograph))


def _show(scene: Scene) -> Photograph:
    original = _open(scene.original)
    edges = scene.crop or (0, 0, *original.size)
    width, height = edges[2] - edges[0], edges[3] - edges[1]
    scale = scene.side_px / max(width, height) if scene.side_px else 1
    frame = Frame(edges, (round(width * scale), round(height * scale)))
    return reframe(Photograph(original, scene.objects, scene.format), frame)


@cache
def _open(name: str) -> Image.Image:
    return open_original(name)


def _make(scene: Scene, kind: str, photograph: Photograph) -> _Made:
    is_first = kind in ("scene", "stereo")
    name = scene.name if is_first else f"{scene.name}-{kind}"
    known = KnownPhoto(
        id=str(make_photo_id(name)),
        name=name,
        file=f"{name}.{photograph.format}",
        original=scene.original,
        scene=scene.name,
        kind=kind,
        group=scene.stereo_of or scene.name,
        width_px=photograph.image.width,
        height_px=photograph.image.height,
        discard_reason=scene.discard,
        objects=photograph.objects,
    )
    return _Made(known, encode(photograph), make_row(scene, known))
