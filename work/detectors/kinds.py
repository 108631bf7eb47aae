"""The kinds of models: what each takes, which outputs it gives, and the boxes that these mean.

Shapes as the usual exports write them: YOLOv5 and YOLOv8 of Ultralytics, end-to-end models with
the selection inside (YOLOv10), YOLOX without its decoding, DETR and RT-DETR, torchvision's
detectors, and CenterFace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .errors import ModelError
from .preparation import Edges, Fill, Floats, Output, Preparation

Shape = tuple[int, ...]
_IMAGENET_MEAN = (0.485, 0.456, 0.406)
_IMAGENET_SPREAD = (0.229, 0.224, 0.225)
_STRIDES = (8, 16, 32)
_SAME_OVERLAP = 0.45
"""Of two boxes of one class that overlap by more, the less confident one goes."""
_FACE_OVERLAP = 0.3
_FACE_STRIDE = 4


@dataclass(frozen=True)
class Detections:
    """n boxes with their confidences, and the number of each one's class, from 0."""

    edges: Edges
    confidences: Floats
    labels: NDArray[np.int64]

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Detections:
        """Some of them."""
        return Detections(self.edges[chosen], self.confidences[chosen], self.labels[chosen])


@dataclass(frozen=True)
class Layout:
    """What tells whether outputs are of a kind: shapes, how many classes, the input's size."""

    shapes: Sequence[Shape]
    classes: int
    size_wh: tuple[int, int]


