"""What two pictures have in common, once one was laid over the other, and what it makes of them.

Where one image lies inside the other and nearly all of it agrees, they are one photograph. Where
they only overlap, or a part shows another thing, they are of one event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from dedup.constants import (
    COLLAGE_OUTSIDE,
    COPY_COVERED,
    DRAWN_DOUBT,
    EVENT_SIMILARITY,
    LEAST_CROP_SIDE,
    LEAST_DETAILS,
    LEAST_LIKELY,
    LIKELY_BLUR_PX,
    SAME_SIMILARITY,
    SEAM_CELL_PX,
    SEAM_TIMES,
    SHOWN_SIDE_PX,
    WHOLE_COVERED,
)
from dedup.pairs import Evidence, Relation
from dedup.signature.hashes import Map
from dedup.signature.picture import Levels
from dedup.signature.signature import Shown

from .changes import Changes, find_changes
from .registration import apply_map, register

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
_SIZE = SHOWN_SIDE_PX, SHOWN_SIDE_PX


def verify(first: Shown, second: Shown, guesses: list[Map]) -> tuple[Relation, Evidence] | None:
    """How two images belong together, by their features or else by maps that hashes suggest."""
    maps = [
        (registration.first_to_second, registration.inliers)
        for registration in register(first.features, second.features)
    ]
    weaker: tuple[Relation, Evidence] | None = None
    for matrix, inliers in [
        *maps,
        *((guess, 0) for guess in guesses if _is_likely(first, second, guess)),
    ]:
        try:
            evidence = compare(first, second, matrix, inliers)
        except np.linalg.LinAlgError:  # features of one place agree on a map that has no inverse
            continue
        relation = judge(evidence)
        if relation is not None and weaker is None:
            weaker = relation, evidence
        if relation in (Relation.DUPLICATE, Relation.COLLAGE):
            return relation, evidence
    return weaker


def compare(first: Shown, second: Shown, first_to_second: Map, inliers: int) -> Evidence:
    """The comparison within the frame of the picture that lies more within the other."""
    sides = (
        _lay(first, first_to_second),
        _lay(second, np.linalg.inv(first_to_second)),
    )
    host = int(sides[1].covered > sides[0].covered)  # in whose frame both are compared
    changes = _compare_in_frame(sides[host], sides[1 - host])
    drawn = changes.drawn if host == 0 else changes.drawn[::-1]
    outer = int(sides[1].outside >= sides[0].outside)
    return Evidence(
        similarity=round(changes.similarity, 4),
        details=changes.details,
        covered_first=round(sides[0].covered, 5),
        covered_second=round(sides[1].covered, 5),
        changed=round(changes.changed, 5),
        drawn_first=round(drawn[0], 5),
        drawn_second=round(drawn[1], 5),
        outside_first=round(sides[0].outside, 5),
        outside_second=round(sides[1].outside, 5),
        margin_first=round(sides[0].margin_outside, 5),
        margin_second=round(sides[1].margin_outside, 5),
        has_seam=(
            sides[outer].outside >= COLLAGE_OUTSIDE
            and _has_seam(sides[outer].picture.shown, sides[1 - outer].to_other)
        ),
        inliers=inliers,
        first_to_second=_list_affine(first_to_second),
        drawn_boxes=tuple(
            _lay_box(box, sides[1].to_other if host else np.eye(3)) for box in changes.drawn_boxes
        ),
    )


def _lay_box(box: tuple[float, ...], to_first: Map) -> tuple[float, ...]:
    """The box around where the map lays a box."""
    left, top, right, bottom = box
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    laid = apply_map(to_first, corners)
    return tuple(np.round([*laid.min(axis=0), *laid.max(axis=0)], 3).tolist())


@dataclass(frozen=True)
class _Laid:
    """A picture, and where the map lays it on the other.

    `frame` is what of it lies within the other. `points` are its features in the other's
    coordinates, `covered` the share of them that lies within the other. `outside` is the share of
    its area that does not, `margin_outside` what is margin of that.
    """

    picture: Shown
    to_other: Map
    frame: Mask
    points: NDArray[np.float64]
    covered: float
    outside: float
    margin_outside: float


def _lay(picture: Shown, to_other: Map) -> _Laid:
    margin = picture.margin
    points = apply_map(to_other, picture.features.points)
    frame = _warp(np.ones(_SIZE, np.uint8), to_other) > 0
    outside = float((~frame).mean())
    return _Laid(
        picture=picture,
        to_other=to_other,
        frame=frame,
        points=points,
        covered=_measure_inside(points, outside),
        outside=outside,
        margin_outside=float((~frame & margin).mean()),
    )


def _compare_in_frame(host: _Laid, guest: _Laid) -> Changes:
    """How the guest differs from the host within the host's frame."""
    is_seen = host.frame
    if guest.picture.margin.any():
        is_seen = _warp((~guest.picture.margin).astype(np.uint8), host.to_other) > 0
    levels = host.picture.shown.astype(np.float32)
    others = _warp(guest.picture.shown.astype(np.float32), host.to_other, cv2.INTER_LINEAR)
    points = np.concatenate([host.picture.features.points, guest.points])
    return find_changes(levels, others, ~host.picture.margin & is_seen, points)


