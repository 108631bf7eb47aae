"""Verification against another's hashes alone: 256 bits of what a part of their image shows.

The pictures stay with those who hand over hashes. We have ours, so our picture is laid under their
hash: moved, scaled and turned a little until what it shows there hashes most nearly the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.candidates import Candidates
from dedup.matching import order_ids
from dedup.pairs import Relation
from dedup.signature.maps import Map, compose, invert
from dedup.signature.view_hashes import Luma
from dedup.signature.views import MAX_TRIMMED, VIEWS, Kind, locate_views
from dedup.signature_rows import Ids
from dedup.verify.pictures import Pictures

from .details import MIDDLE, Detail, hash_seen, map_of
from .theirs import TheirImage

THEIRS_FROM = 1 << 40
"""Added to the places of their images, so that they are no ids of ours."""

MOST_BITS = 36
MOST_BITS_OF_MIDDLE = 64
MOST_BITS_OF_MIDDLE_ALONE = 22
MOST_BITS_WHEN_DRAWN = 16
"""Of 256, once ours is laid under theirs: where it was laid, then of the middle too, where only
the middle lies within ours, and of two pages or screens. docs/measurements/dedup.md says why."""

STEPS = (0.03, 0.015, 0.0075)
STEPS_MORE = 2
HOPELESS_BITS = 104
CERTAIN_BITS = 12
ROOM = 0.03


@dataclass(frozen=True)
class Match:
    """One of their images, by its place, and one of ours that belong together."""

    place: int
    image_id: int
    relation: Relation
    similarity: float | None = None
    distance_bits: int | None = None


@dataclass(frozen=True)
class OurPart:
    """Candidates, and the pictures of those of our images that they name, ids ascending."""

    candidates: Candidates
    image_ids: Ids
    pictures: Pictures


def verify_unseen(theirs: Sequence[TheirImage], part: OurPart) -> list[Match]:
    """The matches by laying our picture under the hashes of theirs."""
    candidates, best = part.candidates, dict[tuple[int, int], Match]()
    ours, their_ids = order_ids(candidates)
    is_probe_ours = candidates.probe == ours
    our_codes = np.where(is_probe_ours, candidates.probe_code, candidates.view_code)
    their_codes = np.where(is_probe_ours, candidates.view_code, candidates.probe_code)
    columns = their_ids - THEIRS_FROM, ours, their_codes, our_codes
    for place, image_id, *codes in zip(*(it.tolist() for it in columns), strict=True):
        if (place, image_id) not in best:
            row = int(np.searchsorted(part.image_ids, image_id))
            found = _try_guess(theirs[place], part.pictures, row, *codes)
            if found is not None:
                best[place, image_id] = Match(place, image_id, *found)
    return [best[key] for key in sorted(best)]


def lay_under(luma: Luma, detail: Detail, theirs_to_ours: Map) -> tuple[int, Map]:
    """The fewest bits by which our picture differs from their detail, and where theirs lies then.

    Maps lead from their image to ours. A guess is followed as long as it gets better, and neither
    where it is hopeless nor where it is certain.
    """
    place = map_of(detail.box)
    best = compose(theirs_to_ours, place)
    distance = int(_distances(luma, best[None], detail)[0])
    for step in STEPS:
        for _ in range(STEPS_MORE):
            moved = compose(best, _moves(step))
            distances = _distances(luma, moved, detail)
            nearest = int(np.argmin(distances))
            if distances[nearest] >= distance:
                break
            best, distance = moved[nearest], int(distances[nearest])
        if not CERTAIN_BITS < distance <= HOPELESS_BITS:
            break
    return distance, compose(best, invert(place))


def _try_guess(
    image: TheirImage, pictures: Pictures, row: int, their_code: int, our_code: int
) -> tuple[Relation, None, int] | None:
    """The relation and the bits that differ, where their view shows what ours does."""
    theirs_to_ours = _map_to_ours(image, pictures, row, their_code, our_code)
    luma, is_drawn = pictures.luma[row], image.layout.is_drawn and bool(pictures.is_drawn[row])
    for detail in _choose_details(image, their_code, theirs_to_ours):
        distance, laid = lay_under(luma, detail, theirs_to_ours)
        if distance <= _allow_bits(detail, is_drawn) and _fits_in_the_middle(image, luma, laid):
            is_cell = Kind.CELL in (VIEWS[their_code].kind, VIEWS[our_code].kind)
            return Relation.COLLAGE if is_cell else Relation.DUPLICATE, None, distance
    return None


def _map_to_ours(
    image: TheirImage, pictures: Pictures, row: int, their_code: int, our_code: int
) -> Map:
    """From their image's coordinates to ours, if the guess is right."""
    boxes, aspects = image.layout.boxes[None], np.array([image.layout.aspect])
    in_theirs = locate_views(np.array([their_code]), aspects, boxes)
    our_place = pictures.aspects[[row]], pictures.boxes[[row]]
    maps: Map = compose(locate_views(np.array([our_code]), *our_place), invert(in_theirs))[0]
    return maps


