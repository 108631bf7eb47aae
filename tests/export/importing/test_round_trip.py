"""Labels that go through a party come out again as they went in, counted by other readers."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from catalog.image_store import digest_of
from catalog.party import Party
from export.importing.dataset_image import DatasetOrder
from export.importing.dataset_job import import_dataset
from tests.exporting import export_release
from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from tests.vockit.foreign.datasets.cocos import box, make_coco
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import load_tree

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
NAMES = ("cat", "dog")
IMAGES = 9
Labels = Counter[tuple[str, str, int, int, int, int]]
"""How often a picture, by its digest, has an object of a class with these edges from 0."""


def list_objects() -> list[tuple[int, str, int, int, int, int]]:
    """Image, class, left, top, width and height of objects of all places and sizes."""
    objects = []
    for number in range(1, IMAGES + 1):
        for place in range(number % 4 + 1):
            left = (number * 7 + place * 11) % (WIDTH - 12)
            top = (number * 5 + place * 3) % (HEIGHT - 9)
            size = 1 + (number + place) % 11, 1 + (number * 3 + place) % 8
            objects.append((number, NAMES[(number + place) % 2], left, top, *size))
    objects.append((IMAGES, "dog", 0, 0, WIDTH, HEIGHT))
    return objects


OBJECTS = list_objects()
EXPECTED = Labels(
    (digest_of(jpeg_bytes(number)), name, left, top, left + width, top + height)
    for number, name, left, top, width, height in OBJECTS
)


def write_coco(root: Path) -> Path:
    rows = [
        box(place, edges, number, NAMES.index(name) + 1)
        for place, (number, name, *edges) in enumerate(OBJECTS, start=1)
    ]
    return make_coco(root, rows, images=IMAGES)


def write_yolo(root: Path) -> Path:
    for folder in ("images", "labels"):
        (root / folder).mkdir(parents=True)
    for number in range(1, IMAGES + 1):
        (root / f"images/{number}.jpg").write_bytes(jpeg_bytes(number))
        lines = [
            f"{NAMES.index(name)} {(left + width / 2) / WIDTH:.8f} "
            f"{(top + height / 2) / HEIGHT:.8f} {width / WIDTH:.8f} {height / HEIGHT:.8f}\n"
            for image, name, left, top, width, height in OBJECTS
            if image == number
        ]
        (root / f"labels/{number}.txt").write_text("".join(lines))
    (root / "data.yaml").write_text(f"train: images\nnames: {json.dumps(NAMES)}\n")
    return root


def write_voc(root: Path) -> Path:
    """Each annotation file beside its picture, as labelImg writes them."""
    root.mkdir()
    for number in range(1, IMAGES + 1):
        (root / f"{number}.jpg").write_bytes(jpeg_bytes(number))
        objects = "".join(
            f"<object><name>{name}</name><bndbox><xmin>{left + 1}</xmin><ymin>{top + 1}</ymin>"
            f"<xmax>{left + width}</xmax><ymax>{top + height}</ymax></bndbox></object>"
            for image, name, left, top, width, height in OBJECTS
            if image == number
        )
        size = f"<size><width>{WIDTH}</width><height>{HEIGHT}</height><depth>3</depth></size>"
        text = f"<annotation><filename>{number}.jpg</filename>{size}{objects}</annotation>"
        (root / f"{number}.xml").write_text(text)
    return root


def read_voc(release: Path) -> Labels:
    labels = Labels()
    tree = release / "VOCdevkit/VOC2026"
    for path in (tree / "Annotations").iterdir():
        digest = digest_of((tree / f"JPEGImages/{path.stem}.jpg").read_bytes())
        for item in ElementTree.parse(path).getroot().iter("object"):
            xmin, ymin, xmax, ymax = (
                int(item.findtext(f"bndbox/{side}", ""))
                for side in ("xmin", "ymin", "xmax", "ymax")
            )
            labels[digest, item.findtext("name", ""), xmin - 1, ymin - 1, xmax, ymax] += 1
    return labels


def read_coco(root: Path) -> Labels:
    """By pycocotools; the instances files of each set."""
    from pycocotools.coco import COCO

    labels = Labels()
    for path in sorted((root / "annotations").glob("instances_*.json")):
        coco = COCO(str(path))
        names = {row["id"]: row["name"] for row in coco.loadCats(coco.getCatIds())}
        for row in coco.loadAnns(coco.getAnnIds()):
            (image,) = coco.loadImgs(row["image_id"])
            (picture,) = root.rglob(Path(image["file_name"]).name)
            x, y, width, height = row["bbox"]
            edges = x, y, x + width, y + height
            labels[(digest_of(picture.read_bytes()), names[row["category_id"]], *edges)] += 1
    return labels


def read_yolo(root: Path) -> Labels:
    labels = Labels()
    for path in (root / "labels").rglob("*.txt"):
        (picture,) = (root / "images").rglob(f"{path.stem}.jpg")
        for line in path.read_text().splitlines():
            number, *shares = line.split()
            x, y, across, down = map(float, shares)
            edges = (
                round((x - across / 2) * WIDTH),
                round((y - down / 2) * HEIGHT),
                round((x + across / 2) * WIDTH),
                round((y + down / 2) * HEIGHT),
            )
            name = NAMES[[7, 11].index(int(number))]  # of VOC's classes
            labels[(digest_of(picture.read_bytes()), name, *edges)] += 1
    return labels


@pytest.mark.parametrize("write", [write_coco, write_yolo, write_voc])
def test_no_box_and_no_class_differs_after_a_way_through_a_party(
    party: Party, tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    qa = replace(party.settings.qa, imported="accept")
    party = replace(party, settings=replace(party.settings, qa=qa))
    report = import_dataset(party, DatasetOrder(write(tmp_path / "in")), at=NOW)
    assert (report.imported, report.objects.total()) == (IMAGES, len(OBJECTS))
    assert not report.counts
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert read_voc(tmp_path / "out") == EXPECTED
    content = load_tree(tmp_path / "out")
    for form, read in (("coco", read_coco), ("yolo", read_yolo)):
        convert_tree(content, tmp_path / form, form)
        assert read(tmp_path / form) == EXPECTED


Pixels = Counter[tuple[str, str, bytes]]
"""How often a picture, by its digest, has an object of a class with this mask."""
OUTLINES = [
    (1, "cat", [(2, 3), (30, 3), (30, 10), (12, 10), (12, 30), (2, 30)]),
    (1, "dog", [(40, 5), (50, 5), (50, 35), (40, 35)]),
    (2, "dog", [(0, 0), (60, 0), (60, 40), (0, 40)]),
    (3, "cat", [(5, 35), (25, 35), (25, 15)]),
    (3, "cat", [(30, 1), (59, 1), (59, 2), (30, 2)]),
]


def fill(corners: list[tuple[float, float]]) -> bytes:
    """The mask of the pixels whose middles an odd number of crossings is left of."""
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    inside = np.zeros((HEIGHT, WIDTH), np.bool_)
    for (left, top), (right, bottom) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if top != bottom:
            crosses = (y > min(top, bottom)) & (y < max(top, bottom))
            inside ^= crosses & (x > left + (y - top) * (right - left) / (bottom - top))
    return inside.tobytes()


EXPECTED_PIXELS = Pixels(
    (digest_of(jpeg_bytes(number)), name, fill([*corners])) for number, name, corners in OUTLINES
)


def write_coco_outlines(root: Path) -> Path:
    rows = []
    for place, (number, name, corners) in enumerate(OUTLINES, start=1):
        xs, ys = zip(*corners, strict=True)
        edges = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
        flat = [value for corner in corners for value in corner]
        rows.append(box(place, edges, number, NAMES.index(name) + 1, segmentation=[flat]))
    return make_coco(root, rows, images=3)


def write_yolo_outlines(root: Path) -> Path:
    for folder in ("images", "labels"):
        (root / folder).mkdir(parents=True)
    for number in range(1, 4):
        (root / f"images/{number}.jpg").write_bytes(jpeg_bytes(number))
        lines = [
            " ".join(
                [str(NAMES.index(name)), *(f"{x / WIDTH:.6f} {y / HEIGHT:.6f}" for x, y in corners)]
            )
            for image, name, corners in OUTLINES
            if image == number
        ]
        (root / f"labels/{number}.txt").write_text("\n".join(lines))
    (root / "data.yaml").write_text(f"train: images\nnames: {json.dumps(NAMES)}\n")
    return root


def read_voc_masks(release: Path) -> Pixels:
    pixels = Pixels()
    tree = release / "VOCdevkit/VOC2026"
    for path in (tree / "SegmentationObject").iterdir():
        digest = digest_of((tree / f"JPEGImages/{path.stem}.jpg").read_bytes())
        with Image.open(path) as file:
            labels = np.asarray(file)
        items = ElementTree.parse(tree / f"Annotations/{path.stem}.xml").getroot().iter("object")
        for number, item in enumerate(items, start=1):
            pixels[digest, item.findtext("name", ""), (labels == number).tobytes()] += 1
    return pixels


def read_coco_masks(root: Path) -> Pixels:
    """By pycocotools; of the files with outlines, and of those with run lengths."""
    from pycocotools.coco import COCO

    pixels = Pixels()
    for path in sorted((root / "annotations").glob("instances_*_masks.json")):
        coco = COCO(str(path))
        names = {row["id"]: row["name"] for row in coco.loadCats(coco.getCatIds())}
        for row in coco.loadAnns(coco.getAnnIds()):
            (image,) = coco.loadImgs(row["image_id"])
            (picture,) = root.rglob(Path(image["file_name"]).name)
            mask = coco.annToMask(row).astype(np.bool_).tobytes()
            pixels[digest_of(picture.read_bytes()), names[row["category_id"]], mask] += 1
    return pixels


def read_yolo_outlines(root: Path) -> Pixels:
    pixels = Pixels()
    for path in (root / "labels").rglob("*.txt"):
        (picture,) = (root / "images").rglob(f"{path.stem}.jpg")
        for line in path.read_text().splitlines():
            number, *shares = line.split()
            values = iter(map(float, shares))
            corners = [
                (round(x * WIDTH, 4), round(y * HEIGHT, 4))
                for x, y in zip(values, values, strict=True)
            ]
            name = NAMES[[7, 11].index(int(number))]
            pixels[digest_of(picture.read_bytes()), name, fill(corners)] += 1
    return pixels


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # pycocotools
@pytest.mark.parametrize("write", [write_coco_outlines, write_yolo_outlines])
def test_no_pixel_of_an_outline_differs_after_a_way_through_a_party(
    party: Party, tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    """Where borders are not void, masks are what the outlines hold."""
    qa = replace(party.settings.qa, imported="accept")
    export = replace(party.settings.export, void_width_px=0)
    party = replace(party, settings=replace(party.settings, qa=qa, export=export))
    report = import_dataset(party, DatasetOrder(write(tmp_path / "in")), at=NOW)
    assert (report.imported, report.outlines) == (3, len(OUTLINES))
    assert not report.counts
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert read_voc_masks(tmp_path / "out") == EXPECTED_PIXELS
    content = load_tree(tmp_path / "out")
    for form, read in (("coco", read_coco_masks), ("yolo-seg", read_yolo_outlines)):
        convert_tree(content, tmp_path / form, form)
        assert read(tmp_path / form) == EXPECTED_PIXELS
