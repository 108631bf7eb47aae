"""What second annotators gave of a test set, read as a method's results.

A release may hold what a second person, who saw nothing of the truth, drew on some images of a test
set.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vockit.format.records import VocBox

from .entry import Selection
from .errors import ChoiceError, EvaluateError
from .masks import read_entered
from .metrics import (
    LEAST_OVERLAP,
    Counts,
    count_confusion,
    measure_overlaps,
)
from .scores import Scores
from .scoring import score
from .truth import Truth

PEOPLE = "people"
PEOPLE_FILE = "people.json"
"""In a folder of results, says which images second annotators had, and who; people are numbers."""


def find_same_object(box: VocBox, drawn: Sequence[Sequence[float]]) -> int | None:
    """The place of the drawn box that overlaps this one most, by half or more; None without one."""
    if not drawn:
        return None
    sides = np.array([box.xmin, box.ymin, box.xmax, box.ymax], np.float64)
    overlaps = measure_overlaps(sides, np.array(drawn, np.float64))
    best = int(overlaps.argmax())
    return best if overlaps[best] >= LEAST_OVERLAP else None


@dataclass(frozen=True)
class People:
    """What second annotators gave of a set: their scores and, by image, who had it.

    `pixels` are those of masks as SegmentationScore has them, in the order of `masks`.
    `discarded` counts the images of all test sets that the second person would not have annotated.
    """

    scores: Scores
    images: Mapping[str, int]
    masks: Mapping[str, int]
    pixels: Counts
    discarded: int


def is_of_people(results: Path) -> bool:
    """Whether a folder of results is what second annotators of some images gave."""
    return (results / PEOPLE_FILE).is_file()


def find_people(truth: Truth, folders: Sequence[Path] = ()) -> People | None:
    """The second annotators of the set: of a folder that is named, else of the release, or None.

    Raises EvaluateError where the named folders have nothing of this set, or two of them have.
    """
    beside = truth.root.resolve().parent / "results" / PEOPLE
    places = list(folders)
    if not folders and is_of_people(beside):
        places.append(beside)
    described = {place: _read_about(place / PEOPLE_FILE) for place in places}
    fitting = [place for place, about in described.items() if _is_of_set(about, truth)]
    if len(fitting) > 1:
        names = " and ".join(map(str, fitting))
        raise ChoiceError(f"{names} hold what people gave of {truth.name}; name one of them.")
    if fitting:
        return _read_people(truth, fitting[0], described[fitting[0]])
    if folders:
        about = described[folders[0]]
        sets = " and ".join(about["sets"])
        raise ChoiceError(
            f"{folders[0]} holds what people gave of {sets} in {about['tree']}, and nothing of "
            f"{truth.name}; choose with --set."
        )
    return None


def _is_of_set(about: Any, truth: Truth) -> bool:
    return about["tree"] == truth.root.resolve().name and truth.image_set in about["sets"]


def _read_about(path: Path) -> Any:
    try:
        about = json.loads(path.read_bytes())
        if about["format"] != 1 or not about["tree"] or about["discarded"] < 0:
            raise ValueError
        for listed in about["sets"].values():
            for kind in ("images", "masks"):
                listed[kind] = {str(key): int(person) for key, person in listed[kind].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise EvaluateError(f"{path} cannot be read as people's results of a release.") from error
    return about


def _read_people(truth: Truth, folder: Path, about: Any) -> People:
    listed = {
        kind: {
            image_id: person
            for image_id, person in about["sets"][truth.image_set][kind].items()
            if image_id not in truth.identity.withdrawn
        }
        for kind in ("images", "masks")
    }
    unknown = listed["images"].keys() - truth.images.keys()
    unknown |= listed["masks"].keys() - {*truth.segmented}
    if unknown:
        raise EvaluateError(
            f"{folder / PEOPLE_FILE} names {min(unknown)}, which {truth.name} does not list."
        )
    scores = Scores({}, {}, {}, [])
    if listed["images"]:
        has_actions = bool(list((folder / "Action").glob("*.txt")))
        competitions = {"comp2", "comp4"} | ({"comp10"} if has_actions else set())
        scores = score(truth, folder, Selection(competitions))
    return People(
        scores=replace(scores, segmentations={}, notes=[]),
        images=listed["images"],
        masks=listed["masks"],
        pixels=_count_pixels(truth, folder, listed["masks"]),
        discarded=about["discarded"],
    )


def _count_pixels(truth: Truth, folder: Path, image_ids: Mapping[str, int]) -> Counts:
    """Found, true and given pixels of each class (images x 3 x classes) of people's masks."""
    place = folder / "Segmentation" / f"comp6_{truth.image_set}_cls"
    width = len(truth.classes) + 1
    counted = []
    for image_id in image_ids:
        true = truth.class_mask(image_id)
        given = read_entered(truth, place, image_id, true.shape)
        true = truth.void_unasked(image_id, true, given)
        table = count_confusion(true, given, len(truth.classes))
        counted.append([np.diag(table), table.sum(axis=1), table.sum(axis=0)])
    return np.array(counted, np.int64).reshape(-1, 3, width)
