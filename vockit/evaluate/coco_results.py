"""Detections as COCO's results file: a list of image, category, box and score.

Source: cocodataset.org/#format-results. A box is left, top, width and height from the picture's
corner, so that inclusive pixels are one more on the left and the top.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from .errors import EvaluateError, Problem
from .metrics import Detections
from .truth import Truth


@dataclass(frozen=True)
class CocoIds:
    """What the numbers of a results file mean: stems of file names, and names of classes."""

    images: Mapping[int, str]
    categories: Mapping[int, str]


NO_IDS = CocoIds({}, {})


def read_coco_ids(path: Path) -> CocoIds:
    """The images and categories of an instances file; raises EvaluateError where it has none."""
    document = _load(path)
    try:
        images = _map_ids(path, document["images"], "file_name")
        return CocoIds(
            {number: _stem(name) for number, name in images.items()},
            _map_ids(path, document["categories"], "name"),
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise EvaluateError(
            f"{path} is no instances file of COCO: its images need id and file_name, its "
            "categories id and name."
        ) from error


def _map_ids(path: Path, rows: Any, field: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for row in rows:
        name = names.setdefault(row["id"], row[field])
        if name != row[field]:
            raise EvaluateError(
                f"{path} gives the id {row['id']!r} twice, to {name!r} and {row[field]!r}."
            )
    return names


def read_coco_results(
    path: Path,
    truth: Truth,
    ids: CocoIds = NO_IDS,
    is_withdrawn: Callable[[str], bool] = lambda image_id: False,
) -> tuple[dict[str, Detections], list[Problem]]:
    """The detections of each class, in the order of the file, and what cannot be scored.

    An image is named by its file, with or without folder and extension, or by its number in `ids`;
    a class by its name, or by its number there. Detections in images that are `is_withdrawn` are
    left out.
    """
    entries = _load(path)
    if not isinstance(entries, list):
        raise EvaluateError(f"{path} is no results file of COCO: expected a list of detections.")
    rows: defaultdict[str, list[tuple[int, float, list[float]]]] = defaultdict(list)
    problems: list[Problem] = []
    for number, entry in enumerate(entries, 1):
        try:
            name = _find_class(entry, truth, ids)
            image_id = _name_image(entry, ids)
            is_known = image_id in truth.images or image_id in truth.tasters
            if is_known or not is_withdrawn(image_id):
                row = (_find_image(image_id, truth), *_read_box(entry))
                rows[name].append(row)
            else:
                rows.setdefault(name, [])  # the class was answered for
        except _BadEntryError as error:
            problems.append(Problem(path, 0, f"detection {number:,}: {error}"))
    return {name: _gather(rows[name]) for name in rows}, problems


class _BadEntryError(Exception):
    """A detection cannot be scored; the message says why."""


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise EvaluateError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise EvaluateError(f"{path} is no JSON: {error}.") from error
    except RecursionError as error:
        raise EvaluateError(f"{path} is no JSON of COCO: its lists are too deep.") from error


def _get(entry: Any, field: str) -> Any:
    if not isinstance(entry, dict) or field not in entry:
        raise _BadEntryError("expected image_id, category_id, bbox and score")
    return entry[field]


def _name_image(entry: Any, ids: CocoIds) -> str:
    """The image that a detection names, listed or not."""
    given = _get(entry, "image_id")
    if isinstance(given, str):
        return _stem(given)
    if (known := _look_up(ids.images, given)) is not None:
        return known
    raise _unknown("image_id", given, ids.images)


def _find_image(name: str, truth: Truth) -> int:
    """The number of the image in the set; -1 of a taster image, about which nobody was asked."""
    if name in truth.tasters:
        return -1
    if name not in truth.images:
        raise _BadEntryError(f"expected an image of the set {truth.image_set}, got {name[:60]!r}")
    return truth.images[name]


def _find_class(entry: Any, truth: Truth, ids: CocoIds) -> str:
    given = _get(entry, "category_id")
    name = given if isinstance(given, str) else _look_up(ids.categories, given)
    if name is None:
        raise _unknown("category_id", given, ids.categories)
    if name not in truth.classes:
        raise _BadEntryError(f"expected a class of the tree, got {str(name)[:60]!r}")
    return name


def _look_up(names: Mapping[int, str], given: Any) -> str | None:
    """The name of a number; tables of other programs write 17 as 17.0."""
    return names.get(given) if type(given) in (int, float) else None


def _unknown(field: str, given: Any, names: Mapping[int, str]) -> _BadEntryError:
    advice = (
        "the file of --coco-ids has no such id"
        if names
        else "name the instances file whose ids these are with --coco-ids"
    )
    return _BadEntryError(f"{field} {str(given)[:60]} is unknown; {advice}")


def _read_box(entry: Any) -> tuple[float, list[float]]:
    """The confidence, and the box in inclusive pixels."""
    score = _get(entry, "score")
    box = _get(entry, "bbox")
    numbers = [score, *box] if isinstance(box, Sequence) else []
    if len(numbers) != 5 or not all(map(_is_number, numbers)):
        raise _BadEntryError("expected a score and a bbox of left, top, width and height")
    left, top, width, height = box
    if width <= 0 or height <= 0:
        raise _BadEntryError(f"expected a box with an area, got {width} x {height}")
    return float(score), [left + 1, top + 1, left + width, top + height]


def _is_number(value: Any) -> bool:
    """Whether it is a finite number that double precision holds."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        return False


def _gather(rows: Sequence[tuple[int, float, list[float]]]) -> Detections:
    return Detections(
        images=np.array([image for image, _, _ in rows], np.int64),
        confidences=np.array([confidence for _, confidence, _ in rows], np.float64),
        boxes=np.array([box for _, _, box in rows], np.float64).reshape(-1, 4),
    )


def _stem(name: str) -> str:
    """The name of a picture without folder and extension."""
    return PurePosixPath(name.replace("\\", "/")).stem
