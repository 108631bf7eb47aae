"""Detections of a class over the pictures, by rank (viewdet.m): true, false, difficult, missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from vockit.evaluate.curves import Flags, Floats, Ints
from vockit.evaluate.scores import Boxes, ClassScore
from vockit.kit import Release, ReleaseImage

from .page import Mark, Slide

TRUE = "true"
FALSE = "false"
DIFFICULT = "difficult"
MISSED = "missed"
LEGEND = (
    "Green: true. Red: false. Grey: on a difficult object, counts neither way. Orange: an object "
    "that no detection found. Yellow: the other objects of the class.",
    "The detection of this rank is drawn in full; others of the same image are pale.",
)


@dataclass(frozen=True)
class _Ranked:
    """The detections of a class by rank, with what each counts as."""

    boxes: Floats
    confidences: Floats
    overlaps: Floats
    images: Ints
    kinds: list[str]


def make_slides(
    release: Release, image_set: str, scored: ClassScore, *, only_true: bool, most: int
) -> tuple[list[Slide], int]:
    """A slide for each detection, then for each image with missed objects; `most` of each kind.

    Also how many more there would be. `only_true` leaves out all but true detections.
    """
    evidence = scored.evidence
    assert isinstance(evidence, Boxes)
    truth = release.truth(image_set)
    images = [ReleaseImage(truth, image_id) for image_id in truth.images]
    ranked = _rank(scored, evidence)
    is_found = np.zeros(len(evidence.truth.boxes), np.bool_)
    is_found[evidence.pairing.best[scored.judged.is_right]] = True
    painter = _Painter(evidence, ranked, is_found, images)
    places = [place for place, kind in enumerate(ranked.kinds) if kind == TRUE or not only_true]
    is_missed = ~is_found & ~evidence.truth.difficult & (not only_true)
    missing = np.unique(evidence.truth.images[is_missed])
    slides = [painter.show_row(place) for place in places[:most]]
    slides += [painter.show_missed(int(image)) for image in missing[:most]]
    return slides, len(places) + len(missing) - len(slides)


def _rank(scored: ClassScore, evidence: Boxes) -> _Ranked:
    order = evidence.pairing.order
    flags = zip(scored.judged.is_right, scored.judged.is_wrong, strict=True)
    return _Ranked(
        boxes=evidence.detections.boxes[order],
        confidences=evidence.detections.confidences[order],
        overlaps=evidence.pairing.overlaps,
        images=evidence.pairing.images,
        kinds=[TRUE if right else FALSE if wrong else DIFFICULT for right, wrong in flags],
    )


@dataclass(frozen=True)
class _Painter:
    """Draws objects and detections of one class."""

    evidence: Boxes
    ranked: _Ranked
    is_found: Flags
    images: list[ReleaseImage]
    _sizes_wh: dict[int, tuple[int, int]] = field(default_factory=dict)
    _pale: dict[int, Mark] = field(default_factory=dict)
    """The mark of each detection on the slides of the others."""

    def show_row(self, place: int) -> Slide:
        """The picture of a detection, with all others in it."""
        ranked = self.ranked
        image = int(ranked.images[place])
        overlap = ranked.overlaps[place]
        kind = ranked.kinds[place]
        head = f"Rank {place + 1:,}: {kind}, confidence {ranked.confidences[place]:.6g}"
        head += f", overlap {overlap:.2f}" if overlap > 0 else ", on no object of the class"
        marks = [*self._mark_objects(image), *self._mark_others(image, place)]
        text = f"this detection: {kind}"
        marks.append(Mark(self._sides(image, place), (kind,), f"{place + 1}", text))
        return self._make_slide(image, marks, head, kind)

    def show_missed(self, image: int) -> Slide:
        """A picture with objects that no detection found."""
        marks = [*self._mark_objects(image), *self._mark_others(image, None)]
        count = sum(mark.kinds == (MISSED,) for mark in marks)
        head = f"{count} object{'' if count == 1 else 's'} not found"
        return self._make_slide(image, marks, head, MISSED)

    def _make_slide(self, image: int, marks: list[Mark], head: str, kind: str) -> Slide:
        shown = self.images[image]
        return Slide(shown.image_id, shown.path, self._size_wh(image), marks, head, kind)

    def _size_wh(self, image: int) -> tuple[int, int]:
        """Width and height of an image, whose file is opened once."""
        if image not in self._sizes_wh:
            self._sizes_wh[image] = self.images[image].size_wh
        return self._sizes_wh[image]

    def _mark_objects(self, image: int) -> Iterator[Mark]:
        truth = self.evidence.truth
        for place in np.flatnonzero(truth.images == image):
            kind = self._judge_object(int(place))
            text = "object" if kind == "object" else f"{kind} object"
            yield Mark(truth.boxes[place].tolist(), (kind,), "", text)

    def _judge_object(self, place: int) -> str:
        if self.evidence.truth.difficult[place]:
            return DIFFICULT
        return "object" if self.is_found[place] else MISSED

    def _mark_others(self, image: int, place: int | None) -> Iterator[Mark]:
        for row in np.flatnonzero(self.ranked.images == image):
            if row != place:
                yield self._mark_pale(image, int(row))

    def _mark_pale(self, image: int, row: int) -> Mark:
        """The mark of a detection that the slide is not about, made once for all slides."""
        if row not in self._pale:
            kind = self.ranked.kinds[row]
            text = f"rank {row + 1:,}: {kind}"
            self._pale[row] = Mark(self._sides(image, row), (kind, "dim"), f"{row + 1}", text)
        return self._pale[row]

    def _sides(self, image: int, place: int) -> list[float]:
        """The box, cut off far outside the picture; numbers may be anything in results."""
        width, height = self._size_wh(image)
        high = [2 * width, 2 * height] * 2
        low = [-width, -height] * 2
        sides = np.clip(np.nan_to_num(self.ranked.boxes[place]), low, high)
        return [float(side) for side in sides]
