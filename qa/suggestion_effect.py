"""What suggestions do: images that showed them next to those from which a lottery withheld them.

Both arms are images that a set covers, also where it found nothing. Every figure is of an image's
first finished annotation, and its interval is over images. What was missed is what a second person,
who saw no suggestions, drew of the same image; extra is what this person did not draw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vockit.report.intervals import (
    ENOUGH_IMAGES,
    UNKNOWN,
    Interval,
    estimate_share_by_image,
    find_student,
)

LEAST_SAVING = 0.10
"""Suggestions that save a smaller share of the time are not worth their bias."""
MOST_UNSURE = 0.10
"""Advice on the time waits until its interval is as narrow to either side, or decides."""


class Advice(StrEnum):
    """What an organiser should do with suggestions."""

    WAIT = "wait"
    KEEP = "keep"
    TOO_SLOW = "too_slow"
    MISSES_MORE = "misses_more"
    EXTRA_MORE = "extra_more"


@dataclass(frozen=True)
class Effort:
    """What one image's first annotation cost."""

    secs: float
    inputs: int
    objects: int


@dataclass(frozen=True)
class Compared:
    """One image's first annotation next to a second person's, who saw no suggestions."""

    missed: int
    others_objects: int
    extra: int
    objects: int
    wrong_class: int
    both_objects: int
    overlaps: float
    """The sum of the overlaps of the boxes that both drew."""


@dataclass(frozen=True)
class Arm:
    """The images that showed suggestions, or those that withheld them.

    Seconds and inputs are those of an object. `missed` is the share of a second person's objects,
    `extra` the share of the first person's that the second did not draw; `wrong_class` and
    `overlap` are of what both drew.
    """

    images: int
    objects: int
    compared: int
    secs: Interval
    inputs: Interval
    missed: Interval
    extra: Interval
    wrong_class: Interval
    overlap: Interval


@dataclass(frozen=True)
class Anchoring:
    """Of the wrong suggestions that a person saw on gold images, the share accepted unchanged."""

    person_id: int
    images: int
    wrong: int
    accepted: Interval


@dataclass(frozen=True)
class SuggestionEffect:
    """Both arms, the share of the time saved, and how much more is missed and extra if shown.

    `more_shown` and `more_withheld` are about as many images as are lacking for advice.
    """

    shown: Arm
    withheld: Arm
    saved: Interval
    missed_more: Interval
    extra_more: Interval
    advice: Advice
    more_shown: int = 0
    more_withheld: int = 0
    anchoring: Sequence[Anchoring] = ()


def compare_arms(
    shown: Arm, withheld: Arm, anchoring: Sequence[Anchoring] = ()
) -> SuggestionEffect:
    """What the difference of the arms says of suggestions."""
    saved = _measure_saved(shown, withheld)
    missed_more = _subtract(shown.missed, withheld.missed)
    extra_more = _subtract(shown.extra, withheld.extra)
    more = (0, 0)
    if missed_more.low > 0:
        advice = Advice.MISSES_MORE
    elif extra_more.low > 0:
        advice = Advice.EXTRA_MORE
    else:
        more = _count_lacking((shown.images, withheld.images), saved)
        advice = Advice.WAIT if any(more) else _advise_on_time(saved)
    return SuggestionEffect(
        shown, withheld, saved, missed_more, extra_more, advice, *more, anchoring
    )


def measure_arm(efforts: Sequence[Effort], compared: Sequence[Compared]) -> Arm:
    """The figures of one arm, with their intervals over images."""
    objects = [effort.objects for effort in efforts]
    others = [image.others_objects for image in compared]
    drawn = [image.objects for image in compared]
    both = [image.both_objects for image in compared]
    return Arm(
        images=len(efforts),
        objects=sum(objects),
        compared=len(compared),
        secs=estimate_ratio([effort.secs for effort in efforts], objects),
        inputs=estimate_ratio([effort.inputs for effort in efforts], objects),
        missed=estimate_share_by_image([image.missed for image in compared], others),
        extra=estimate_share_by_image([image.extra for image in compared], drawn),
        wrong_class=estimate_share_by_image([image.wrong_class for image in compared], both),
        overlap=estimate_share_by_image([image.overlaps for image in compared], both),
    )


