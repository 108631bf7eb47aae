"""A small tree with two test sets and three methods' results, as values and as files.

Confidences have ties, objects are difficult, a list of a class lacks images, and one method has no
results of a class.
"""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Box = tuple[int, int, int, int]
Key = tuple[str, int]
"""An image and the number of an object in it, from 1."""

CLASSES = ("cat", "dog", "person")
ACTIONS = ("reading", "running")
PARTS = ("head", "hand", "foot")
METHODS = {"fine": 1, "fair": 4, "poor": 9}
"""How many pixels each method is off at most."""
LACKING = "poor"
"""The method without results of dogs."""
WIDTH = 100
HEIGHT = 80
TEST = "test"
TEST2 = "test2"
UNASKED = "dog"
POSES = ("Frontal", "Left", "Right", "Rear", "Unspecified")
VOID = 255


@dataclass(frozen=True)
class Thing:
    """An object of an annotation file."""

    name: str
    box: Box
    pose: str
    truncated: bool
    occluded: bool
    difficult: bool
    parts: Sequence[tuple[str, Box]] = ()

    @property
    def area(self) -> float:
        """The share of the image that the box covers."""
        left, top, right, bottom = self.box
        return (right - left + 1) * (bottom - top + 1) / (WIDTH * HEIGHT)


@dataclass(frozen=True)
class Detection:
    """A line of a results file of boxes."""

    image: str
    confidence: float
    box: Box


@dataclass(frozen=True)
class Layout:
    """A layout of a person, with its parts in order."""

    person: Key
    confidence: float
    parts: Sequence[tuple[str, Box]]


@dataclass
class Results:
    """What one method says of one set."""

    boxes: dict[str, list[Detection]] = field(default_factory=dict)
    images: dict[str, dict[str, float]] = field(default_factory=dict)
    actions: dict[str, dict[Key, float]] = field(default_factory=dict)
    layouts: list[Layout] = field(default_factory=list)
    masks: dict[str, NDArray[np.uint8]] = field(default_factory=dict)


@dataclass
class MadeSet:
    """The truth of one set, and the results of each method."""

    name: str
    images: dict[str, list[Thing]]
    unasked: frozenset[str]
    """Images that the list of UNASKED lacks."""
    actions: dict[str, dict[Key, int]]
    masks: dict[str, NDArray[np.uint8]]
    results: dict[str, Results] = field(default_factory=dict)

    def asked(self, name: str) -> list[str]:
        """The images that the list of the class has."""
        return [image for image in self.images if name != UNASKED or image not in self.unasked]

    def label(self, name: str, image: str) -> int:
        """1 where the image shows the class, 0 where it is difficult, else -1."""
        hard = [thing.difficult for thing in self.images[image] if thing.name == name]
        return -1 if not hard else 0 if all(hard) else 1

    @cached_property
    def persons(self) -> dict[Key, Thing]:
        """The persons of the lists of Layout and Action."""
        return {
            (image, number): thing
            for image, things in self.images.items()
            for number, thing in enumerate(things, start=1)
            if thing.name == "person"
        }


def make_sets() -> dict[str, MadeSet]:
    """Both sets with the results of all methods; the same in each run."""
    rng = random.Random(11)
    sets = {TEST: make_set(rng, TEST, range(1, 15)), TEST2: make_set(rng, TEST2, range(15, 22))}
    for made in sets.values():
        made.results = {method: make_results(rng, made, method) for method in METHODS}
    return sets


def make_set(rng: random.Random, name: str, numbers: Iterable[int]) -> MadeSet:
    """Images with objects, labels and masks; in the first set some were not asked about dogs."""
    images = {f"2012_{n:06}": [make_thing(rng) for _ in range(rng.randint(1, 4))] for n in numbers}
    ids = list(images)
    made = MadeSet(
        name=name,
        images=images,
        unasked=frozenset(ids[3:5] if name == TEST else ()),
        actions={},
        masks={image: paint(images[image]) for image in ids[:5]},
    )
    made.actions = {
        action: {key: rng.choice((1, -1)) for key in made.persons} for action in ACTIONS
    }
    return made


