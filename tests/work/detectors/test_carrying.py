"""Boxes go from an annotated image to a waiting one of the same event."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.party import Party
from catalog.states import ImageState, SuggestionKind
from catalog.tables import Image
from dedup.signature.features import Features, find_features
from tests.party_rows import CAT, fill, link
from tests.suggesting import NOON, suggest
from work.detectors.carrying import MODEL, carry_box, list_links

WIDTH = 400
HEIGHT = 300
OBJECT_WH = (90, 70)
Grey = NDArray[np.uint8]


def _make_texture(seed: int, size_wh: tuple[int, int]) -> Grey:
    """Blobs of two sizes, which give many features."""
    rng = np.random.default_rng(seed)
    width, height = size_wh
    coarse = rng.integers(0, 255, (height // 12 + 2, width // 12 + 2)).astype(np.float32)
    fine = rng.integers(0, 255, (height // 4 + 2, width // 4 + 2)).astype(np.float32)
    layers = [cv2.resize(layer, size_wh, interpolation=cv2.INTER_CUBIC) for layer in (coarse, fine)]
    return np.clip((layers[0] + layers[1]) / 2, 0, 255).astype(np.uint8)


def _photograph(object_xy: tuple[int, int] | None, camera_xy: tuple[int, int]) -> Features:
    """A scene with an object in it, as a camera sees it that was moved so far."""
    scene = _make_texture(1, (WIDTH + 100, HEIGHT + 100))
    if object_xy is not None:
        left, top = object_xy
        texture = _make_texture(2, OBJECT_WH)
        scene[top : top + OBJECT_WH[1], left : left + OBJECT_WH[0]] = texture
    x, y = camera_xy
    return find_features(scene[y : y + HEIGHT, x : x + WIDTH])


def _place(object_xy: tuple[int, int], camera_xy: tuple[int, int]) -> NDArray[np.float64]:
    left, top = np.array(object_xy) - camera_xy
    edges = [left, top, left + OBJECT_WH[0], top + OBJECT_WH[1]]
    return np.array(edges) / [WIDTH, HEIGHT, WIDTH, HEIGHT]


@pytest.mark.parametrize(
    ("after_xy", "camera_xy"),
    [((150, 120), (0, 0)), ((150, 120), (40, 25)), ((230, 60), (30, 10))],
    ids=["nothing moved", "the camera moved", "camera and object moved"],
)
def test_a_box_follows_the_object(after_xy: tuple[int, int], camera_xy: tuple[int, int]) -> None:
    before = _photograph((150, 120), (10, 10))
    after = _photograph(after_xy, camera_xy)
    left, top, right, bottom = _place((150, 120), (10, 10)).tolist()
    carried = carry_box(before, after, (left, top, right, bottom), None)
    assert carried is not None
    box, confidence = carried
    np.testing.assert_allclose(box, _place(after_xy, camera_xy), atol=0.02)
    assert 0.1 < confidence <= 1


def test_an_object_that_is_not_there_any_more_is_not_carried() -> None:
    before = _photograph((150, 120), (10, 10))
    elsewhere = find_features(_make_texture(9, (WIDTH, HEIGHT)))
    left, top, right, bottom = _place((150, 120), (10, 10)).tolist()
    assert carry_box(before, elsewhere, (left, top, right, bottom), None) is None


def test_each_waiting_image_takes_the_boxes_of_the_annotated_one_most_like_it(
    party: Party,
) -> None:
    waiting_id, like_id, most_like_id, undone_id, copy_id, has_some_id = fill(party, [[CAT]] * 6)
    with party.catalogue.writing() as session:
        for image_id in (waiting_id, has_some_id):
            image = session.get_one(Image, image_id)
            image.state = ImageState.POOL
            image.annotation_id = None
        rows = [
            (link(waiting_id, like_id), 0.4),
            (link(most_like_id, waiting_id), 0.6),
            (link(waiting_id, undone_id), 0.9),
            (link(waiting_id, copy_id, "duplicate"), 0.9),
            (link(has_some_id, like_id), 0.5),
        ]
        for row, similarity in rows:
            row.similarity = similarity
            session.add(row)
        rows[2][0].undone_at = NOON
    suggest(party, has_some_id, model=MODEL, kind=SuggestionKind.PARTY)
    with party.catalogue.reading() as session:
        [chosen] = list_links(session)
        assert (chosen.waiting_id, chosen.annotated_id) == (waiting_id, most_like_id)
        assert chosen.annotation_id == session.get_one(Image, most_like_id).annotation_id
