"""Writing the demo's photographs into a folder, with the table for the stand-in next to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from catalog.whole_file import write_whole
from simulate.flickr.table import write_table

from .known import FILE_NAME, Frame, KnownPhoto, format_known, load_known_photographs
from .listing import Scene, make_photo_id, make_row, read_scenes
from .originals import KINDS, Photograph, encode, open_original, reframe


@dataclass(frozen=True)
class _Made:
    known: KnownPhoto
    content: bytes
    row: dict[str, str]


def make_demo_photographs(folder: Path) -> list[KnownPhoto]:
    """The demo's photographs, written into the folder unless they are there already."""
    if not (folder / FILE_NAME).is_file():
        _write(folder)
    return list(load_known_photographs(folder).values())


def _write(folder: Path) -> None:
    """known.json comes last, so that a run that was cut short is begun again."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [item for scene in read_scenes() for item in _make_scene(scene)]
    for item in made:
        write_whole(folder / item.known.file, item.content)
    write_table(folder, [item.row for item in made])
    write_whole(folder / FILE_NAME, format_known([item.known for item in made]))


def _make_scene(scene: Scene) -> Iterator[_Made]:
    photograph = _show(scene)
    yield _make(scene, "stereo" if scene.stereo_of else "scene", photograph)
    for kind in scene.renditions:
        yield _make(scene, kind, KINDS[kind](photograph))


def _show(scene: Scene) -> Photograph:
    original = open_original(scene.original)
    edges = scene.crop or (0, 0, *original.size)
    width, height = edges[2] - edges[0], edges[3] - edges[1]
    scale = scene.side_px / max(width, height) if scene.side_px else 1
    frame = Frame(edges, (round(width * scale), round(height * scale)))
    return reframe(Photograph(original, scene.objects, scene.format), frame)


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
