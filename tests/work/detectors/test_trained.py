"""Detectors without a file: one that learned from checked images, and OpenCV's of people."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from catalog.party import Party
from vockit.format.records import VocBox, VocObject
from work.detectors.errors import NothingLearnedError
from work.detectors.people import PeopleFinder
from work.detectors.trained import CheckedPicture, train

from .drawn import SIDE_PX, draw_figure, draw_wheel


def _check(party: Party, seed: int, name: str = "bicycle") -> CheckedPicture:
    pixels, (left, top) = draw_wheel(seed)
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=95)
    box = VocBox(left + 1, top + 1, left + SIDE_PX, top + SIDE_PX)
    return CheckedPicture(party.store, party.store.put(target.getvalue()), [VocObject(name, box)])


def test_what_is_learned_from_checked_images_finds_the_object_in_others(party: Party) -> None:
    names = list[str]()
    finder = train([_check(party, seed) for seed in range(12)], ["bicycle", "cat"], names.append)
    assert finder.classes == ("bicycle",)
    assert names == ["bicycle"]
    for seed in range(100, 105):
        pixels, (left, top) = draw_wheel(seed)
        detections = finder.find(pixels, 0.5)
        edges = detections.edges[0]
        np.testing.assert_allclose(edges, [left, top, left + SIDE_PX, top + SIDE_PX], atol=10)
        assert detections.labels[0] == 0
        assert (detections.confidences >= 0.5).all()
        assert (np.diff(detections.confidences) <= 0).all()


def test_too_few_checked_objects_teach_nothing(party: Party) -> None:
    with pytest.raises(NothingLearnedError, match="No class has 10 checked objects"):
        train([_check(party, seed) for seed in range(9)], ["bicycle"])


def test_people_are_looked_for_inside_the_picture_from_a_confidence_on() -> None:
    finder = PeopleFinder()
    pixels = draw_figure()
    detections = finder.find(pixels, 0.3)
    left, top, right, bottom = detections.edges[0].tolist()
    assert left < 79 < 121 < right
    assert top < 66 < 240 < bottom
    assert (detections.edges >= 0).all()
    assert (detections.edges <= [200, 300, 200, 300]).all()
    assert detections.confidences[0] > 0.9
    assert (np.diff(detections.confidences) <= 0).all()
    assert len(finder.find(pixels, 0.9).edges) == 1
    assert len(finder.find(pixels[:100], 0.1).edges) == 0
