"""What the evidence makes of two images: the same photograph, or related otherwise, or nothing.

On which photographs the thresholds were chosen, and which of the measured ones had been seen by
then, docs/decisions/0014 tells.
"""

from __future__ import annotations

from dedup.pairs import Relation

from .evidence import Evidence
from .pictures import SAME_SCENE_SIMILARITY

# The more bending would help, the better must they agree without it: (drift, similarity).
_NEEDED_BY_DRIFT = ((1.02, 0.60), (1.03, 0.70), (1.05, 0.80), (1.06, 0.87), (1.08, 0.93))
NEEDED_WHEN_STRETCHED = 0.75
LEAST_DETAILS = 12
SCARCE_DETAILS = 16
"""Of unrelated horizons and discs up to 14 details lie on one another, alike to 0.96."""
NEEDED_OF_SCARCE_DETAILS = 0.97
FEW_DETAILS = 40
NEEDED_OF_FEW_DETAILS = 0.90
"""Two pieces of one cable before blue sky agree to 0.85 in 23 details."""
SOME_TEXTURE = 14
NEEDED_OF_TEXTURE = ((30, 0.80), (SOME_TEXTURE, 0.88))
"""Of unrelated pictures at most 13 of 64 parts have the same structure in more than one direction:
crossing cables; soft ones have 2."""
LITTLE_TEXTURE = 8
LEAST_TEXTURE = 5
MOST_RESIDUAL_LEVELS = 1.5
"""Soft pictures of other things differ by 1.9 levels and more, copies by 0.8 on the average."""
SAME_FRAME_SHIFT = 0.012
NEEDED_IN_SAME_FRAME = 0.70
MOST_WHOLE_BITS_OF_FEW = 72
SAME_FRAME_SHIFT_OF_FEW = 0.006
SAME_FRAME_DRIFT_OF_FEW = 1.01
NEEDED_IN_SAME_FRAME_OF_COPY = 0.65
LEAST_SIMILARITY_UNMOVED = 0.75
"""Of pairs that are compared as they lie; blurred screens agree to 0.743."""
PART_SHIFT = 0.1
PART_COVERED = 0.8
NEEDED_OF_PART = 0.80
IMPOSSIBLE = 2.0
CERTAIN_MARGIN = 0.3

MIN_AGREEMENT = 0.5
MIN_AGREEING = 0.4
LEAST_TILES = 4
MIN_COVERED_OF_SMALLER = 0.8
MIN_COVERED_OF_LARGER = 0.33  # a fifth off from each side leaves 0.36

MIN_WEAKEST_HALF = 0.45
MIN_WEAKEST_HALF_IF_UNLIKE = 0.62
UNLIKE = 0.95
MOST_WHOLE_BITS_OF_ONE = 20
"""Of sheets that share one half most have less than 0.43, the others up to 0.60 and are alike to
0.92. Of changed photographs in one frame only captioned ones have 0.59, but they are alike to 0.99;
those that are less alike have 0.65 and more. A soft half, badly saved, may have less; but its whole
has nearly the same hash, of which sheets with another photograph in them have 44 other bits."""

TEXTURED_IN_BOTH_HALVES = 44
NEARLY_ALL = 0.75
"""Of 64 parts: where so many of nearly the whole have the same faint structure, a third of each
half has it. A caption across a half that is almost empty is most of what is to be seen there. Of
two sheets with one photograph in common it may be this one alone that was compared."""

NEEDED_WHEN_DRAWN = 0.88
MIN_AGREEING_WHEN_DRAWN = 0.96
MIN_WORST_WHEN_DRAWN = 0.4

MIN_UNLINED = 0.65
LEAST_UNLINED_TILES = 16
NEARLY_THE_SAME = 0.95
MOST_WHOLE_BITS_IF_UNLIKE = 64
"""Of 2,068 pairs of unlike pages and screens under uneven light that were merged before, none has
more left than 0.63 or is alike to more than 0.94; of 107 pairs of forms, whose boxes have corners,
96 have more other bits. Of copies of photographs one in a hundred has less than 0.7 left; these are
captioned and alike to 0.95 and more, or have that in few tiles."""

MIN_COVERED_OF_CELL = 0.85
MIN_COVERED_OF_COLLAGE = 0.02

SAME_SCENE_AGREEING = 0.6
SAME_SCENE_DETAILS = 24


