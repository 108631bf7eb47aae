"""The demo's photographs, as scenes.toml declares them, and what Flickr would know about them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from simulate.flickr import folder as invent
from simulate.flickr.folder import DAY_SECS, LAST_UPLOAD_SECS, Inventor
from simulate.flickr.photos import Availability
from simulate.flickr.table import TAG_SEPARATOR, format_mysql, write_table
from vockit.format.whole_file import write_whole

from .known import FILE_NAME, KNOWN, Frame, KnownObject, KnownPhoto, load_known_photographs
from .originals import KINDS, Photograph, encode, open_original, reframe

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


SEED = 2007
LICENCES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 11)
LICENCE_WEIGHTS = (24, 14, 3, 24, 16, 1, 2, 3, 6, 3, 2, 2)
"""Nearly all may be used, so that the demo has its photographs; real Flickr is stricter."""


UNAVAILABLE = {
    "astronaut-tinted": Availability.DELETED,
    "pagoda-resized": Availability.DELETED,
    "gravel": Availability.PRIVATE,
}
"""Search still lists these; the image host no longer shows them."""


def make_row(scene: Scene, known: KnownPhoto) -> dict[str, str]:
    """The photograph's row in photos.csv.

    A copy comes after its scene, the second of a stereo pair seconds after the first. Such a pair
    has one owner; most other copies have another owner.
    """
    title, _ = KINDS.get(known.kind, ("{}", None))
    draw = Inventor(SEED, known.name)
    of_group = Inventor(SEED, known.group)
    uploaded_secs = invent.invent_upload(of_group)
    if known.kind == "stereo":
        uploaded_secs += 14
    elif known.kind != "scene":
        later_secs = draw.whole("days later", 1, 900) * DAY_SECS
        uploaded_secs = min(uploaded_secs + later_secs, LAST_UPLOAD_SECS)
    taken_secs = uploaded_secs - draw.whole("taken days", 0, 300) * DAY_SECS - 3600
    return {
        "file": known.file,
        "id": known.id,
        "title": title.format(scene.title),
        "description": scene.description,
        "tags": TAG_SEPARATOR.join(scene.tags),
        "owner": invent.invent_owner(of_group if known.kind == "stereo" else draw).username,
        "licence": str(draw.choose("licence", LICENCES, LICENCE_WEIGHTS)),
        "uploaded": format_mysql(uploaded_secs),
        "taken": "unknown" if draw.happens("taken unknown", 0.1) else format_mysql(taken_secs),
        "content_type": scene.content_type,
        "state": UNAVAILABLE.get(known.name, Availability.PUBLIC).value,
    }


def read_scenes() -> tuple[Scene, ...]:
    """The declared scenes, in the order of the file."""
    document = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    scenes = TypeAdapter(Scene)
    loaded = []
    for name, values in document.items():
        title, description = values["text"]
        texts = {"name": name, "title": title, "description": description}
        loaded.append(scenes.validate_python(values | values["picture"] | texts))
    return tuple(loaded)


def make_demo_photographs(folder: Path) -> list[KnownPhoto]:
    """The demo's photographs, written into the folder unless they are there already."""
    if not (folder / FILE_NAME).is_file():  # it comes last, so a run that was cut short is repeated
        folder.mkdir(parents=True, exist_ok=True)
        known = []
        rows = []
        for scene in read_scenes():
            for kind, photograph in _make_photographs(scene):
                known.append(_describe(scene, kind, photograph))
                rows.append(make_row(scene, known[-1]))
                write_whole(folder / known[-1].file, encode(photograph))
        write_table(folder, rows)
        write_whole(folder / FILE_NAME, KNOWN.dump_json(known, indent=1) + b"\n")
    return list(load_known_photographs(folder).values())


def _make_photographs(scene: Scene) -> Iterator[tuple[str, Photograph]]:
    """The scene and its near-duplicates, by kind."""
    original = open_original(scene.original)
    edges = scene.crop or (0, 0, *original.size)
    width = edges[2] - edges[0]
    height = edges[3] - edges[1]
    scale = scene.side_px / max(width, height) if scene.side_px else 1
    frame = Frame(edges, (round(width * scale), round(height * scale)))
    photograph = reframe(Photograph(original, scene.objects, scene.format), frame)
    yield "stereo" if scene.stereo_of else "scene", photograph
    for kind in scene.renditions:
        _, change = KINDS[kind]
        yield kind, change(photograph)


def _describe(scene: Scene, kind: str, photograph: Photograph) -> KnownPhoto:
    name = scene.name if kind in ("scene", "stereo") else f"{scene.name}-{kind}"
    return KnownPhoto(
        id=str(invent.invent_id(f"demo/{name}")),
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