def estimate_ratio(sums: Sequence[float], counts: Sequence[int]) -> Interval:
    """A sum per thing counted, with its interval over images on the scale of logarithms.

    The error is that of a ratio of sums (W. G. Cochran, Sampling Techniques, 1977, section 6.4);
    `count` is of images. Of fewer than two images there is no interval.
    """
    images = len(sums)
    total = sum(counts)
    if not total or not sum(sums):
        return UNKNOWN
    ratio = sum(sums) / total
    if images < 2:
        return Interval(ratio, math.nan, math.nan, images)
    squares = sum((part - ratio * count) ** 2 for part, count in zip(sums, counts, strict=True))
    error = math.sqrt(squares * images / (images - 1)) / total / ratio
    factor = math.exp(find_student(images) * error)
    return Interval(ratio, ratio / factor, ratio * factor, images)


def _measure_saved(shown: Arm, withheld: Arm) -> Interval:
    """The share of the seconds an object that suggestions save; negative where they cost some."""
    if not shown.secs.count or not withheld.secs.count:
        return UNKNOWN
    ratio = shown.secs.value / withheld.secs.value
    spreads = [math.log(arm.secs.high / arm.secs.value) for arm in (shown, withheld)]
    factor = math.exp(math.hypot(*spreads))  # the arms are independent
    images = shown.images + withheld.images
    return Interval(1 - ratio, 1 - ratio * factor, 1 - ratio / factor, images)


def _subtract(first: Interval, second: Interval) -> Interval:
    """The difference of two shares (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10)."""
    if not first.count or not second.count:
        return UNKNOWN
    difference = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(difference, difference - below, difference + above, first.count + second.count)


def _count_lacking(images: tuple[int, int], saved: Interval) -> tuple[int, int]:
    """How many more images of either arm are needed to say what share of the time is saved.

    That is known where the interval is on one side of the least saving, or narrow. The width of an
    interval falls with the root of the images.
    """
    lacking = [max(ENOUGH_IMAGES - number, 0) for number in images]
    if any(lacking) or math.isnan(saved.value):
        return lacking[0], lacking[1]
    if saved.high < LEAST_SAVING or saved.low >= LEAST_SAVING:
        return 0, 0
    growth = max(((saved.high - saved.low) / 2 / MOST_UNSURE) ** 2 - 1, 0)
    return math.ceil(images[0] * growth), math.ceil(images[1] * growth)


def _advise_on_time(saved: Interval) -> Advice:
    if math.isnan(saved.value):  # no object in either arm, or no time
        return Advice.WAIT
    return Advice.TOO_SLOW if saved.value < LEAST_SAVING else Advice.KEEP


def describe_effect(effect: SuggestionEffect, names: Mapping[int, str]) -> list[str]:
    """What the comparison says, in sentences."""
    said = {
        Advice.WAIT: _describe_wait(effect),
        Advice.KEEP: "Suggestions save time, and no errors are added. Keep them on.",
        Advice.TOO_SLOW: (
            f"Suggestions save less than {LEAST_SAVING:.0%} of the time. Switch them off."
        ),
        Advice.MISSES_MORE: "More objects are missed with suggestions. Switch them off.",
        Advice.EXTRA_MORE: (
            "With suggestions, more objects are drawn that a second person does not draw. "
            "Switch them off."
        ),
    }
    return [
        said[effect.advice],
        *(
            f"{names[line.person_id]} accepted {line.accepted.value:.0%} of {line.wrong} wrong "
            f"suggestions on gold images as they were."
            for line in effect.anchoring
            if line.wrong
        ),
    ]


def _describe_wait(effect: SuggestionEffect) -> str:
    """Which images are lacking: of both arms, or of one; where none was drawn in, nobody knows."""
    shown = effect.more_shown
    withheld = effect.more_withheld
    if shown and withheld:
        lacking = f"{shown:,} more with suggestions and {withheld:,} more without are"
    elif shown:
        lacking = f"{shown:,} more with suggestions"
    elif withheld:
        lacking = f"{withheld:,} more without suggestions"
    else:
        return "Too few objects for advice."
    return f"Too few images for advice: about {lacking} needed."