def _list_affine(matrix: Map) -> tuple[float, ...]:
    """The six numbers of the affine map that is nearest to a map at the corners."""
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    affine = np.linalg.lstsq(np.c_[corners, np.ones(4)], apply_map(matrix, corners))[0]
    return tuple(np.round(affine.T.ravel(), 5).tolist())


def judge(evidence: Evidence) -> Relation | None:
    """How the images of this evidence belong together, or None where it does not say so."""
    if evidence.details < LEAST_DETAILS:
        return None  # two horizons that have nothing else in common
    outer, inner = sorted((evidence.covered_first, evidence.covered_second))
    has_drawing = max(evidence.drawn_first, evidence.drawn_second) > 0
    is_same = evidence.changed == 0 and evidence.similarity >= SAME_SIMILARITY
    if has_drawing and not evidence.inliers:
        is_same = False  # other words on one layout leave 0.99
    if is_same and inner >= COPY_COVERED:
        shows_more = max(evidence.rest_first, evidence.rest_second) >= COLLAGE_OUTSIDE
        if evidence.has_seam and shows_more and outer < WHOLE_COVERED:
            return Relation.COLLAGE
        if max(evidence.outside_first, evidence.outside_second) <= 1 - LEAST_CROP_SIDE**2:
            return Relation.DUPLICATE
    is_alike = evidence.similarity >= EVENT_SIMILARITY and evidence.inliers
    return Relation.SAME_EVENT if is_alike else None


def doubt(evidence: Evidence) -> float:
    """How near the evidence is to the nearest threshold of its verdict: 0 certain, 1 on it.

    A copy that was drawn over is never certain: another small subject may pass for writing.
    """
    inner = max(evidence.covered_first, evidence.covered_second)
    distance = min(
        (inner - COPY_COVERED) / (1 - COPY_COVERED),
        (evidence.similarity - SAME_SIMILARITY) / (1 - SAME_SIMILARITY),
    )
    near = float(min(max(1 - abs(distance), 0), 1))
    is_drawn = max(evidence.drawn_first, evidence.drawn_second) > 0
    if is_drawn and judge(evidence) is Relation.DUPLICATE:
        return DRAWN_DOUBT + (1 - DRAWN_DOUBT) * near
    return near


def _measure_inside(points: NDArray[np.float64], outside: float) -> float:
    """The share of these points of one picture that lie within the other; without any, its area."""
    inside = ((points >= 0) & (points <= 1)).all(axis=1)
    return float(inside.mean()) if len(points) else 1 - outside


def _is_likely(first: Shown, second: Shown, guess: Map) -> bool:
    """Whether the details of two small pictures correlate: most near hashes are near by chance."""
    pictures = (
        levels.astype(np.float32)
        for levels in (first.levels, _warp(second.levels, guess, cv2.INTER_LINEAR))
    )
    first_details, second_details = (
        picture - cv2.GaussianBlur(picture, (0, 0), LIKELY_BLUR_PX) for picture in pictures
    )
    size = float(np.linalg.norm(first_details)) * float(np.linalg.norm(second_details))
    return bool((first_details * second_details).sum() > LEAST_LIKELY * size)


def _warp(picture: NDArray[Any], to_picture: Map, how: int = cv2.INTER_NEAREST) -> NDArray[Any]:
    """What a picture shows through the map of a frame into it, as large as it is."""
    side_px = len(picture)
    to_unit = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, side_px]]) / side_px  # middles of pixels
    matrix = np.linalg.inv(to_unit) @ to_picture @ to_unit
    edge = cv2.BORDER_CONSTANT if how == cv2.INTER_NEAREST else cv2.BORDER_REPLICATE
    flags = how | cv2.WARP_INVERSE_MAP
    size = side_px, side_px
    return cv2.warpPerspective(picture, matrix, size, flags=flags, borderMode=edge)


def _has_seam(outer: Levels, to_outer: Map) -> bool:
    """Whether levels jump and details end along the inner's edges that lie within the outer."""
    cells = SHOWN_SIDE_PX // SEAM_CELL_PX
    middles = np.arange(-0.5, cells + 1) / cells  # of the inner's cells and of one more at each end
    grid = np.stack(np.meshgrid(middles, middles), axis=-1).reshape(-1, 2)
    x, y = np.floor(apply_map(to_outer, grid) * SHOWN_SIDE_PX).astype(np.int64).T
    is_there = (x >= 0) & (y >= 0) & (x < SHOWN_SIDE_PX) & (y < SHOWN_SIDE_PX)
    seen = np.full(len(x), np.nan)
    seen[is_there] = outer[y[is_there], x[is_there]]
    jumps = []
    losses = []
    for turn in range(4):
        outside, inside, before = np.rot90(seen.reshape(cells + 2, -1), turn)[:3, 1:-1]
        if not np.isnan(outside).any():
            jumps.append(np.abs(outside - inside).mean() / (np.abs(inside - before).mean() + 1))
            details = [np.abs(np.diff(strip)).mean() + 1 for strip in (before, inside, outside)]
            losses.append(min(details[:2]) / details[2])
    return bool(jumps) and float(np.mean(jumps) * np.mean(losses)) > SEAM_TIMES
