"""Each kind of model: how a picture is prepared for it, and the boxes that its outputs mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from work.detectors.errors import ModelError
from work.detectors.kinds import KINDS, Detections, Layout

CLASSES = 3
SIZE_WH = (96, 64)
BOX = (20.0, 10.0, 60.0, 30.0)
"""Left, top, right and bottom edge in the input."""
CENTRE = (40.0, 20.0, 40.0, 20.0)
CONFIDENCE = 0.8
LABEL = 2
Outputs = list[NDArray[Any]]


def _with_scores(row: NDArray[np.float32], first: int) -> NDArray[np.float32]:
    row[first : first + CLASSES] = 0.1
    row[first + LABEL] = CONFIDENCE
    return row


def _make_yolov5() -> Outputs:
    table = np.zeros((1, 12, 5 + CLASSES), np.float32)
    table[0, 3] = _with_scores(np.array([*CENTRE, 1, 0, 0, 0], np.float32), 5)
    return [table]


def _make_yolov8() -> Outputs:
    table = np.zeros((1, 4 + CLASSES, 12), np.float32)
    table[0, :, 3] = _with_scores(np.array([*CENTRE, 0, 0, 0], np.float32), 4)
    return [table]


def _make_end_to_end() -> Outputs:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 3] = [*BOX, CONFIDENCE, LABEL]
    return [table]


def _make_yolox() -> Outputs:
    """The cell of 8 px in column 5 and row 2, whose box has its centre half a cell below."""
    cells = sum((SIZE_WH[0] // stride) * (SIZE_WH[1] // stride) for stride in (8, 16, 32))
    table = np.zeros((1, cells, 5 + CLASSES), np.float32)
    cell = np.array([0, 0.5, np.log(40 / 8), np.log(20 / 8), 1, 0, 0, 0], np.float32)
    table[0, 2 * (SIZE_WH[0] // 8) + 5] = _with_scores(cell, 5)
    return [table]


def _make_detr() -> Outputs:
    logits = np.full((1, 10, CLASSES + 1), -20, np.float32)
    logits[0, :, CLASSES] = 20
    likely = np.log([0.1, 0.05, CONFIDENCE, 0.05])
    logits[0, 4] = likely
    return [logits, _make_shares(4)]


def _make_shares(place: int) -> NDArray[np.float32]:
    boxes = np.full((1, 10, 4), 0.5, np.float32)
    boxes[0, place] = np.array(CENTRE) / (SIZE_WH * 2)
    return boxes


def _make_rt_detr() -> Outputs:
    logits = np.full((1, 10, CLASSES), -20, np.float32)
    logits[0, 4, LABEL] = np.log(CONFIDENCE / (1 - CONFIDENCE))
    return [_make_shares(4), logits]  # some exports give the boxes first


def _make_torchvision() -> Outputs:
    return [np.array([BOX], np.float32), np.array([LABEL + 1]), np.array([CONFIDENCE], np.float32)]


MAKERS: dict[str, Callable[[], Outputs]] = {
    "yolov5": _make_yolov5,
    "yolov8": _make_yolov8,
    "end-to-end": _make_end_to_end,
    "yolox": _make_yolox,
    "detr": _make_detr,
    "rt-detr": _make_rt_detr,
    "torchvision": _make_torchvision,
}


def _lay_out(outputs: Outputs, classes: int = CLASSES) -> Layout:
    return Layout([output.shape for output in outputs], classes, SIZE_WH)


def _read(name: str, outputs: Outputs, least: float = 0.5) -> Detections:
    return KINDS[name].read(outputs, _lay_out(outputs), least)


@pytest.mark.parametrize("name", MAKERS)
def test_the_box_that_a_model_means_is_found(name: str) -> None:
    outputs = MAKERS[name]()
    assert KINDS[name].fits(_lay_out(outputs))
    detections = _read(name, outputs)
    np.testing.assert_allclose(detections.edges, [BOX], atol=1e-4)
    np.testing.assert_allclose(detections.confidences, [CONFIDENCE], atol=1e-5)
    assert detections.labels.tolist() == [LABEL]


def test_a_face_is_found_where_the_heatmap_has_one() -> None:
    heat = np.zeros((1, 1, 16, 24), np.float32)
    scale = np.zeros((1, 2, 16, 24), np.float32)
    offset = np.zeros((1, 2, 16, 24), np.float32)
    heat[0, 0, 4, 9] = CONFIDENCE
    scale[0, :, 4, 9] = np.log([20 / 4, 40 / 4])
    offset[0, :, 4, 9] = [0.5, 0.5]
    outputs = [heat, scale, offset, np.zeros((1, 10, 16, 24), np.float32)]
    layout = _lay_out(outputs, classes=1)
    assert KINDS["centerface"].fits(layout)
    detections = KINDS["centerface"].read(outputs, layout, 0.5)
    np.testing.assert_allclose(detections.edges, [BOX], atol=1e-4)
    assert detections.labels.tolist() == [0]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 2, 0)])
def test_torchvision_gives_boxes_labels_and_scores_in_any_order(order: tuple[int, ...]) -> None:
    outputs = [_make_torchvision()[place] for place in order]
    assert KINDS["torchvision"].fits(_lay_out(outputs))
    detections = _read("torchvision", outputs)
    np.testing.assert_allclose(detections.edges, [BOX], atol=1e-4)
    np.testing.assert_allclose(detections.confidences, [CONFIDENCE], atol=1e-5)
    assert detections.labels.tolist() == [LABEL]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("yolov5", ()),
        ("yolov8", ()),
        ("end-to-end", ()),
        ("yolox", ("yolov5",)),
        ("detr", ()),
        ("rt-detr", ("detr",)),
        ("torchvision", ()),
    ],
)
def test_other_kinds_fit_only_where_shapes_cannot_tell_them_apart(
    name: str, others: tuple[str, ...]
) -> None:
    layout = _lay_out(MAKERS[name]())
    assert {kind.name for kind in KINDS.values() if kind.fits(layout)} == {name, *others}


def test_one_class_makes_three_kinds_look_alike() -> None:
    layout = Layout([(1, 8 * 12 + 4 * 6 + 2 * 3, 6)], 1, SIZE_WH)
    fitting = {kind.name for kind in KINDS.values() if kind.fits(layout)}
    assert fitting == {"yolov5", "yolox", "end-to-end"}


@pytest.mark.parametrize("name", MAKERS)
def test_a_model_of_more_classes_than_are_named_is_of_no_kind(name: str) -> None:
    outputs = MAKERS[name]()
    fitting = [kind for kind in KINDS.values() if kind.fits(_lay_out(outputs, CLASSES - 2))]
    if name in {"end-to-end", "torchvision"}:  # their shapes do not tell how many there are
        with pytest.raises(ModelError, match="found class 3, and the file of classes names 1"):
            KINDS[name].read(outputs, _lay_out(outputs, 1), 0.5)
    else:
        assert not fitting


def test_of_boxes_on_one_object_the_most_confident_stays() -> None:
    table = np.zeros((1, 12, 5 + CLASSES), np.float32)
    table[0, 0] = [*CENTRE, 1, 0.6, 0, 0]
    table[0, 1] = [41, 21, 40, 20, 1, 0.9, 0, 0]
    table[0, 2] = [41, 21, 40, 20, 1, 0, 0.7, 0]
    detections = _read("yolov5", [table])
    assert detections.labels.tolist() == [0, 1]
    np.testing.assert_allclose(detections.confidences, [0.9, 0.7], atol=1e-6)


def test_boxes_that_are_no_numbers_are_left_out() -> None:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, :4] = [
        [np.nan, 1, 5, 5, 0.9, 0],
        [1, 1, np.inf, 5, 0.9, 0],
        [1, 1, 5, 5, np.nan, 0],
        [*BOX, 0.9, 1],
    ]
    detections = _read("end-to-end", [table])
    assert detections.labels.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "red"),
    [
        ("yolov5", [0.8, 0.4, 0]),
        ("yolox", [0, 102, 204]),
        ("detr", [(0.8 - 0.485) / 0.229, (0.4 - 0.456) / 0.224, -0.406 / 0.225]),
        ("rt-detr", [0.8, 0.4, 0]),
        ("centerface", [204, 102, 0]),
    ],
)
def test_colours_come_in_the_order_and_scale_of_the_kind(name: str, red: list[float]) -> None:
    pixels = np.full((64, 96, 3), [204, 102, 0], np.uint8)
    prepared, _ = KINDS[name].preparation.prepare(pixels, SIZE_WH)
    np.testing.assert_allclose(prepared[:, 30, 40], red, rtol=1e-5)