def make_thing(rng: random.Random) -> Thing:
    """An object somewhere; persons may have parts."""
    box = make_box(rng)
    name = rng.choice((*CLASSES, "person"))
    parts = tuple(
        (part, make_part(rng, box)) for part in rng.sample(("head", "hand", "hand", "foot"), 3)
    )
    return Thing(
        name=name,
        box=box,
        pose=rng.choice(POSES),
        truncated=rng.random() < 0.3,
        occluded=rng.random() < 0.4,
        difficult=rng.random() < 0.2,
        parts=parts if name == "person" else (),
    )


def make_box(rng: random.Random) -> Box:
    left = rng.randint(1, 60)
    top = rng.randint(1, 50)
    return left, top, left + rng.randint(6, 38), top + rng.randint(5, 28)


def make_part(rng: random.Random, box: Box) -> Box:
    left = rng.randint(box[0], box[2] - 4)
    top = rng.randint(box[1], box[3] - 4)
    return left, top, min(left + 8, box[2]), min(top + 8, box[3])


def paint(things: Sequence[Thing]) -> NDArray[np.uint8]:
    """The labels of the pixels of the boxes, the later ones above, each with a void column."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    for thing in things:
        left, top, right, bottom = thing.box
        mask[top - 1 : bottom, left - 1 : right] = 1 + CLASSES.index(thing.name)
        mask[top - 1 : bottom, right - 1] = VOID
    return mask


def make_results(rng: random.Random, made: MadeSet, method: str) -> Results:
    """What the method says of the set; where it lacks a class, nothing of that."""
    off = METHODS[method]
    results = Results()
    for name in CLASSES:
        if (method, name) == (LACKING, "dog"):
            continue
        results.boxes[name] = detect(rng, made, name, off)
        results.images[name] = {
            image: blur(rng, made.label(name, image) > 0, off) for image in made.images
        }
    for action, labels in made.actions.items():
        results.actions[action] = {key: blur(rng, label > 0, off) for key, label in labels.items()}
    results.layouts = [
        Layout(key, round(rng.random(), 1), place_parts(rng, thing.parts, off))
        for key, thing in made.persons.items()
    ]
    results.masks = {
        image: np.roll(np.where(mask == VOID, 0, mask), off, axis=1)
        for image, mask in made.masks.items()
    }
    return results


def blur(rng: random.Random, is_right: bool, off: int) -> float:
    """A confidence from 0 to 1 that says less of the truth the more the method is off."""
    return round(min(1, rng.random() * (0.7 + off / 30) + is_right * (0.4 - off / 40)), 1)


def detect(rng: random.Random, made: MadeSet, name: str, off: int) -> list[Detection]:
    """Boxes near objects of the class, twice on some, near other objects, and anywhere."""
    detections = []
    for image, things in made.images.items():
        for thing in things:
            times = rng.choice((0, 1, 1, 1, 2)) if thing.name == name else rng.random() < 0.2
            detections += [
                Detection(image, blur(rng, thing.name == name, off), shift(rng, thing.box, off))
                for _ in range(times)
            ]
        if rng.random() < 0.4:
            detections.append(Detection(image, blur(rng, False, off), make_box(rng)))
    return detections


def shift(rng: random.Random, box: Box, off: int) -> Box:
    across = rng.randint(-off, off)
    down = rng.randint(-off, off)
    left, top, right, bottom = box
    return left + across, top + down, right + across, bottom + down


def place_parts(
    rng: random.Random, parts: Sequence[tuple[str, Box]], off: int
) -> tuple[tuple[str, Box], ...]:
    """Most of the parts; some lie elsewhere, and a few are of another class."""
    placed = [(name, shift(rng, box, min(off, 4))) for name, box in parts if rng.random() < 0.9]
    if placed and rng.random() < 0.2:
        placed[0] = (rng.choice(PARTS), placed[0][1])
    return tuple(placed)


def write_files(sets: dict[str, MadeSet], folder: Path) -> Path:
    """The tree in its kit, its release.json, and a folder of results of each method."""
    tree = folder / "VOCdevkit" / "VOC2012"
    photos = []
    labels = [f"{name}:{n},{n},{n}\n" for n, name in enumerate(("background", *CLASSES))]
    write(tree / "labelmap.txt", "".join(["# label:color_rgb\n", *labels]))
    for made in sets.values():
        write_lists(made, tree / "ImageSets")
        for image, things in made.images.items():
            write(tree / f"Annotations/{image}.xml", format_annotation(image, things))
            number = int(image[-2:])
            photo = {"owner_id": f"owner {number % 4}", "uploaded_at": f"{2005 + number}-01-01"}
            photos.append({"id": image, "photos": [photo] if number % 5 else []})
        for image, mask in made.masks.items():
            write_mask(tree / f"SegmentationClass/{image}.png", mask)
        for method, results in made.results.items():
            write_results(results, made.name, folder / method)
    write(folder / "release.json", json.dumps({"images": photos}))
    return tree


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_lists(made: MadeSet, sets: Path) -> None:
    """The lists of images, of classes, of persons and of actions."""
    write(sets / f"Main/{made.name}.txt", "".join(f"{image}\n" for image in made.images))
    for name in CLASSES:
        lines = [f"{image} {made.label(name, image):2}\n" for image in made.asked(name)]
        write(sets / f"Main/{name}_{made.name}.txt", "".join(lines))
    persons = "".join(f"{image} {number}\n" for image, number in made.persons)
    write(sets / f"Layout/{made.name}.txt", persons)
    write(sets / f"Action/{made.name}.txt", persons)
    for action, labels in made.actions.items():
        lines = [f"{image} {number} {label:2}\n" for (image, number), label in labels.items()]
        write(sets / f"Action/{action}_{made.name}.txt", "".join(lines))
    write(sets / f"Segmentation/{made.name}.txt", "".join(f"{image}\n" for image in made.masks))


def format_annotation(image: str, things: Sequence[Thing]) -> str:
    size = f"<size><width>{WIDTH}</width><height>{HEIGHT}</height><depth>3</depth></size>"
    objects = "".join(map(format_thing, things))
    return f"<annotation><filename>{image}.jpg</filename>{size}{objects}</annotation>\n"


def format_thing(thing: Thing) -> str:
    flags = "".join(
        f"<{name}>{int(getattr(thing, name))}</{name}>"
        for name in ("truncated", "occluded", "difficult")
    )
    parts = "".join(
        f"<part><name>{name}</name>{format_box(box)}</part>" for name, box in thing.parts
    )
    head = f"<name>{thing.name}</name><pose>{thing.pose}</pose>"
    return f"<object>{head}{flags}{format_box(thing.box)}{parts}</object>"


def format_box(box: Box) -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    return f"<bndbox>{''.join(f'<{name}>{value}</{name}>' for name, value in sides)}</bndbox>"


def write_mask(path: Path, mask: NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(mask).save(path)


def write_results(results: Results, set_name: str, folder: Path) -> None:
    """The files of five competitions as the kit names them."""
    for name, detections in results.boxes.items():
        lines = [
            f"{row.image} {row.confidence} {' '.join(map(str, row.box))}\n" for row in detections
        ]
        write(folder / f"Main/comp3_det_{set_name}_{name}.txt", "".join(lines))
    for name, images in results.images.items():
        lines = [f"{image} {confidence}\n" for image, confidence in images.items()]
        write(folder / f"Main/comp1_cls_{set_name}_{name}.txt", "".join(lines))
    for action, persons in results.actions.items():
        lines = [f"{image} {n} {confidence}\n" for (image, n), confidence in persons.items()]
        write(folder / f"Action/comp9_action_{set_name}_{action}.txt", "".join(lines))
    layouts = "".join(map(format_layout, results.layouts))
    write(folder / f"Layout/comp7_layout_{set_name}.xml", f"<results>{layouts}</results>\n")
    for image, mask in results.masks.items():
        write_mask(folder / f"Segmentation/comp5_{set_name}_cls/{image}.png", mask)


def format_layout(layout: Layout) -> str:
    image, number = layout.person
    head = f"<image>{image}</image><object>{number}</object>"
    parts = "".join(
        f"<part><class>{name}</class>{format_box(box)}</part>" for name, box in layout.parts
    )
    return f"<layout>{head}<confidence>{layout.confidence}</confidence>{parts}</layout>"
