"""Small VOC trees on disk with every kind of set, which tests damage."""

import io
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from PIL import Image

from vockit.format import records
from vockit.format.image_sets import format_images, format_labels, format_object_labels
from vockit.format.masks import make_palette
from vockit.format.write import STYLE_2008, format_annotation

from .party_rows import HEIGHT, WIDTH, jpeg_bytes

BOX = records.VocBox(2, 3, 50, 30)
CAT = records.VocObject("cat", BOX, "Left", False, False, False)
HARD_CAT = records.VocObject("cat", BOX, "Rear", False, False, True)
PERSON = records.VocObject(
    "person", BOX, "Frontal", False, False, False, (records.VocPart("head", BOX),)
)
WALKER = records.VocObject(
    "person",
    BOX,
    difficult=False,
    actions=(records.VocAction("phoning", False), records.VocAction("walking", True)),
    point=records.VocPoint(20, 20),
)
SECOND_BOX = records.VocBox(5, 3, 50, 30)

CAT_LABEL = 8
"""The label of cat among VOC's twenty classes."""

OBJECTS = {
    "2012_000001": (CAT,),
    "2012_000002": (HARD_CAT, PERSON),
    "2012_000003": (PERSON, replace(PERSON, box=SECOND_BOX)),
    "2012_000004": (CAT, HARD_CAT),
    "2012_000005": (WALKER, replace(WALKER, box=SECOND_BOX)),
    "2012_000006": (WALKER,),
}
SETS = {
    "train": ["2012_000001", "2012_000002"],
    "val": ["2012_000003"],
    "trainval": ["2012_000001", "2012_000002", "2012_000003"],
    "test": ["2012_000004"],
}
LABELS = {"cat": (1, 0, -1, 1), "person": (-1, 1, 1, -1)}
LAYOUT = {
    "train": [("2012_000002", 2)],
    "val": [("2012_000003", 1), ("2012_000003", 2)],
    "trainval": [("2012_000002", 2), ("2012_000003", 1), ("2012_000003", 2)],
}
ACTION = {
    "train": ["2012_000005"],
    "val": ["2012_000006"],
    "trainval": ["2012_000005", "2012_000006"],
}


def make_tree(folder: Path) -> Path:
    """A valid VOC2012 with Main, Layout, Action and Segmentation sets."""
    root = folder / "VOCdevkit" / "VOC2012"
    for number, (image_id, objects) in enumerate(OBJECTS.items()):
        write(root / f"Annotations/{image_id}.xml", annotation(image_id, objects))
        write(root / f"JPEGImages/{image_id}.jpg", jpeg_bytes(number))
    for path, text in set_files().items():
        write(root / "ImageSets" / path, text)
    write(root / "SegmentationClass/2012_000001.png", mask_bytes(label=CAT_LABEL))
    write(root / "SegmentationObject/2012_000001.png", mask_bytes())
    return root


def mask_bytes(
    width: int = WIDTH,
    height: int = HEIGHT,
    *,
    mode: str = "P",
    label: int = 1,
    border_px: int = 5,
    palette: list[int] | None = None,
    **options: int,
) -> bytes:
    """A mask with one label in its middle and a void border around it."""
    mask = Image.new("L", (width, height))
    mask.paste(255, (15 - border_px, 15 - border_px, 25 + border_px, 25 + border_px))
    mask.paste(label, (15, 15, 25, 25))
    if mode == "P":
        mask.putpalette(palette or make_palette())
    file = io.BytesIO()
    (mask.convert(mode) if mode == "RGB" else mask).save(file, "PNG", **options)
    return file.getvalue()


def annotation(image_id: str, objects: Iterable[records.VocObject]) -> str:
    image = records.VocImage(
        filename=f"{image_id}.jpg",
        folder="VOC2012",
        objects=tuple(objects),
        source=records.VocSource("The Example Database", "Example team", "flickr"),
        size=records.VocSize(WIDTH, HEIGHT, 3),
        segmented=image_id == "2012_000001",
    )
    return format_annotation(image, STYLE_2008)


def set_files() -> Mapping[str, str]:
    """Every file below ImageSets."""
    files = {f"Main/{name}.txt": format_images(ids) for name, ids in SETS.items()}
    for word, labels in LABELS.items():
        label_of = dict(zip(sorted(OBJECTS), labels, strict=False))
        for name, ids in SETS.items():
            files[f"Main/{word}_{name}.txt"] = format_labels(
                [(image_id, label_of[image_id]) for image_id in ids]
            )
    files |= {f"Layout/{name}.txt": format_labels(lines) for name, lines in LAYOUT.items()}
    for name, ids in ACTION.items():
        files[f"Action/{name}.txt"] = format_images(ids)
        people = [(image_id, n) for image_id in ids for n in range(1, len(OBJECTS[image_id]) + 1)]
        files[f"Action/walking_{name}.txt"] = format_object_labels(
            [(*person, 1) for person in people]
        )
        files[f"Action/phoning_{name}.txt"] = format_object_labels(
            [(*person, -1) for person in people]
        )
    files |= {f"Segmentation/{name}.txt": "2012_000001\n" for name in ("train", "trainval")}
    return files | {"Segmentation/val.txt": ""}


def write(path: Path, content: str | bytes) -> None:
    """Write a file, its folders too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


Damage = Callable[[Path], object]
"""Changes the tree at that root."""


def edit(path: str, old: str, new: str) -> Damage:
    def damage(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new, 1))

    return damage


def put(path: str, content: str | bytes) -> Damage:
    return lambda root: write(root / path, content)


def draw(path: str, *objects: records.VocObject) -> Damage:
    return put(path, annotation(Path(path).stem, objects))


def drop(path: str) -> Damage:
    return lambda root: (root / path).unlink()


def drop_folder(path: str) -> Damage:
    return lambda root: shutil.rmtree(root / path)
