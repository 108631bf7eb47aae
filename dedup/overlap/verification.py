"""Which candidates hold: by both pictures, or by ours and the hashes of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dedup.candidates import Candidates
from dedup.columns import stack_rows
from dedup.matching import Batch, order_ids, verify_batch
from dedup.signature.maps import Map, compose, invert
from dedup.signature.places import kind_table, locate_views
from dedup.signature.view_hashes import Luma
from dedup.signature.views import MAX_TRIMMED, VIEWS, Kind
from dedup.signature_rows import COPY_SHARE, Ids, make_pictures
from dedup.verify.evidence import Pictures
from dedup.verify.verdicts import Relation

from .details import MIDDLE, Detail, count_bits, lay_under, map_of
from .theirs import TheirImage

THEIRS_FROM = 1 << 40
"""Added to the places of their images, so that they are no ids of ours."""

MOST_BITS = 36
MOST_BITS_BESIDE = 64
MOST_BITS_OF_MIDDLE_ALONE = 22
MOST_BITS_WHEN_DRAWN = 16
"""Of 256, once ours is laid under theirs: where it was laid, of the middle beside it, where only
the middle lies within ours, and of two pages or screens. docs/measurements/dedup.md says why."""

LEAST_QUALITY_UNSEEN = 5.0
"""Of images that we know by hashes alone: plainer ones share hashes by chance."""

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


Verify = Callable[[OurPart], list[Match]]


def choose_verification(theirs: Sequence[TheirImage]) -> Verify:
    """By both pictures where we have theirs."""
    return partial(verify_seen if have_pictures(theirs) else verify_unseen, theirs)


def least_quality(theirs: Sequence[TheirImage], min_quality: float) -> float:
    """What an image needs to be compared with any: more where theirs are known by hashes alone."""
    return min_quality if have_pictures(theirs) else max(min_quality, LEAST_QUALITY_UNSEEN)


def least_quality_of_copy(theirs: Sequence[TheirImage], min_quality: float) -> float:
    """What it needs to be compared with those: a copy may be plainer than its original."""
    least = least_quality(theirs, min_quality)
    return COPY_SHARE * least if have_pictures(theirs) else least


def have_pictures(theirs: Sequence[TheirImage]) -> bool:
    """Whether we were given pictures, not only hashes."""
    return all(image.luma is not None for image in theirs)


def verify_seen(theirs: Sequence[TheirImage], part: OurPart) -> list[Match]:
    """The matches by the evidence that dedup itself goes by."""
    both = np.concatenate([part.candidates.probe, part.candidates.view])
    places = np.unique(both[both >= THEIRS_FROM])
    images = [theirs[place - THEIRS_FROM] for place in places.tolist()]
    lumas = [image.luma for image in images if image.luma is not None]
    pictures = make_pictures(lumas, [image.layout for image in images])
    batch = Batch(
        np.concatenate([part.image_ids, places]),
        stack_rows([part.pictures, pictures]),
        part.candidates,
    )
    return [
        Match(
            pair.second_id - THEIRS_FROM,
            pair.first_id,
            pair.relation,
            similarity=None if pair.evidence is None else pair.evidence.similarity,
        )
        for pair in verify_batch(batch)
    ]


def verify_unseen(theirs: Sequence[TheirImage], part: OurPart) -> list[Match]:
    """The matches by laying our picture under the hashes of theirs."""
    best: dict[tuple[int, int], Match] = {}
    for guess in _read_guesses(part.candidates):
        key = guess.place, guess.image_id
        known = best.get(key)
        if known is None or known.distance_bits is None:
            match = _try_guess(theirs[guess.place], part, guess)
            if match is not None:
                best[key] = match
    return [best[key] for key in sorted(best)]


@dataclass(frozen=True)
class _Guess:
    place: int
    image_id: int
    their_code: int
    our_code: int


def _read_guesses(candidates: Candidates) -> Iterator[_Guess]:
    ours, theirs = order_ids(candidates)
    is_probe_ours = candidates.probe == ours
    our_codes = np.where(is_probe_ours, candidates.probe_code, candidates.view_code)
    their_codes = np.where(is_probe_ours, candidates.view_code, candidates.probe_code)
    columns = theirs - THEIRS_FROM, ours, their_codes, our_codes
    return (_Guess(*row) for row in zip(*(it.tolist() for it in columns), strict=True))


def _try_guess(image: TheirImage, part: OurPart, guess: _Guess) -> Match | None:
    row = int(np.searchsorted(part.image_ids, guess.image_id))
    if row == len(part.image_ids) or part.image_ids[row] != guess.image_id:
        return None  # it went while this ran
    pictures = part.pictures
    maps = _map_to_ours(image, pictures, row, guess)
    is_drawn = image.layout.is_drawn and bool(pictures.is_drawn[row])
    for detail in _choose_details(image, guess.their_code, maps):
        distance, laid = lay_under(pictures.luma[row], detail, maps)
        if distance <= _allow_bits(detail, is_drawn) and _fits_in_the_middle(
            image, pictures.luma[row], laid
        ):
            is_cell = bool(_IS_CELL[[guess.their_code, guess.our_code]].any())
            relation = Relation.COLLAGE if is_cell else Relation.DUPLICATE
            return Match(guess.place, guess.image_id, relation, distance_bits=distance)
    return None


def _fits_in_the_middle(image: TheirImage, luma: Luma, theirs_to_ours: Map) -> bool:
    """Whether their image's middle agrees too: soft pictures can be bent until they look alike."""
    middles = [detail for detail in image.details if detail.box == MIDDLE]
    distances = (count_bits(luma, detail, theirs_to_ours) for detail in middles)
    return all(distance <= MOST_BITS_BESIDE for distance in distances)


def _allow_bits(detail: Detail, is_drawn: bool) -> int:
    if is_drawn:
        return MOST_BITS_WHEN_DRAWN
    return MOST_BITS_OF_MIDDLE_ALONE if detail.box == MIDDLE else MOST_BITS


def _map_to_ours(image: TheirImage, pictures: Pictures, row: int, guess: _Guess) -> Map:
    """From their image's coordinates to ours, if the guess is right."""
    their_code, our_code = np.array([guess.their_code]), np.array([guess.our_code])
    boxes, aspects = image.layout.boxes[None], np.array([image.layout.aspect])
    in_theirs = locate_views(their_code, aspects, boxes)
    in_ours = locate_views(our_code, pictures.aspects[[row]], pictures.boxes[[row]])
    maps: Map = compose(in_ours, invert(in_theirs))[0]
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


_IS_CELL = kind_table(Kind.CELL)
