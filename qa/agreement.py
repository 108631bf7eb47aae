"""How well people agree: all together, by pair, by class and by both, and for the board."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from catalog.annotated import AnnotatedObject
from vockit.report.intervals import Array, Interval, estimate_share_by_image, jackknife

from .findings import SeenTwice
from .lacking import MissingLabels, count_found, estimate_lacking
from .matching import MatchedImage, MatchedPairs, match_pairs
from .recapture import Missed, estimate_missed

FIELDS = ("class", "view", "truncated", "occluded", "difficult", "actions", "parts")
_SPARSE = ("actions", "parts")  # asked only of classes of which someone gave any
_SIZES = (("small", 0, 32**2), ("medium", 32**2, 96**2), ("large", 96**2, np.inf))

_Images = Sequence[MatchedImage]


@dataclass(frozen=True)
class FieldAgreement:
    """Agreement on a word; `kappa` is Cohen's, of two people only, `alpha` Krippendorff's."""

    field: str
    share: Interval
    kappa: Interval | None
    alpha: Interval


@dataclass(frozen=True)
class Confusion:
    """How often one said the one class and the other the other, of the same object."""

    first_class: str
    second_class: str
    objects: int
    share: float


@dataclass(frozen=True)
class GroupAgreement:
    """The agreement of one pair of people, on one class, or of all.

    `both` is the share of the objects that either has which both have; the overlaps are of those.
    Each object counts at most once, whatever its class for pairs and for all; a class's own counts
    only what both gave that class.
    """

    people: tuple[int, int] | None
    class_name: str | None
    images: int
    first_objects: int
    second_objects: int
    both_objects: int
    both: Interval
    mean_overlap: Interval
    over_50: Interval
    over_70: Interval
    over_90: Interval
    fields: tuple[FieldAgreement, ...]
    missed: Missed
    lacking: MissingLabels
    confusions: tuple[Confusion, ...]


def measure_all(matched: MatchedPairs) -> GroupAgreement:
    """The agreement of all people on everything."""
    return _measure(matched.images)


def measure_people(matched: MatchedPairs) -> list[GroupAgreement]:
    """The agreement of every two people who annotated an image both, in order of their ids."""
    return [_measure(images, people) for people, images in group_by_people(matched.images)]


def measure_classes(matched: MatchedPairs, *, by_people: bool = False) -> list[GroupAgreement]:
    """The agreement on every class that anyone drew, in their order; or first by two people."""
    groups: Iterable[tuple[tuple[int, int] | None, _Images]] = [(None, matched.images)]
    measured = []
    for people, images in group_by_people(matched.images) if by_people else groups:
        for name in matched.classes:
            of_class = [image.of_class(name) for image in images]
            if drawn := [image for image in of_class if image.first or image.second]:
                measured.append(_measure(drawn, people, name))
    return measured


@dataclass(frozen=True)
class BoxAgreement:
    """The fit of boxes of one size that both drew: overlaps that 5, 25 and 50 % stay below."""

    size: str
    objects: int
    quantiles: tuple[float, float, float]
    over_90: Interval


def measure_boxes(matched: MatchedPairs) -> list[BoxAgreement]:
    """The fit of boxes by size, where there are any; sizes as COCO bounds them, by area."""
    measured = []
    for size, least_px, most_px in _SIZES:
        overlaps_by_image = [
            [
                match.overlap
                for match in image.matches
                if least_px <= match.first.box.area_px < most_px
            ]
            for image in matched.images
        ]
        overlaps = [overlap for of_image in overlaps_by_image for overlap in of_image]
        if overlaps:
            hits = [sum(overlap >= 0.9 for overlap in of_image) for of_image in overlaps_by_image]
            share = estimate_share_by_image(hits, list(map(len, overlaps_by_image)))
            low, quarter, half = np.quantile(overlaps, (0.05, 0.25, 0.5)).tolist()
            measured.append(BoxAgreement(size, len(overlaps), (low, quarter, half), share))
    return measured


def group_by_people(images: _Images) -> Iterator[tuple[tuple[int, int], _Images]]:
    """Every two people, in order of their ids, with what is theirs."""
    for people in sorted({image.people for image in images}):
        yield people, [image for image in images if image.people == people]


@dataclass(frozen=True)
class MatrixCell:
    """Two people's agreement on images that both annotated blind; no mean overlap of nothing."""

    first_id: int
    second_id: int
    both: Interval
    mean_overlap: float | None
    shared: _Images

    @property
    def images(self) -> int:
        """How many images both annotated."""
        return len(self.shared)


def make_matrix(pairs: Sequence[SeenTwice], least_overlap: float) -> list[MatrixCell]:
    """The cells of images that two people have."""
    matched = match_pairs(pairs, (), least_overlap=least_overlap)
    cells = []
    for people, images in group_by_people(matched.images):
        overlaps = [match.overlap for image in images for match in image.matches]
        mean = sum(overlaps) / len(overlaps) if overlaps else None
        cells.append(MatrixCell(*people, _share_of(images), mean, images))
    return cells


def summarise_people(cells: Sequence[MatrixCell]) -> dict[int, Interval]:
    """Each person's agreement with all others: of what either has, the share that both have."""
    images: dict[int, list[MatchedImage]] = defaultdict(list)
    for cell in cells:
        images[cell.first_id] += cell.shared
        images[cell.second_id] += cell.shared
    shares = {person: _share_of(theirs) for person, theirs in sorted(images.items())}
    return {person: share for person, share in shares.items() if share.count}


def summarise_classes(
    cells: Sequence[MatrixCell], class_names: Sequence[str]
) -> dict[str, Interval]:
    """The agreement of all people on each of these classes that anyone drew twice."""
    images = [image for cell in cells for image in cell.shared]
    shares = {name: _share_of([image.of_class(name) for image in images]) for name in class_names}
    return {name: share for name, share in shares.items() if share.count}


