"""Person layout: heads, hands and feet of persons whose boxes are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .curves import Curve, Judged, Rules, draw_curve, rank
from .errors import EvaluateError
from .metrics import LEAST_OVERLAP, measure_overlaps

PART_CLASSES = ("head", "hand", "foot")

Box = tuple[float, float, float, float]
Part = tuple[str, Box]
_NOWHERE = (0.0, 0.0, -1.0, -1.0)


@dataclass(frozen=True)
class PersonTruth:
    """One person: the box (needed by the rules of 2007 alone) and the parts in file order."""

    parts: tuple[Part, ...]
    box: Box | None = None
    is_difficult: bool = False


@dataclass(frozen=True)
class LayoutResult:
    """A predicted layout; `key` names its image and object, `line` is where a file has it."""

    key: tuple[str, int]
    confidence: float
    parts: tuple[Part, ...]
    box: Box | None = None
    line: int = 0


def layout(
    persons: Mapping[tuple[str, int], PersonTruth],
    results: Sequence[LayoutResult],
    rules: Rules = Rules.VOC2012,
) -> dict[str, Curve]:
    """The curve of each class of part (VOCevallayout_pr.m, since 2008); keys are (image, object).

    A layout of an unknown person, and a second one of the same, are skipped without penalty.

    >>> head = (("head", (1, 1, 9, 9)),)
    >>> result = LayoutResult(("2008_000001", 1), 0.9, head)
    >>> layout({("2008_000001", 1): PersonTruth(head)}, [result])["head"].ap
    1.0
    """
    judged = judge_parts(persons, results)
    return {name: draw_curve(part, rules) for name, part in judged.items()}


def judge_parts(
    persons: Mapping[tuple[str, int], PersonTruth], results: Sequence[LayoutResult]
) -> dict[str, Judged]:
    """Each predicted part, class by class, in the order of the layouts' confidences."""
    numbers = _number_images(image for image, _ in persons)
    marks: dict[str, list[tuple[int, bool]]] = {name: [] for name in PART_CLASSES}
    for person, result in _pair(persons, results):
        for name, is_right in _match_parts(person.parts, result.parts):
            marks[name].append((numbers[result.key[0]], is_right))
    positives: dict[str, list[int]] = {name: [] for name in PART_CLASSES}
    for (image, _), person in persons.items():
        for name, _ in person.parts:
            positives.setdefault(name, []).append(numbers[image])
    return {name: _make_judged(marks[name], positives[name]) for name in PART_CLASSES}


def layout_2007(
    persons: Mapping[str, Sequence[PersonTruth]], results: Sequence[LayoutResult]
) -> Curve:
    """The curve of whole persons (VOCevallayout.m of 2007); keys are images, numbers are not used.

    A row takes the person that its box overlaps most. It is right where the parts have the same
    classes and each is covered by half. Raises EvaluateError where a row without parts meets a
    person without parts, at which the kit stops.

    >>> parts = (("head", (1, 1, 9, 9)), ("hand", (1, 20, 9, 29)))
    >>> persons = {"2007_1": [PersonTruth(parts, (1, 1, 40, 40))]}
    >>> layout_2007(persons, [LayoutResult(("2007_1", 0), 0.9, parts, (1, 1, 40, 38))]).npos
    1
    """
    return draw_curve(judge_persons(persons, results), Rules.VOC2007)


def judge_persons(
    persons: Mapping[str, Sequence[PersonTruth]], results: Sequence[LayoutResult]
) -> Judged:
    """Each predicted layout, in the order of confidence, by the rules of 2007."""
    numbers = _number_images([*persons, *(result.key[0] for result in results)])
    taken: set[tuple[str, int]] = set()
    marks: list[tuple[int, bool]] = []
    for result in _by_confidence(results):
        image = result.key[0]
        boxes = [person.box or _NOWHERE for person in persons.get(image, ())]
        place, overlap = _find_best(boxes, result.box or _NOWHERE)
        is_right = False
        if overlap >= LEAST_OVERLAP and (image, place) not in taken:
            taken.add((image, place))  # whatever the parts are
            if not persons[image][place].parts and not result.parts:
                raise EvaluateError(
                    f"a layout without parts meets a person without parts in {image}, at which the "
                    "kit of 2007 stops; leave that layout out"
                )
            is_right = _has_layout(persons[image][place].parts, result.parts)
        marks.append((numbers[image], is_right))
    positives = [
        numbers[image]
        for image, group in persons.items()
        for person in group
        if person.parts and not person.is_difficult
    ]
    return _make_judged(marks, positives)


