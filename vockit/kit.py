"""The development kit for Python: a release's sets, annotations, objects, masks and results.

    import vockit

    release = vockit.open_release("VOCdevkit/VOC2012")
    for image in release.images("train"):
        print(image.image_id, image.pixels.shape, [item.name for item in image.objects])

`vockit.evaluate` holds the rules of each task on arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from vockit.evaluate.checking import check_results
from vockit.evaluate.entry import Entry, Person
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.metrics import Labels
from vockit.evaluate.scores import Scores
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import Truth, find_root, open_truth
from vockit.evaluate.writing import ResultsWriter
from vockit.foreign.identity import identify
from vockit.format import image_sets, tree
from vockit.format.records import VocImage, VocObject

MAIN = "Main"
"""The folder of lists for classification and detection; others are Segmentation and so on."""


@dataclass(frozen=True)
class ReleaseImage:
    """One image of a set; its files are read when they are asked for."""

    truth: Truth = field(repr=False)
    image_id: str

    @property
    def path(self) -> Path:
        """Its picture."""
        return self.truth.root / tree.jpeg_path(self.image_id)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """Red, green and blue of each pixel: height x width x 3; raises EvaluateError."""
        try:
            with Image.open(self.path) as opened:
                return np.asarray(ImageOps.exif_transpose(opened).convert("RGB"))
        except OSError as error:
            raise EvaluateError(f"{self.path} cannot be read: {error.strerror or error}") from error

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height in pixels."""
        height, width = self.truth.size_hw(self.image_id)
        return width, height

    @property
    def annotation(self) -> VocImage:
        """All that its annotation file says; raises EvaluateError where there is none."""
        return self.truth.annotation(self.image_id)

    @property
    def objects(self) -> tuple[VocObject, ...]:
        """Its objects in the order of the file; object number n is the n-th, from 1."""
        return self.annotation.objects

    @property
    def class_mask(self) -> Labels:
        """The class of each pixel in label order: 0 for background, 255 for void."""
        return self.truth.class_mask(self.image_id)

    @property
    def object_mask(self) -> Labels:
        """The object number of each pixel: 0 for background, 255 for void."""
        return self.truth.object_mask(self.image_id)


@dataclass(frozen=True)
class Release:
    """One VOC tree; raises EvaluateError where what is asked for cannot be read."""

    root: Path
    _truths: dict[str, Truth] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name of its folder, such as VOC2012."""
        return self.root.resolve().name

    @property
    def digest(self) -> str:
        """The SHA-256 that tells it from other releases of its name."""
        return identify(self.root).digest

    @property
    def sets(self) -> tuple[str, ...]:
        """The image sets that any task lists: of train, val, trainval, test and test2."""
        stems = {path.stem for path in (self.root / tree.IMAGE_SETS).glob("*/*.txt")}
        return tuple(name for name in image_sets.SETS if name in stems)

    def truth(self, image_set: str) -> Truth:
        """A set as the evaluator reads it: labels and objects as arrays."""
        if image_set not in self._truths:
            self._truths[image_set] = open_truth(self.root, image_set)
        return self._truths[image_set]

    def classes(self, image_set: str = "trainval") -> tuple[str, ...]:
        """The classes in the order of their labels in masks."""
        return self.truth(image_set).classes

    def actions(self, image_set: str = "trainval") -> tuple[str, ...]:
        """The actions, in alphabetical order."""
        return self.truth(image_set).actions

    def images(self, image_set: str, folder: str = MAIN) -> Iterator[ReleaseImage]:
        """The images of a set, in order; of the lists in Main, Segmentation, Layout or Action."""
        truth = self.truth(image_set)
        listed = truth.images if folder == MAIN else truth.list_images(f"ImageSets/{folder}")
        return (ReleaseImage(truth, image_id) for image_id in listed)

    def labels(self, class_name: str, image_set: str) -> dict[str, int]:
        """By image 1 where the class is there, 0 where only difficult ones are, else -1."""
        images, labels = self.truth(image_set).class_labels(class_name)
        return dict(zip(images, labels.tolist(), strict=True))

    def layout_persons(self, image_set: str) -> list[Person]:
        """The persons whose parts are asked for: image and object number (since 2008)."""
        return sorted(self.truth(image_set).layout_persons)

    def person(self, key: Person, image_set: str) -> tuple[ReleaseImage, VocObject]:
        """A person by image and object number, with the image.

        Of a blind test set it has the box, and the point for actions, that participants get.
        """
        truth = self.truth(image_set)
        image = ReleaseImage(truth, key[0])
        given = truth.given_persons.get(key)
        return image, given.item if given else image.objects[key[1] - 1]

    def action_labels(self, action: str, image_set: str) -> dict[Person, int]:
        """By person, an image and an object number, 1 where it performs the action, else -1."""
        persons, labels = self.truth(image_set).action_labels(action)
        return dict(zip(persons, labels.tolist(), strict=True))

    def write_results(self, folder: Path | str, image_set: str) -> ResultsWriter:
        """A writer of results for a set; raises WriteError."""
        return ResultsWriter(self.truth(image_set), Path(folder))

    def check(self, results: Path | str, image_set: str) -> Entry:
        """What would be scored of results; raises SubmissionError with all that is wrong."""
        return check_results(self.truth(image_set), Path(results))

    def evaluate(self, results: Path | str, image_set: str) -> Scores:
        """The scores of results on a set; raises SubmissionError with all that is wrong."""
        return score(self.truth(image_set), Path(results))


def open_release(folder: Path | str) -> Release:
    """The release in a folder such as VOCdevkit/VOC2012, or above it; raises EvaluateError."""
    return Release(find_root(Path(folder)))