@dataclass(frozen=True)
class Kind:
    """A kind of model.

    `decode` gives detections in pixels of the input. `same_overlap` is None where the model leaves
    out what overlaps by itself. `takes_any_size` is true where the model also works with
    other sizes than its file names.
    """

    name: str
    outputs: str
    preparation: Preparation
    fits: Callable[[Layout], bool]
    decode: Callable[[Sequence[Output], Layout], Detections]
    same_overlap: float | None = None
    takes_any_size: bool = False

    def read(self, outputs: Sequence[Output], layout: Layout, min_confidence: float) -> Detections:
        """The detections of one picture that are confident enough, most confident first.

        Raises ModelError for a class that has no name.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            detections = self.decode(outputs, layout)
        is_sound = np.isfinite(detections.edges).all(axis=1) & (
            detections.confidences >= min_confidence
        )
        detections = detections.select(is_sound)
        _refuse_unknown(detections.labels, layout.classes)
        if self.same_overlap is None:
            return detections.select(np.argsort(-detections.confidences, kind="stable"))
        return detections.select(suppress(detections, self.same_overlap))


def _refuse_unknown(labels: NDArray[np.int64], classes: int) -> None:
    unknown = labels[(labels < 0) | (labels >= classes)]
    if len(unknown):
        raise ModelError(
            f"The model found class {unknown[0] + 1}, and the file of classes names {classes}; "
            "give one with a line for each class of the model."
        )


def suppress(detections: Detections, overlap: float) -> NDArray[np.int64]:
    """The places of those that stay, most confident first.

    Of two of one class that overlap by more than that share, the less confident one goes.
    """
    if not len(detections.edges):
        return np.empty(0, np.int64)
    corners = detections.edges[:, :2]
    boxes = np.hstack([corners, detections.edges[:, 2:] - corners])
    kept = cv2.dnn.NMSBoxesBatched(
        boxes.tolist(), detections.confidences.tolist(), detections.labels.tolist(), 0.0, overlap
    )
    places = np.asarray(kept, np.int64).ravel()
    return places[np.argsort(-detections.confidences[places], kind="stable")]


def _from_centres(rows: Floats) -> Edges:
    """Edges of boxes that are given by centre, width and height."""
    half = rows[:, 2:4] / 2
    return np.hstack([rows[:, :2] - half, rows[:, :2] + half])


def _choose_best(edges: Edges, scores: Floats) -> Detections:
    """Each box with its most likely class."""
    labels = scores.argmax(axis=1)
    return Detections(edges, scores[np.arange(len(scores)), labels], labels)


def _is_table(layout: Layout, columns: int) -> bool:
    """Whether the only output is one table of so many columns."""
    return (
        len(layout.shapes) == 1
        and len(layout.shapes[0]) == 3
        and layout.shapes[0][0] == 1
        and layout.shapes[0][2] == columns
    )


def _fits_yolov5(layout: Layout) -> bool:
    return _is_table(layout, 5 + layout.classes)


def _decode_yolov5(outputs: Sequence[Output], layout: Layout) -> Detections:
    rows = np.asarray(outputs[0][0], np.float64)
    return _choose_best(_from_centres(rows), rows[:, 4:5] * rows[:, 5:])


def _fits_yolov8(layout: Layout) -> bool:
    return (
        len(layout.shapes) == 1
        and len(layout.shapes[0]) == 3
        and layout.shapes[0][:2] == (1, 4 + layout.classes)
    )


def _decode_yolov8(outputs: Sequence[Output], layout: Layout) -> Detections:
    rows = np.asarray(outputs[0][0], np.float64).T
    return _choose_best(_from_centres(rows), rows[:, 4:])


def _fits_end_to_end(layout: Layout) -> bool:
    return _is_table(layout, 6)


def _decode_end_to_end(outputs: Sequence[Output], layout: Layout) -> Detections:
    rows = np.asarray(outputs[0][0], np.float64)
    labels = np.nan_to_num(rows[:, 5], nan=-1, posinf=-1, neginf=-1).astype(np.int64)
    return Detections(rows[:, :4], rows[:, 4], labels)


def _make_grid(size_wh: tuple[int, int]) -> tuple[Floats, Floats]:
    """The corner and the stride of each cell of YOLOX's three grids, in its order."""
    corners = list[Floats]()
    strides = list[Floats]()
    for stride in _STRIDES:
        columns = np.arange(size_wh[0] // stride)
        rows = np.arange(size_wh[1] // stride)
        places = np.stack(np.meshgrid(columns, rows), axis=2).reshape(-1, 2)
        corners.append(places.astype(np.float64))
        strides.append(np.full((len(places), 1), stride, np.float64))
    return np.vstack(corners), np.vstack(strides)


def _fits_yolox(layout: Layout) -> bool:
    cells = sum((layout.size_wh[0] // some) * (layout.size_wh[1] // some) for some in _STRIDES)
    return _is_table(layout, 5 + layout.classes) and layout.shapes[0][1] == cells


def _decode_yolox(outputs: Sequence[Output], layout: Layout) -> Detections:
    rows = np.array(outputs[0][0], np.float64)
    corners, strides = _make_grid(layout.size_wh)
    rows[:, :2] = (rows[:, :2] + corners) * strides
    rows[:, 2:4] = np.exp(rows[:, 2:4]) * strides
    return _choose_best(_from_centres(rows), rows[:, 4:5] * rows[:, 5:])


def _fits_detr(layout: Layout) -> bool:
    return _find_logits(layout, (layout.classes, layout.classes + 1)) is not None


def _fits_rt_detr(layout: Layout) -> bool:
    return _find_logits(layout, (layout.classes,)) is not None


def _find_logits(layout: Layout, widths: Sequence[int]) -> int | None:
    """Which of two outputs, 0 or 1, holds the classes; the other one holds as many boxes."""
    if len(layout.shapes) != 2 or any(len(shape) != 3 for shape in layout.shapes):
        return None
    for place in (0, 1):
        logits = layout.shapes[place]
        boxes = layout.shapes[1 - place]
        if logits[:2] == boxes[:2] and logits[0] == 1 and boxes[2] == 4 and logits[2] in widths:
            return place
    return None


def _decode_detr(outputs: Sequence[Output], layout: Layout) -> Detections:
    place = _find_logits(layout, (layout.classes, layout.classes + 1)) or 0
    logits = np.asarray(outputs[place][0], np.float64)
    if logits.shape[1] == layout.classes:  # each class for itself, as in RT-DETR
        scores = 1 / (1 + np.exp(-logits))
    else:  # the last one means that nothing is there
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        scores = (likely / likely.sum(axis=1, keepdims=True))[:, :-1]
    sides = np.array(layout.size_wh * 2, np.float64)
    return _choose_best(
        _from_centres(np.asarray(outputs[1 - place][0], np.float64)) * sides, scores
    )


def _fits_torchvision(layout: Layout) -> bool:
    place = _find_boxes(layout)
    return place is not None and layout.shapes[place][1] == 4


def _find_boxes(layout: Layout) -> int | None:
    """Which of the first three outputs holds the boxes, with labels and scores in the others."""
    ranks = [len(shape) for shape in layout.shapes[:3]]
    if sorted(ranks) != [1, 1, 2] or len({shape[0] for shape in layout.shapes[:3]}) != 1:
        return None
    return ranks.index(2)


def _decode_torchvision(outputs: Sequence[Output], layout: Layout) -> Detections:
    """Label 0 is the background, so the first class is 1.

    Faster R-CNN gives labels before scores, RetinaNet, SSD and FCOS scores before labels: labels
    are the whole numbers.
    """
    place = _find_boxes(layout) or 0
    first, second = (output for at, output in enumerate(outputs[:3]) if at != place)
    is_first_label = np.issubdtype(np.asarray(first).dtype, np.integer)
    labels, scores = (first, second) if is_first_label else (second, first)
    numbers = np.asarray(labels, np.int64) - 1
    return Detections(
        np.asarray(outputs[place], np.float64), np.asarray(scores, np.float64), numbers
    )


def _fits_centerface(layout: Layout) -> bool:
    if layout.classes != 1 or [len(shape) for shape in layout.shapes] != [4, 4, 4, 4]:
        return False
    area = (1, layout.size_wh[1] // _FACE_STRIDE, layout.size_wh[0] // _FACE_STRIDE)
    seen = [(shape[0], *shape[2:]) for shape in layout.shapes]
    return seen == [area] * 4 and [shape[1] for shape in layout.shapes] == [1, 2, 2, 10]


def _decode_centerface(outputs: Sequence[Output], layout: Layout) -> Detections:
    """A face at each place of the heatmap, whose height and width are logarithms."""
    heat, scale, offset = (np.asarray(output[0], np.float64) for output in outputs[:3])
    rows, columns = np.nonzero(heat[0] > 0)
    place = (rows, columns)
    centre_y = rows + offset[0][place] + 0.5
    centre_x = columns + offset[1][place] + 0.5
    height = np.exp(scale[0][place])
    width = np.exp(scale[1][place])
    centres = np.column_stack([centre_x, centre_y, width, height]) * _FACE_STRIDE
    labels = np.zeros(len(rows), np.int64)
    return Detections(_from_centres(centres), heat[0][place], labels)


_YOLO = Preparation(Fill.CENTRED)
_KINDS = (
    Kind("yolov5", "[1, N, 5 + classes]", _YOLO, _fits_yolov5, _decode_yolov5, _SAME_OVERLAP),
    Kind("yolov8", "[1, 4 + classes, N]", _YOLO, _fits_yolov8, _decode_yolov8, _SAME_OVERLAP),
    Kind("end-to-end", "[1, N, 6]", _YOLO, _fits_end_to_end, _decode_end_to_end),
    Kind(
        "yolox",
        "[1, cells, 5 + classes]",
        Preparation(Fill.CORNER, divisor=1, is_blue_first=True),
        _fits_yolox,
        _decode_yolox,
        _SAME_OVERLAP,
    ),
    Kind(
        "detr",
        "[1, N, classes or classes + 1] and [1, N, 4]",
        Preparation(Fill.STRETCHED, mean=_IMAGENET_MEAN, spread=_IMAGENET_SPREAD),
        _fits_detr,
        _decode_detr,
    ),
    Kind(
        "rt-detr",
        "[1, N, classes] and [1, N, 4]",
        Preparation(Fill.STRETCHED),
        _fits_rt_detr,
        _decode_detr,
    ),
    Kind(
        "torchvision",
        "[N, 4], [N] and [N] in any order",
        Preparation(Fill.CORNER),
        _fits_torchvision,
        _decode_torchvision,
    ),
    Kind(
        "centerface",
        "[1, 1, h, w], [1, 2, h, w], [1, 2, h, w] and [1, 10, h, w]",
        Preparation(Fill.CORNER, divisor=1),
        _fits_centerface,
        _decode_centerface,
        _FACE_OVERLAP,
        takes_any_size=True,
    ),
)
KINDS = {kind.name: kind for kind in _KINDS}
