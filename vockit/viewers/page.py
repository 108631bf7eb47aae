"""A page of slides, pictures with what is drawn on them: one HTML file with its own script."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vockit.evaluate.errors import explain_write_errors
from vockit.format.own_files import refuse_in_tree, write_own_page

PAGE = "index.html"
_HERE = Path(__file__).parent
_FILES = Environment(
    loader=FileSystemLoader(_HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True)
class Mark:
    """A box on a picture, from 1 with both ends inside; a point has one pixel.

    `kinds` are classes of the style sheet. `label` stands on the picture, `text` beside it.
    """

    box: Sequence[float]
    kinds: Sequence[str]
    label: str = ""
    text: str = ""
    colour: str = ""


@dataclass(frozen=True)
class Slide:
    """A picture with its marks; `kind` is what the page can choose by, `head` is said of it."""

    image_id: str
    picture: Path
    size_wh: tuple[int, int]
    marks: Sequence[Mark]
    head: str = ""
    kind: str = ""
    masks: Mapping[str, Path] = field(default_factory=dict)


def write_viewer(
    folder: Path, title: str, slides: Sequence[Slide], legend: Sequence[str] = ()
) -> Path:
    """Write the page into the folder; pictures stay where they are and are linked from there.

    Raises ForeignFileError where another index.html is there, FolderTakenError for a folder in a
    tree, and WriteError.
    """
    kinds = Counter(slide.kind for slide in slides if slide.kind)
    style = (_HERE / "viewer.css").read_text("utf-8")
    script = (_HERE / "viewer.js").read_text("utf-8")
    page = _FILES.get_template("viewer.html").render(
        title=title,
        kinds=kinds,
        legend=legend,
        has_masks=any(slide.masks for slide in slides),
        slides=_embed(slides, folder),
        style=Markup(style),  # noqa: S704
        style_digest=_digest(style),
        script=Markup(script),  # noqa: S704
        script_digest=_digest(script),
    )
    refuse_in_tree(folder / PAGE)
    with explain_write_errors():
        folder.mkdir(parents=True, exist_ok=True)
        write_own_page(folder / PAGE, page.encode())
    return folder / PAGE


def _digest(text: str) -> str:
    """What the page's policy names the script or style by."""
    return b64encode(sha256(text.encode()).digest()).decode()


def _embed(slides: Sequence[Slide], folder: Path) -> Markup:
    """The slides as JSON that cannot end the element it stands in.

    Slides of one image share most of their marks, so that each mark is there once and a slide has
    its number.
    """
    marks = {id(mark): mark for slide in slides for mark in slide.marks}
    shapes = {key: _shape(mark) for key, mark in marks.items()}
    numbers = {shape: number for number, shape in enumerate(dict.fromkeys(shapes.values()))}
    shaped = [
        {
            "id": slide.image_id,
            "picture": _link(slide.picture, folder),
            "width": slide.size_wh[0],
            "height": slide.size_wh[1],
            "marks": [numbers[shapes[id(mark)]] for mark in slide.marks],
            "head": slide.head,
            "kind": slide.kind,
            "masks": {kind: _link(path, folder) for kind, path in slide.masks.items()},
        }
        for slide in slides
    ]
    text = f'{{"marks":[{",".join(numbers)}],"slides":{_dump(shaped)}}}'
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704


def _shape(mark: Mark) -> str:
    """The mark as JSON, which knows no infinity."""
    sides = [side if isfinite(side) else 0 for side in mark.box]
    return _dump(
        {
            "box": sides,
            "kinds": mark.kinds,
            "label": mark.label,
            "text": mark.text,
            "colour": mark.colour,
        }
    )


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _link(path: Path, folder: Path) -> str:
    """The address of a file, as seen from the page."""
    relative = os.path.relpath(path.resolve(), folder.resolve())
    return quote(Path(relative).as_posix())