def judge(evidence: Evidence) -> Relation | None:
    """How the images of this evidence belong together, or None where it does not say so."""
    if margin(evidence) >= 0:
        return Relation.COLLAGE if evidence.is_cell else Relation.DUPLICATE
    return Relation.SAME_EVENT if _is_same_scene(evidence) else None


def margin(evidence: Evidence) -> float:
    """By how much the similarity exceeds what is needed; negative: not one photograph."""
    if not _is_enough(evidence):
        return evidence.similarity - IMPOSSIBLE
    return evidence.similarity - needed_similarity(evidence)


def is_copy_unmoved(evidence: Evidence) -> bool:
    """Whether it is one photograph where neither was moved and the one has the other's tones.

    One frame and one hash then say less than else, since a rising curve makes any two soft spots
    alike: the grain must be one, and there must be as much to go by as anywhere.
    """
    is_enough = evidence.similarity >= _needed_unmoved(evidence)
    return is_enough and judge(evidence) is Relation.DUPLICATE


def doubt(evidence: Evidence) -> float:
    """How near the evidence is to its threshold: 1 on it, 0 far beyond it."""
    beyond = margin(evidence)
    if evidence.are_toned:
        beyond = min(beyond, evidence.similarity - _needed_unmoved(evidence))
    return float(min(max(1 - beyond / CERTAIN_MARGIN, 0), 1))


def needed_similarity(evidence: Evidence) -> float:
    """How similar the details must be, given how much there is to go by."""
    by_drift = (needed for drift, needed in _NEEDED_BY_DRIFT if evidence.drift <= drift)
    needed = next(by_drift, IMPOSSIBLE)
    if evidence.is_stretched:
        needed = max(needed, NEEDED_WHEN_STRETCHED)
    if evidence.are_drawn:
        needed = max(needed, NEEDED_WHEN_DRAWN)
    if evidence.shift <= SAME_FRAME_SHIFT:
        return _needed_in_same_frame(evidence, needed)
    if evidence.shift > PART_SHIFT and _covered_of_larger(evidence) < PART_COVERED:
        needed = max(needed, NEEDED_OF_PART)
    return max(needed, min(_needed_by_details(evidence, needed), _needed_by_texture(evidence)))


def _needed_unmoved(evidence: Evidence) -> float:
    is_much = evidence.details >= SCARCE_DETAILS or evidence.textured >= SOME_TEXTURE
    if not (is_much and _is_unmoved(evidence)):
        return IMPOSSIBLE
    needed = min(_needed_by_details(evidence, 0), _needed_by_texture(evidence))
    return max(needed, LEAST_SIMILARITY_UNMOVED)


def _needed_by_details(evidence: Evidence, needed: float) -> float:
    if evidence.details < LEAST_DETAILS or _is_of_edges(evidence):
        return IMPOSSIBLE
    if evidence.details < SCARCE_DETAILS:
        return NEEDED_OF_SCARCE_DETAILS
    few = max(0.0, (FEW_DETAILS - evidence.details) / (FEW_DETAILS - SCARCE_DETAILS))
    return needed + (NEEDED_OF_FEW_DETAILS - needed) * few


def _needed_by_texture(evidence: Evidence) -> float:
    """Faint structure everywhere may stand for details, and so may a copy that hardly differs."""
    if evidence.residual <= MOST_RESIDUAL_LEVELS and evidence.textured >= LITTLE_TEXTURE:
        least_needed = NEEDED_OF_TEXTURE[-1][1]
    else:
        least_needed = IMPOSSIBLE
    by_tiles = (need for least, need in NEEDED_OF_TEXTURE if evidence.textured >= least)
    return next(by_tiles, least_needed)


def _is_of_edges(evidence: Evidence) -> bool:
    """Whether the few details are of single edges, as those of a disc, and not just the same."""
    if evidence.details < SCARCE_DETAILS:
        return evidence.textured <= LEAST_TEXTURE
    is_rich = evidence.details >= FEW_DETAILS or evidence.textured >= LEAST_TEXTURE
    return not is_rich and evidence.residual > MOST_RESIDUAL_LEVELS


def _needed_in_same_frame(evidence: Evidence, needed: float) -> float:
    """Of little detail the grain must be the same, or lie where it was to half a pixel of 64."""
    if _is_unmoved(evidence):
        return max(needed, NEEDED_IN_SAME_FRAME_OF_COPY)
    if evidence.details >= SCARCE_DETAILS:
        return max(needed, NEEDED_IN_SAME_FRAME)
    return max(needed, min(_needed_by_details(evidence, needed), _needed_by_texture(evidence)))


