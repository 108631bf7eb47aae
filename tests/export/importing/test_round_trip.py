"""Labels that go through a party come out again as they went in, counted by other readers."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
