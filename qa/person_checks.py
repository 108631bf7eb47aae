"""Checks of people: what is off in a person's work as a whole, and in no single image."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from .biases import estimate_box_biases
from .findings import Complaint, Frame
from .subjects import PartyWork

NEVER_BY_CHANCE = 0.001
"""How improbable it must be that a person simply met no image with the class."""


def find_box_size_bias(work: PartyWork, frame: Frame) -> Iterator[tuple[int, Complaint]]:
    """People whose boxes are larger or smaller than other people's of the same objects."""
    limits = frame.settings.qa
    least = math.log1p(limits.box_size_bias)
    for bias in estimate_box_biases(work.seen_twice, least_overlap=limits.match_overlap):
        is_sure = bias.low > 0 or bias.high < 0
        if bias.objects < limits.person_min_objects or not is_sure or abs(bias.log_size) < least:
            continue
        share, word = math.expm1(abs(bias.log_size)), "larger" if bias.log_size > 0 else "smaller"
        message = (
            f"The boxes of {_name(work, bias.person_id)} are {share:.0%} {word} in width and "
            f"height than those of others on the same {bias.objects} objects."
        )
        yield bias.person_id, Complaint(message, beside=word, badness=abs(bias.log_size))


def find_classes_never_marked(work: PartyWork, frame: Frame) -> Iterator[tuple[int, Complaint]]:
    """People who never marked a class that others mark too often for that to be chance.

    Images come to people at random, so the others' share of images with the class is what a person
    would be expected to have.
    """
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
                message = (
                    f"{_name(work, person_id)} marked no {frame.display(name)} in "
                    f"{images[person_id]} images, where about {expected:.0f} with one were to be "
                    "expected."
                )
                yield person_id, Complaint(message, beside=name, badness=expected)


def _name(work: PartyWork, person_id: int) -> str:
    return work.names.get(person_id, f"person {person_id}")
