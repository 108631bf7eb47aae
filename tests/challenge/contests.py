"""A small release with a test set, results on it, and a challenge of it."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PIL import Image

from challenge import methods, submissions, teams
from challenge.folder import Challenge
from challenge.making import Order
from challenge.values import MaskSource, MethodFields, Phase, Training, Verdict
from challenge.worker import score_next
from tests.trees import mask_bytes
from vockit.format.image_sets import format_images, format_labels
from vockit.format.records import VocBox, VocImage, VocObject, VocSize, VocSource
from vockit.format.write import STYLE_2008, format_annotation

WIDTH = 100
HEIGHT = 80
IDS = tuple(f"2012_{number:06}" for number in range(1, 13))
TRAINED = "2012_000099"
SEGMENTED = IDS[:2]
CLASSES = ("cat", "person")

TRAINING = datetime(2026, 3, 1, tzinfo=UTC)
IMAGES = datetime(2026, 6, 1, tzinfo=UTC)
SUBMISSIONS = datetime(2026, 9, 1, tzinfo=UTC)
CLOSED = datetime(2026, 9, 30, tzinfo=UTC)
ROLLING = datetime(2026, 10, 12, tzinfo=UTC)
OPEN = SUBMISSIONS + timedelta(days=1)
AFTER = CLOSED + timedelta(days=1)
LATER = ROLLING + timedelta(days=1)
"""Moments in the phases: a Tuesday of the ISO week 2026-W42 is the last."""
DATES = {
    Phase.TRAINING: TRAINING,
    Phase.IMAGES: IMAGES,
    Phase.SUBMISSIONS: SUBMISSIONS,
    Phase.CLOSED: CLOSED,
    Phase.ROLLING: ROLLING,
}
ORDER = Order(name="Small challenge", dates=DATES)


def make_box(number: int) -> VocBox:
    return VocBox(5 + number, 5, 50 + number, 60)


def shows(number: int, word: str) -> bool:
    """Whether a test image shows the class: a cat where it is even, a person elsewhere or in 0."""
    return number % 2 == 0 if word == "cat" else number % 2 == 1 or number == 0


def make_release(folder: Path) -> Path:
    """The tree of an open release."""
    root = folder / "VOCdevkit" / "VOC2012"
    for number, image_id in enumerate((*IDS, TRAINED)):
        names = [word for word in CLASSES if shows(number, word)]
        write(root / f"Annotations/{image_id}.xml", annotate(image_id, number, names))
        picture = io.BytesIO()
        Image.new("RGB", (WIDTH, HEIGHT), (number, 0, 0)).save(picture, "JPEG")
        write(root / f"JPEGImages/{image_id}.jpg", picture.getvalue())
    for name, ids in (("test", IDS), ("train", (TRAINED,))):
        write(root / f"ImageSets/Main/{name}.txt", format_images(ids))
        for word in CLASSES:
            labels = [(image_id, 1 if shows(at, word) else -1) for at, image_id in enumerate(ids)]
            write(root / f"ImageSets/Main/{word}_{name}.txt", format_labels(labels))
    write(root / "ImageSets/Segmentation/test.txt", format_images(SEGMENTED))
    for number, image_id in enumerate(SEGMENTED):
        mask = mask_bytes(WIDTH, HEIGHT, label=number + 1)
        write(root / f"SegmentationClass/{image_id}.png", mask)
    text = "# label:color_rgb\nbackground:0,0,0\ncat:1,1,1\nperson:2,2,2\n"
    write(root / "labelmap.txt", text)
    return root


def annotate(image_id: str, number: int, names: list[str]) -> str:
    objects = tuple(
        VocObject(name, make_box(number), "Left", False, False, False) for name in names
    )
    source = VocSource("The Test Database", "Test", "flickr")
    size = VocSize(WIDTH, HEIGHT, 3)
    image = VocImage(f"{image_id}.jpg", objects, "VOC2012", source, size=size, segmented=False)
    return format_annotation(image, STYLE_2008)


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def make_results(seed: int = 0, wrong: float = 0.3) -> dict[str, bytes]:
    """Results of comp1, comp3 and comp5; of each box a share is `wrong`."""
    chance = random.Random(seed)
    files = dict[str, bytes]()
    for word in CLASSES:
        rated = "".join(f"{image_id} {chance.random():.6f}\n" for image_id in IDS)
        files[f"Main/comp1_cls_test_{word}.txt"] = rated.encode()
        rows = ""
        for number, image_id in enumerate(IDS):
            if not shows(number, word):
                continue
            box = make_box(number + (60 if chance.random() < wrong else 0))
            edges = f"{box.xmin} {box.ymin} {box.xmax} {box.ymax}"
            rows += f"{image_id} {chance.random():.6f} {edges}\n"
        files[f"Main/comp3_det_test_{word}.txt"] = rows.encode()
    for image_id in SEGMENTED:
        mask = Image.new("L", (WIDTH, HEIGHT))
        mask.paste(1, (15 + seed, 15, 25, 25))
        file = io.BytesIO()
        mask.save(file, "PNG")
        files[f"Segmentation/comp5_test_cls/{image_id}.png"] = file.getvalue()
    return files


def pack(files: Mapping[str, bytes]) -> bytes:
    """A tar.gz of these files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


FIELDS = MethodFields(name="prior", training=Training.GIVEN, mask_source=MaskSource.SEGMENTATIONS)


def join(challenge: Challenge, name: str = "ann", fields: MethodFields = FIELDS) -> tuple[int, int]:
    """A new team with a method: their numbers."""
    with challenge.catalogue.writing() as session:
        team = teams.invite(session, name, "", token=f"token of {name}", now=TRAINING)
        return team.id, methods.add(session, team.id, fields, TRAINING).id


def send(
    challenge: Challenge,
    entrant: tuple[int, int],
    files: Mapping[str, bytes] | None = None,
    now: datetime = OPEN,
) -> tuple[int, Verdict]:
    """Upload results: the number of the submission, and its verdict."""
    data = pack(make_results() if files is None else files)
    return submissions.receive(challenge, *entrant, "results.tar.gz", [data], now)


def enter(
    challenge: Challenge,
    entrant: tuple[int, int],
    files: Mapping[str, bytes] | None = None,
    now: datetime = OPEN,
) -> int:
    """Upload and confirm results: the number of the submission."""
    submission_id, verdict = send(challenge, entrant, files, now)
    assert verdict.is_good, verdict
    with challenge.catalogue.writing() as session:
        submissions.confirm(session, entrant[0], submission_id, now)
    return submission_id


def score_all(challenge: Challenge, now: datetime = OPEN) -> None:
    """Score all that is queued."""
    while score_next(challenge, lambda: now):
        pass
