"""An outline proposed from a box and strokes, which is not kept.

By GrabCut (C. Rother, V. Kolmogorov and A. Blake, SIGGRAPH 2004), as OpenCV has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from catalog.box import Box
from catalog.refusals import TooManyError, UnavailableError
from catalog.sentences import say
from vockit.format.rings import Ring, trace

_SIDE_PX = 200
"""A crop is made this small: time grows with its pixels, and the outline hardly changes."""
_MARGIN = 0.1
_LEAST_MARGIN_PX = 8
_ROUNDS = 2
_STROKE_PX = 5
_SMOOTHED_PX = 5
_OFF_PX = 1.0  # from the outline that was found to the one with fewer corners
_PATIENCE_SECS = 10.0
_TURN = Lock()  # one outline at a time, so that many leave the processor to saves
_asking = set[object]()  # who waits for an outline of this process
_CHANGING = Lock()  # of `_asking`


@contextmanager
def one_at_a_time(asker: object) -> Iterator[None]:
    """Let a person ask for one outline at a time; raises TooManyError for a second one."""
    with _CHANGING:
        if asker in _asking:
            raise TooManyError(say("An outline is being computed for you already; wait for it."))
        _asking.add(asker)
    try:
        yield
    finally:
        with _CHANGING:
            _asking.discard(asker)


def propose(
    data: bytes, box: Box, add: Sequence[Ring] = (), remove: Sequence[Ring] = ()
) -> list[Ring]:
    """The rings of what is in the box of an image, given as its bytes.

    Strokes run over what belongs to the object and what does not. Raises UnavailableError where
    there is no time for it.
    """
    if not _TURN.acquire(timeout=_PATIENCE_SECS):
        late = say("The outline could not be computed in time; try again, or draw it by hand.")
        raise UnavailableError(late)
    try:
        return find_outline(data, box, add, remove)
    except ImportError as error:
        message = say("No outline can be proposed, as the server has no OpenCV; draw it by hand.")
        raise UnavailableError(message) from error
    finally:
        _TURN.release()


def find_outline(
    data: bytes, box: Box, add: Sequence[Ring] = (), remove: Sequence[Ring] = ()
) -> list[Ring]:
    """The rings; those of the box where GrabCut can tell nothing in it."""
    import cv2

    cv2.setNumThreads(1)
    with Picture.open(BytesIO(data)) as picture:
        edges = _surround(box, add, picture.size)
        crop = np.asarray(picture.convert("RGB").crop(edges))
    corner_xy = edges[:2]
    scale = min(1.0, _SIDE_PX / max(crop.shape[:2]))
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    mask = _mark_box(box, small.shape[:2], corner_xy, scale)
    _paint(mask, add, cv2.GC_FGD, corner_xy, scale)
    _paint(mask, remove, cv2.GC_BGD, corner_xy, scale)
    inside = _grow(_cut(small, mask), crop.shape[:2])
    _paint(inside, add, 1, corner_xy, 1.0)
    _paint(inside, remove, 0, corner_xy, 1.0)
    xmin, ymin, xmax, ymax = box.xyxy
    whole_box = [(xmin - 1, ymin - 1), (xmax, ymin - 1), (xmax, ymax), (xmin - 1, ymax)]
    return trace_outline(inside, corner_xy) or [whole_box]


def _mark_box(
    box: Box, shape: tuple[int, ...], corner_xy: tuple[int, int], scale: float
) -> NDArray[np.uint8]:
    """A mask for GrabCut: what is in the box may be the object, the rest is background."""
    import cv2

    left, top = corner_xy
    xmin, ymin, xmax, ymax = box.xyxy
    edges = ((xmin - 1 - left, xmax - left), (ymin - 1 - top, ymax - top))
    columns, rows = (slice(round(low * scale), round(high * scale)) for low, high in edges)
    mask = np.full(shape, cv2.GC_BGD, np.uint8)
    mask[rows, columns] = cv2.GC_PR_FGD
    return mask


def _paint(
    canvas: NDArray[np.uint8],
    strokes: Sequence[Ring],
    value: int,
    corner_xy: tuple[int, int],
    scale: float,
) -> None:
    """Draw the strokes, which are in pixels of the image, on a crop of it."""
    import cv2

    for stroke in strokes:
        placed: NDArray[np.float64] = (np.array(stroke) - corner_xy) * scale
        points = placed.round().astype(np.int32)
        width = max(1, round(_STROKE_PX * scale))
        cv2.polylines(canvas, [points], isClosed=False, color=value, thickness=width)


def _cut(picture: NDArray[Any], mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What GrabCut takes for the object is 255, the rest 0; the mask is changed."""
    import cv2

    try:
        cv2.setRNGSeed(0)  # GrabCut begins by chance; one request has one answer
        models = (np.zeros((1, 65)), np.zeros((1, 65)))
        nowhere = (0, 0, 1, 1)
        cv2.grabCut(picture, mask, nowhere, *models, _ROUNDS, cv2.GC_INIT_WITH_MASK)
    except cv2.error:  # the box is the whole image, or a few pixels
        mask[:] = cv2.GC_BGD
    return np.where(np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)), 255, 0).astype(np.uint8)


def _grow(inside: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """The object in the size of the crop, smoothed: 1 is inside, 0 outside."""
    import cv2

    height_px, width_px = shape
    whole = cv2.resize(inside, (width_px, height_px), interpolation=cv2.INTER_LINEAR)
    return np.where(cv2.medianBlur(whole, _SMOOTHED_PX) > 127, 1, 0).astype(np.uint8)


def trace_outline(inside: NDArray[np.uint8], corner_xy: tuple[int, int]) -> list[Ring]:
    """The rings around what is inside, with few corners, in pixels of the image."""
    import cv2

    left, top = corner_xy
    traced = [cv2.approxPolyDP(np.array(ring), _OFF_PX, True)[:, 0] for ring in trace(inside == 1)]
    return [[(left + x, top + y) for x, y in ring.tolist()] for ring in traced if len(ring) > 2]


def _surround(box: Box, add: Sequence[Ring], size_wh: tuple[int, int]) -> tuple[int, int, int, int]:
    """The box and what strokes add, with a margin of background, as pixel edges."""
    across = max(_LEAST_MARGIN_PX, round(_MARGIN * box.width_px))
    down = max(_LEAST_MARGIN_PX, round(_MARGIN * box.height_px))
    corners = [corner for stroke in add for corner in stroke]
    columns = [box.xmin - 1, box.xmax, *(x for x, _ in corners)]
    rows = [box.ymin - 1, box.ymax, *(y for _, y in corners)]
    left = max(min(columns) - across, 0)
    top = max(min(rows) - down, 0)
    return left, top, min(max(columns) + across, size_wh[0]), min(max(rows) + down, size_wh[1])