def judge_layouts(
    persons: Mapping[tuple[str, int], PersonTruth], results: Sequence[LayoutResult]
) -> Judged:
    """Each layout, right where it is complete; ours, since the kit of 2011 (6.4) asks for one."""
    numbers = _number_images(image for image, _ in persons)
    marks: list[tuple[int, bool]] = []
    for person, result in _pair(persons, results):
        is_same = Counter(name for name, _ in person.parts) == Counter(
            part for part, _ in result.parts
        )
        is_right = is_same and all(right for _, right in _match_parts(person.parts, result.parts))
        marks.append((numbers[result.key[0]], is_right))
    return _make_judged(
        marks, [numbers[image] for (image, _), person in persons.items() if person.parts]
    )


def _pair(
    persons: Mapping[tuple[str, int], PersonTruth], results: Sequence[LayoutResult]
) -> Iterator[tuple[PersonTruth, LayoutResult]]:
    """The first layout of each known person, by confidence."""
    seen: set[tuple[str, int]] = set()
    for result in _by_confidence(results):
        if result.key in persons and result.key not in seen:
            seen.add(result.key)
            yield persons[result.key], result


def _match_parts(truth: Sequence[Part], parts: Sequence[Part]) -> list[tuple[str, bool]]:
    """Whether each part is right: the truth of its class that it overlaps most, if still free."""
    taken: set[int] = set()
    marks = []
    for name, box in parts:
        places = [place for place, (other, _) in enumerate(truth) if other == name]
        best, overlap = _find_best([truth[place][1] for place in places], box)
        is_right = overlap >= LEAST_OVERLAP and places[best] not in taken
        if is_right:
            taken.add(places[best])
        marks.append((name, is_right))
    return marks


def _has_layout(truth: Sequence[Part], parts: Sequence[Part]) -> bool:
    """Whether each part lies on one of its class, as in the kit of 2007.

    A person with one part has no layout there.
    """
    if len(truth) == 1 or Counter(name for name, _ in truth) != Counter(name for name, _ in parts):
        return False
    boxes = np.array([box for _, box in parts], np.float64)
    true_boxes = np.array([box for _, box in truth], np.float64)
    names = np.array([name for name, _ in parts])
    true_names = np.array([name for name, _ in truth])
    lies_on = measure_overlaps(boxes[:, None], true_boxes) >= LEAST_OVERLAP
    lies_on &= names[:, None] == true_names
    return bool(lies_on.any(axis=0).all() and lies_on.any(axis=1).all())


def _find_best(boxes: Sequence[Box], box: Box) -> tuple[int, float]:
    """The box that overlaps most, the first of equals, and its overlap; -inf for none."""
    if not boxes:
        return 0, -np.inf
    overlaps = measure_overlaps(np.array(box, np.float64), np.array(boxes, np.float64))
    best = int(np.argmax(overlaps))
    return best, float(overlaps[best])


def _by_confidence(results: Sequence[LayoutResult]) -> Iterator[LayoutResult]:
    for number in rank(np.array([result.confidence for result in results], np.float64)):
        yield results[number]


def _number_images(images: Iterable[str]) -> dict[str, int]:
    return {image: number for number, image in enumerate(dict.fromkeys(images))}


def _make_judged(marks: Sequence[tuple[int, bool]], positives: Sequence[int]) -> Judged:
    is_right = np.array([is_right for _, is_right in marks], np.bool_)
    images = np.array([image for image, _ in marks], np.int64)
    return Judged(images, is_right, ~is_right, np.array(positives, np.int64))