def _choose_details(image: TheirImage, code: int, theirs_to_ours: Map) -> list[Detail]:
    """What of theirs lies within ours, the middle last; a cell only where it was guessed.

    A border of theirs lies outside of ours, whatever the guess was.
    """
    number = VIEWS[code].box_number
    cells = {tuple(box) for box in image.layout.boxes[MAX_TRIMMED:].tolist()}
    if number is not None and number >= MAX_TRIMMED:
        guessed = tuple(image.layout.boxes[number].tolist())
        return [detail for detail in image.details if detail.box == guessed]
    inside = [
        detail
        for detail in image.details
        if detail.box not in cells and _is_inside(compose(theirs_to_ours, map_of(detail.box)))
    ]
    return sorted(inside, key=lambda detail: detail.box == MIDDLE)


def _is_inside(maps: Map) -> bool:
    corners = maps @ np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]])
    return bool((corners > -ROOM).all() and (corners < 1 + ROOM).all())


def _allow_bits(detail: Detail, is_drawn: bool) -> int:
    if is_drawn:
        return MOST_BITS_WHEN_DRAWN
    return MOST_BITS_OF_MIDDLE_ALONE if detail.box == MIDDLE else MOST_BITS


def _fits_in_the_middle(image: TheirImage, luma: Luma, theirs_to_ours: Map) -> bool:
    """Whether their image's middle agrees too: soft pictures can be bent until they look alike."""
    maps = compose(theirs_to_ours, map_of(MIDDLE))[None]
    middles = [detail for detail in image.details if detail.box == MIDDLE]
    return all(int(_distances(luma, maps, it)[0]) <= MOST_BITS_OF_MIDDLE for it in middles)


def _distances(luma: Luma, maps: Map, detail: Detail) -> NDArray[np.int64]:
    flips = np.bitwise_count(hash_seen(luma, maps) ^ detail.bits)
    distances: NDArray[np.int64] = flips.sum(axis=1, dtype=np.int64)
    return distances


def _moves(step: float) -> Map:
    """Small moves, turns and changes of size, and some of two of them at once."""
    wide, high, turn, across, down = (_DIRECTIONS * step).T
    linear = np.stack(
        [np.stack([1 + wide, -turn], axis=-1), np.stack([turn, 1 + high], axis=-1)], axis=-2
    )
    middle = np.full((2, 1), 0.5)
    shift = middle - linear @ middle + np.stack([across, down], axis=-1)[..., None]
    return np.concatenate([linear, shift], axis=-1)


_DIRECTIONS = np.array(
    [
        *np.eye(5),
        *-np.eye(5),
        *((sign, sign, 0, 0, 0) for sign in (1, -1)),
        *((0, 0, 0, x, y) for x in (1, -1) for y in (1, -1)),
    ]
)
"""Wider, higher, turned, shifted across and down."""