def _is_unmoved(evidence: Evidence) -> bool:
    if evidence.whole_bits is not None:
        return evidence.whole_bits <= MOST_WHOLE_BITS_OF_FEW
    has_shift = evidence.shift > SAME_FRAME_SHIFT_OF_FEW
    return not has_shift and evidence.drift <= SAME_FRAME_DRIFT_OF_FEW


def _covered_of_larger(evidence: Evidence) -> float:
    return min(evidence.covered_first, evidence.covered_second)


def _is_enough(evidence: Evidence) -> bool:
    """Whether tiles and overlap allow it to be one photograph."""
    smaller, larger = sorted((evidence.covered_first, evidence.covered_second))[::-1]
    if evidence.is_cell:
        covers = smaller >= MIN_COVERED_OF_CELL and larger >= MIN_COVERED_OF_COLLAGE
    else:
        covers = smaller >= MIN_COVERED_OF_SMALLER and larger >= MIN_COVERED_OF_LARGER
    if not covers or _agrees_in_part(evidence) or not _agrees(evidence):
        return False
    if _agrees_in_lines_alone(evidence):
        return False
    return not evidence.are_drawn or _is_same_drawing(evidence)


def _agrees_in_part(evidence: Evidence) -> bool:
    """Whether the one half shows something else, as of two sheets with one photograph in common."""
    bits = evidence.whole_bits
    if evidence.weakest_half is None or (bits is not None and bits <= MOST_WHOLE_BITS_OF_ONE):
        return False
    is_unlike = evidence.similarity < UNLIKE
    is_nearly_all = not is_unlike and evidence.shown >= NEARLY_ALL
    if is_nearly_all and evidence.textured >= TEXTURED_IN_BOTH_HALVES:
        return False
    least = MIN_WEAKEST_HALF_IF_UNLIKE if is_unlike else MIN_WEAKEST_HALF
    return evidence.weakest_half < least


def _agrees_in_lines_alone(evidence: Evidence) -> bool:
    """Whether lines across and down agree and what lies between does not, as of two pages."""
    has_more = evidence.unlined_tiles >= LEAST_UNLINED_TILES and not evidence.is_cell
    if not has_more or evidence.similarity >= NEARLY_THE_SAME:
        return False
    return evidence.unlined < MIN_UNLINED or _is_in_frame_and_other(evidence)


def _is_in_frame_and_other(evidence: Evidence) -> bool:
    """Whether the wholes lie on one another, uncropped and unturned, and their hashes do not."""
    bits = evidence.whole_bits
    is_in_frame = evidence.shift <= SAME_FRAME_SHIFT and evidence.weakest_half is not None
    return is_in_frame and bits is not None and bits > MOST_WHOLE_BITS_IF_UNLIKE


def _agrees(evidence: Evidence) -> bool:
    """Tile by tile; where few tiles have contrast their faint structure says it.

    Beside a soft picture the empty corners of one that was turned have most of it.
    """
    if evidence.tiles < LEAST_TILES:
        return evidence.textured >= LITTLE_TEXTURE
    if evidence.details < FEW_DETAILS and evidence.textured >= SOME_TEXTURE:
        return True
    return evidence.agreement >= MIN_AGREEMENT and evidence.agreeing >= MIN_AGREEING


def _is_same_drawing(evidence: Evidence) -> bool:
    has_all = evidence.agreeing >= MIN_AGREEING_WHEN_DRAWN
    return has_all and evidence.worst >= MIN_WORST_WHEN_DRAWN


def _is_same_scene(evidence: Evidence) -> bool:
    return (
        not evidence.are_drawn
        and not evidence.is_cell
        and not _has_same_layout(evidence)
        and evidence.similarity >= SAME_SCENE_SIMILARITY
        and evidence.agreeing >= SAME_SCENE_AGREEING
        and evidence.details >= SAME_SCENE_DETAILS
    )


def _has_same_layout(evidence: Evidence) -> bool:
    """Whether lines alone agree and lie where they lay; those of a scene seen twice do not."""
    return evidence.shift <= SAME_FRAME_SHIFT and _agrees_in_lines_alone(evidence)
