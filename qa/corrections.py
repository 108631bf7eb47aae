"""What checkers corrected: how often annotators slip, by class, field, person and time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from catalog.annotated import AnnotatedObject
from catalog.box import overlap
from vockit.report.intervals import Interval, estimate_share_by_image

from .matching import match_objects

MOVED_OVERLAP = 0.9  # with the checker's box; what is nearer is the hand's trembling
REDRAWN_OVERLAP = 0.5  # of a box deleted and one drawn: one object, by VOC's own criterion
LEAST_PEOPLE = 8  # an interval over fewer would rest on too few differences between them


class Slip(StrEnum):
    """What was wrong, by field; missed and extra are about the object itself."""

    MISSED = "missed"
    EXTRA = "extra"
    CLASS = "class"
    BOX = "box"
    VIEW = "view"
    TRUNCATED = "truncated"
    OCCLUDED = "occluded"
    ACTIONS = "actions"
    PARTS = "parts"


@dataclass(frozen=True)
class CheckedWork:
    """What an author first submitted of an image, and what checking settled on."""

    author_id: int
    saved_at: datetime
    drawn: tuple[AnnotatedObject, ...]
    corrected: tuple[AnnotatedObject, ...]


_OBJECTS = "objects"
_DRAWN = "drawn"


def find_slips(work: CheckedWork) -> list[tuple[Slip, str]]:
    """Every difference between what was drawn and what the checker made of it.

    Each with the class that the object should have, or had where it is extra. Objects are told by
    their keys; one that was deleted and drawn again, which overlaps the old one as two people's
    boxes of one object do, is the same object.
    """
    drawn = {item.key: item for item in work.drawn}
    kept = {item.key for item in work.corrected}
    gone = [item for item in work.drawn if item.key not in kept]
    added = [item for item in work.corrected if item.key not in drawn]
    redrawn = match_objects(gone, added, least_overlap=REDRAWN_OVERLAP)
    before = drawn | {match.second.key: match.first for match in redrawn.matches}
    slips = [(Slip.EXTRA, item.class_name) for item in redrawn.only_first]
    for after in work.corrected:
        if after.key in before:
            slips += _compare(before[after.key], after)
        else:
            slips.append((Slip.MISSED, after.class_name))
    return slips


def _compare(before: AnnotatedObject, after: AnnotatedObject) -> list[tuple[Slip, str]]:
    is_wrong = {
        Slip.CLASS: before.class_name != after.class_name,
        Slip.BOX: overlap(before.box, after.box) < MOVED_OVERLAP,
        Slip.VIEW: before.view != after.view,
        Slip.TRUNCATED: before.truncated is not after.truncated,
        Slip.OCCLUDED: before.occluded is not after.occluded,
        Slip.ACTIONS: set(before.actions) != set(after.actions),
        Slip.PARTS: before.parts != after.parts,
    }
    return [(slip, after.class_name) for slip, wrong in is_wrong.items() if wrong]


@dataclass(frozen=True)
class ErrorRates:
    """Slips as shares of the objects that should be there, EXTRA as a share of those drawn."""

    label: str
    images: int
    objects: int
    counts: dict[Slip, int]
    rates: dict[Slip, Interval]


_Tally = Counter[str]  # one image's objects as they should be, as they were drawn, and its slips


def measure_errors(work: Sequence[CheckedWork]) -> ErrorRates:
    """The error rates of all checked work."""
    return _measure("all", [_tally(checked) for checked in work])


def measure_errors_of_people(work: Sequence[CheckedWork]) -> ErrorRates | None:
    """The error rates with intervals that hold for other people like these; None of too few."""
    by_person: dict[int, _Tally] = defaultdict(Counter)
    for checked in work:
        by_person[checked.author_id] += _tally(checked)
    if len(by_person) < LEAST_PEOPLE:
        return None
    return _measure("people like these", list(by_person.values()))


def measure_errors_by(
    work: Sequence[CheckedWork], label: Callable[[CheckedWork], str]
) -> list[ErrorRates]:
    """The error rates of the work of each label (a person, a day), in order of labels."""
    groups: dict[str, list[_Tally]] = defaultdict(list)
    for checked in work:
        groups[label(checked)].append(_tally(checked))
    return [_measure(name, groups[name]) for name in sorted(groups)]


def measure_errors_by_class(work: Sequence[CheckedWork]) -> list[ErrorRates]:
    """The error rates of objects of each class, as it should have been, in order of names."""
    groups: dict[str, list[_Tally]] = defaultdict(list)
    for checked in work:
        tallies: dict[str, _Tally] = defaultdict(Counter)
        for word, objects in ((_OBJECTS, checked.corrected), (_DRAWN, checked.drawn)):
            for item in objects:
                tallies[item.class_name][word] += 1
        for slip, class_name in find_slips(checked):
            tallies[class_name][slip] += 1
        for name, tally in tallies.items():
            groups[name].append(tally)
    return [_measure(name, groups[name]) for name in sorted(groups)]


def _tally(work: CheckedWork) -> _Tally:
    sizes = {_OBJECTS: len(work.corrected), _DRAWN: len(work.drawn)}
    return Counter(slip for slip, _ in find_slips(work)) + Counter(sizes)


def _measure(label: str, tallies: Sequence[_Tally]) -> ErrorRates:
    counts = {word: [tally[word] for tally in tallies] for word in (_OBJECTS, _DRAWN, *Slip)}
    return ErrorRates(
        label,
        len(tallies),
        sum(counts[_OBJECTS]),
        {slip: sum(counts[slip]) for slip in Slip},
        {
            slip: estimate_share_by_image(
                counts[slip], counts[_DRAWN if slip is Slip.EXTRA else _OBJECTS]
            )
            for slip in Slip
        },
    )
