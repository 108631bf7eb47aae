"""Checks that see images together: what contradicts itself, and what is off in a person's work."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from catalog.annotated import AnnotatedObject
from catalog.box import Box, overlap
from catalog.sentences import name_term, say

from .box_checks import count_sides_at_border, is_confusable
from .findings import CheckedImage, Complaint, Frame, PartyWork, SeenTwice, SuggestedObject
from .matching import compare_objects, is_in_group, match_objects

_Boxed = TypeVar("_Boxed", AnnotatedObject, SuggestedObject)
Found = Iterator[tuple[int, Complaint]]  # with the place of each image, or the id of each person
MOST_SIDES_AT_BORDER = 2  # boxes with more have few coordinates left, and coincide by chance
NEVER_BY_CHANCE = 0.001  # how improbable it is that a person simply met no image with the class
Z_99 = 2.5758  # a person is named in public by this; one in a hundred by chance is enough


def find_identical_boxes(images: Sequence[CheckedImage], frame: Frame) -> Found:
    """An object has exactly the same box as one on another image."""
    margin_px = frame.settings.qa.border_margin_px
    first_places: dict[Box, int] = {}
    for place, image in enumerate(images):
        for item in image.objects:
            if count_sides_at_border(item.box, image, margin_px) > MOST_SIDES_AT_BORDER:
                continue
            first = first_places.setdefault(item.box, place)
            if first != place:
                other = images[first].image_id
                message = say("Same box as in image {image_id}. Copied by mistake?", image_id=other)
                yield place, Complaint(message, item, detail=str(other))


def find_seen_by_another(images: Sequence[CheckedImage], frame: Frame) -> Found:
    """Another person, who annotated the image blind, drew an object that it lacks."""
    least_overlap = frame.settings.qa.match_overlap
    for place, image in enumerate(images):
        both = compare_objects(image.objects, image.drawn_blind, least_overlap=least_overlap)
        known = {id(match.second) for match in both.matches}
        for item in (item for item in both.second if id(item) not in known):
            if frame.preset.find_class(item.class_name) is None:  # left it since: nobody can add it
                continue
            if is_in_group(item, image.objects):
                continue
            message = say(
                "Another person drew an object that this image lacks: {class_name} at {box}. "
                "Is it missing?",
                class_name=frame.display(item.class_name),
                box=str(item.box.xyxy),
            )
            area_px = float(item.box.area_px)
            yield place, Complaint(message, detail=item.key, badness=area_px, lacking=item)


def find_suggested_otherwise(images: Sequence[CheckedImage], frame: Frame) -> Found:
    """A detector is sure of an object that nobody drew, or that has another class.

    Where the party asks only about the classes of an image's queries, others are not missing.
    """
    asks_all = frame.settings.export.exhaustive == "all"
    for place, image in enumerate(images):
        named = list[SuggestedObject]()
        for suggested in image.suggested:
            if frame.preset.find_class(suggested.class_name) is None:  # it left the preset since
                continue
            if is_in_group(suggested, image.objects):
                continue
            near = _list_near(suggested, image.objects, frame)
            names = {item.class_name for item in near}
            names |= {item.class_name for item in _list_near(suggested, named, frame)}
            is_asked = asks_all or not image.searched or suggested.class_name in image.searched
            if suggested.class_name not in names and (near or is_asked):
                named.append(suggested)
                yield place, _question(suggested, near, frame)


def _list_near(suggested: SuggestedObject, items: Iterable[_Boxed], frame: Frame) -> list[_Boxed]:
    """Those that overlap the suggestion as much as one object drawn twice does, the most first."""
    least = frame.settings.qa.match_overlap

    def measure(item: _Boxed) -> float:
        return overlap(item.box, suggested.box)

    near = [item for item in items if measure(item) >= least]
    return sorted(near, key=measure, reverse=True)


def _question(
    suggested: SuggestedObject, near: Sequence[AnnotatedObject], frame: Frame
) -> Complaint:
    class_name = frame.display(suggested.class_name)
    confidence = f"{suggested.confidence:.2f}"
    detail = f"{suggested.class_name} {suggested.box.xyxy}"
    if near:
        message = say(
            "{model} sees a {class_name} here (confidence {confidence}), and it is drawn as "
            "{drawn}. Which one is right?",
            model=suggested.model,
            class_name=class_name,
            confidence=confidence,
            drawn=frame.display(near[0].class_name),
        )
        return Complaint(message, near[0], detail=detail, badness=suggested.confidence)
    message = say(
        "{model} sees a {class_name} at {box} (confidence {confidence}), where none is drawn. Is "
        "it missing?",
        model=suggested.model,
        class_name=class_name,
        box=str(suggested.box.xyxy),
        confidence=confidence,
    )
    lacking = AnnotatedObject(
        number=0, key=detail, class_name=suggested.class_name, box=suggested.box
    )
    return Complaint(message, detail=detail, badness=suggested.confidence, lacking=lacking)


def find_missing_actions(images: Sequence[CheckedImage], frame: Frame) -> Found:
    """An object of a class that has actions has none, though the party marks actions."""
    if not (frame.marks_actions or any(item.actions for image in images for item in image.objects)):
        return
    for place, image in enumerate(images):
        for item in image.objects:
            spec = frame.preset.find_class(item.class_name)
            if spec is not None and spec.has_actions and not (item.actions or item.group_of):
                message = say(
                    "No action set for this {class_name}.", class_name=name_term(spec.display)
                )
                yield place, Complaint(message, item)


def find_other_labels_of_an_hour(images: Sequence[CheckedImage], frame: Frame) -> Found:
    """Images of one owner and hour have classes that contradict each other.

    Speaks where an image shares no class with any other of its hour, or where it has one of two
    classes that look alike and another has the other.
    """
    hours: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, image in enumerate(images):
        if image.owner is not None and image.taken_hour is not None and image.objects:
            hours[image.owner, image.taken_hour].append(place)
    for places in hours.values():
        if len(places) > 1:
            yield from _compare_hour(images, places, frame)


def _compare_hour(images: Sequence[CheckedImage], places: Sequence[int], frame: Frame) -> Found:
    classes = {place: {item.class_name for item in images[place].objects} for place in places}
    for place in places:
        others = [other for other in places if other != place]
        for other in (earlier for earlier in others if earlier < place):
            here_only = classes[place] - classes[other]
            there_only = classes[other] - classes[place]
            pairs = product(sorted(here_only), sorted(there_only))
            if names := next((pair for pair in pairs if is_confusable(frame, *pair)), None):
                here, there = map(frame.display, names)
                image_id = images[other].image_id
                message = say(
                    "It shows {here}, but image {image_id} of the same owner and hour shows "
                    "{there}. Are they the same thing?",
                    here=here,
                    image_id=image_id,
                    there=there,
                )
                detail = f"{image_id} {names[0]} {names[1]}"
                yield place, Complaint(message, detail=detail, badness=1.0)
        if not any(classes[place] & classes[other] for other in others):
            image_id = images[others[0]].image_id
            message = say(
                "No class in common with image {image_id} of the same owner and hour.",
                image_id=image_id,
            )
            yield place, Complaint(message, detail="strange", badness=0.5)


def find_box_size_bias(work: PartyWork, frame: Frame) -> Found:
    """A person draws systematically larger or smaller boxes than others do."""
    limits = frame.settings.qa
    least = math.log1p(limits.box_size_bias)
    for bias in estimate_box_biases(work.seen_twice, least_overlap=limits.match_overlap):
        is_sure = bias.low > 0 or bias.high < 0
        if bias.objects < limits.person_min_objects or not is_sure or abs(bias.log_size) < least:
            continue
        share = math.expm1(abs(bias.log_size))
        word = "larger" if bias.log_size > 0 else "smaller"
        message = say(
            "The boxes of {person} are {share:.0%} {size} in width and height than those of others "
            "on the same {count} objects.",
            person=work.names[bias.person_id],
            share=share,
            size=say("larger") if bias.log_size > 0 else say("smaller"),
            count=bias.objects,
        )
        yield bias.person_id, Complaint(message, detail=word, badness=abs(bias.log_size))


def find_classes_never_marked(work: PartyWork, frame: Frame) -> Found:
    """A person never marks a class that they should have met by now."""
    images: Counter[int] = Counter()
    with_class: dict[str, Counter[int]] = defaultdict(Counter)
    for image in work.drawn:
        if image.person_id is None or not image.objects:
            continue
        images[image.person_id] += 1
        for name in {item.class_name for item in image.objects}:
            with_class[name][image.person_id] += 1
    for person_id in sorted(images):
        for name in frame.preset.class_names:
            others = images.total() - images[person_id]
            marked = with_class[name]
            if marked[person_id] or not others:
                continue
            share = marked.total() / others
            expected = share * images[person_id]
            if (1 - share) ** images[person_id] < NEVER_BY_CHANCE:
                message = say(
                    "{person} marked no {class_name} in {count:,} images; about {expected:.0f} "
                    "were expected.",
                    person=work.names[person_id],
                    class_name=frame.display(name),
                    count=images[person_id],
                    expected=expected,
                )
                yield person_id, Complaint(message, detail=name, badness=expected)


@dataclass(frozen=True)
class BoxBias:
    """By how much a person's boxes are larger than the typical person's, as a logarithm.

    `log_size` is of the side of a square of the box's area; 0.05 is 5 % wider and higher. `low` and
    `high` hold it with 99 %. `objects` counts those that it rests on.
    """

    person_id: int
    log_size: float
    low: float
    high: float
    objects: int


def estimate_box_biases(pairs: Sequence[SeenTwice], *, least_overlap: float) -> list[BoxBias]:
    """The bias of every person who annotated what another did too, in order of their ids.

    Least squares over log(size of the one / size of the other) = bias of the one - bias of the
    other, an image being one observation; the median person is 0. Between two people alone it
    cannot be told who is off: each gets half.
    """
    compared = list[tuple[int, int]]()
    means = list[float]()
    objects = Counter[int]()
    for pair in pairs:
        matches = match_objects(pair.first, pair.second, least_overlap=least_overlap).matches
        if matches and pair.first_id != pair.second_id:
            ratios = [
                math.log(match.first.box.area_px / match.second.box.area_px) / 2
                for match in matches
            ]
            compared.append((pair.first_id, pair.second_id))
            means.append(sum(ratios) / len(ratios))
            objects.update(dict.fromkeys(compared[-1], len(ratios)))
    people = sorted(objects)
    if not people:
        return []
    design = np.zeros((len(compared), len(people)))
    for row, (first, second) in enumerate(compared):
        design[row, people.index(first)] = 1
        design[row, people.index(second)] = -1
    biases, errors = _solve(design, np.array(means))
    return [
        BoxBias(person, bias, bias - Z_99 * error, bias + Z_99 * error, objects[person])
        for person, bias, error in zip(people, biases.tolist(), errors.tolist(), strict=True)
    ]


def _solve(
    design: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares and standard errors, both about the median person; robust to uneven spread."""
    inverse = np.linalg.pinv(design.T @ design)
    biases = inverse @ design.T @ values
    residuals = values - design @ biases
    meat = design.T @ (design * (residuals**2)[:, None])
    covariance = inverse @ meat @ inverse
    freedom = max(len(values) - (design.shape[1] - 1), 1)
    errors = np.sqrt(np.diag(covariance) * len(values) / freedom)
    return biases - np.median(biases), errors