def _share_of(images: _Images) -> Interval:
    """Of the objects that either has on these images, the share that both have."""
    both = [len(image.matches) for image in images]
    either = [len(image.first) + len(image.second) - len(image.matches) for image in images]
    return estimate_share_by_image(both, either)


def _measure(
    images: _Images, people: tuple[int, int] | None = None, class_name: str | None = None
) -> GroupAgreement:
    fields = FIELDS if class_name is None else FIELDS[1:]  # of a class all have the class
    both_objects = [len(image.matches) for image in images]
    overlaps = [[match.overlap for match in image.matches] for image in images]

    def share_over(least: float) -> Interval:
        hits = [sum(overlap >= least for overlap in of_image) for of_image in overlaps]
        return estimate_share_by_image(hits, both_objects)

    return GroupAgreement(
        people=people,
        class_name=class_name,
        images=len(images),
        first_objects=sum(len(image.first) for image in images),
        second_objects=sum(len(image.second) for image in images),
        both_objects=sum(both_objects),
        both=_share_of(images),
        mean_overlap=estimate_share_by_image(list(map(sum, overlaps)), both_objects),
        over_50=share_over(0.5),
        over_70=share_over(0.7),
        over_90=share_over(0.9),
        fields=tuple(
            _measure_field(field, images, has_kappa=people is not None) for field in fields
        ),
        missed=estimate_missed(count_found(images)),
        lacking=estimate_lacking(images),
        confusions=tuple(_count_confusions(images)) if class_name is None else (),
    )


def _measure_field(field: str, images: _Images, *, has_kappa: bool) -> FieldAgreement:
    """What two people said of each object that both drew: how often it is the same."""
    answers = _list_answers(field, images)
    words = {word for pairs in answers for pair in pairs for word in pair}
    places = {word: place for place, word in enumerate(sorted(words, key=repr))}
    tables = np.zeros((len(answers), len(words), len(words)))
    for table, pairs in zip(tables, answers, strict=True):
        for first, second in pairs:
            table[places[first], places[second]] += 1
    same = [sum(first == second for first, second in pairs) for pairs in answers]
    return FieldAgreement(
        field,
        estimate_share_by_image(same, [len(pairs) for pairs in answers]),
        jackknife(tables, cohen_kappa, floor=-1.0) if has_kappa else None,
        jackknife(tables, krippendorff_alpha, floor=-1.0),
    )


def _list_answers(field: str, images: _Images) -> list[list[tuple[object, object]]]:
    """For each image what its two people said of each object, where they said anything.

    A field that few objects have counts for the classes of which any object has it.
    """
    matches = [image.matches for image in images]
    if field in _SPARSE:
        classes = {item.class_name for item in _list_objects(images) if getattr(item, field)}
        matches = [
            tuple(match for match in of_image if match.first.class_name in classes)
            for of_image in matches
        ]
    answers = [
        [(_say(field, match.first), _say(field, match.second)) for match in of_image]
        for of_image in matches
    ]
    return [pairs for pairs in answers if pairs]


def _count_confusions(images: _Images) -> list[Confusion]:
    """Two classes given to one object, and their share of the objects that either was given to."""
    counts = Counter(
        frozenset({match.first.class_name, match.second.class_name})
        for image in images
        for match in image.matches
    )
    confusions = []
    for names, objects in counts.items():
        if len(names) == 2:
            all_objects = sum(count for others, count in counts.items() if names & others)
            first, second = sorted(names)
            confusions.append(Confusion(first, second, objects, objects / all_objects))
    return sorted(confusions, key=lambda pair: (-pair.objects, pair.first_class, pair.second_class))


def count_confusions(pairs: Sequence[SeenTwice], least_overlap: float) -> list[Confusion]:
    """Two classes that two people gave one object, the most frequent first."""
    return _count_confusions(match_pairs(pairs, (), least_overlap=least_overlap).images)


def _list_objects(images: _Images) -> list[AnnotatedObject]:
    return [item for image in images for item in (*image.first, *image.second)]


def _say(field: str, item: AnnotatedObject) -> object:
    if field == "class":
        return item.class_name
    if field == "parts":
        return tuple(sorted(part.word for part in item.parts))
    return tuple(sorted(item.actions)) if field == "actions" else getattr(item, field)


def cohen_kappa(tables: Array) -> Array:
    """Cohen's kappa of each of many tables (last two axes: the first's word, the second's).

    NaN for an empty table and where both used one and the same word only, so that chance alone
    explains everything. J. Cohen, Educational and Psychological Measurement 20 (1960).
    """
    total = tables.sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(tables, axis1=-2, axis2=-1) / total
        expected = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1) / total**2
        kappa = (observed - expected) / (1 - expected)
    return np.asarray(np.where((total > 0) & (expected < 1 - 1e-12), kappa, np.nan))


def krippendorff_alpha(tables: Array) -> Array:
    """Krippendorff's alpha for words without order, of two people each, of each of many tables.

    Unlike kappa it does not ask who said what, so tables of many pairs of people may be added. NaN
    where kappa is. K. Krippendorff, Computing Krippendorff's alpha-reliability (2011), section B.
    """
    coincidences = tables + np.swapaxes(tables, -2, -1)
    words = coincidences.sum(axis=-1)
    count = words.sum(axis=-1)
    disagreed = count - np.trace(coincidences, axis1=-2, axis2=-1)
    by_chance = count**2 - (words**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = 1 - (count - 1) * disagreed / by_chance
    return np.asarray(np.where(by_chance > 0, alpha, np.nan))
