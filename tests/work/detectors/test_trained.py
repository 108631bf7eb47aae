"""Detectors without a file: one that learned from checked images, and OpenCV's of people."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from catalog.party import Party
from vockit.format.records import VocBox, VocObject
from work.detectors.errors import NothingLearnedError
from work.detectors.people import PeopleFinder
from work.detectors.preparation import Pixels
from work.detectors.trained import CheckedPicture, train

SIDE_PX = 66


def _draw(seed: int) -> tuple[Pixels, tuple[int, int]]:
    """A picture of soft noise with a wheel of spokes, and the wheel's left and top edge."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(90, 160, (15, 20, 3), dtype=np.uint8)
    pixels = np.asarray(cv2.resize(noise, (200, 150)), np.uint8).copy()
    left, top = int(rng.integers(10, 190 - SIDE_PX)), int(rng.integers(10, 140 - SIDE_PX))
    centre = (left + SIDE_PX // 2, top + SIDE_PX // 2)
    cv2.circle(pixels, centre, SIDE_PX // 2 - 2, (20, 20, 20), 4)
    for angle in np.arange(0, np.pi, np.pi / 4):
        reach = np.array([np.cos(angle), np.sin(angle)]) * (SIDE_PX // 2 - 2)
        ends = [
            tuple((np.array(centre) + sign * reach).round().astype(int).tolist())
            for sign in (-1, 1)
        ]
        cv2.line(pixels, ends[0], ends[1], (240, 240, 240), 2)
    return pixels, (left, top)


def _check(party: Party, seed: int, name: str = "bicycle") -> CheckedPicture:
    pixels, (left, top) = _draw(seed)
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=95)
    box = VocBox(left + 1, top + 1, left + SIDE_PX, top + SIDE_PX)
    return CheckedPicture(party.store, party.store.put(target.getvalue()), [VocObject(name, box)])


def test_what_is_learned_from_checked_images_finds_the_object_in_others(party: Party) -> None:
    told = list[str]()
    finder = train([_check(party, seed) for seed in range(12)], ["bicycle", "cat"], told.append)
    assert finder.classes == ("bicycle",)
    assert told == ["bicycle"]
    for seed in range(100, 105):
        pixels, (left, top) = _draw(seed)
        found = finder.find(pixels, 0.5)
        edges = found.edges[0]
        np.testing.assert_allclose(edges, [left, top, left + SIDE_PX, top + SIDE_PX], atol=10)
        assert found.labels[0] == 0
        assert (found.confidences >= 0.5).all()
        assert (np.diff(found.confidences) <= 0).all()


def _draw_figure() -> Pixels:
    """The dark shape of a person who stands on a pale ground."""
    pixels = np.full((300, 200, 3), 200, np.uint8)
    cv2.circle(pixels, (100, 80), 14, (40, 40, 40), -1)
    cv2.ellipse(pixels, (100, 140), (24, 46), 0, 0, 360, (40, 40, 40), -1)
    for foot in (86, 114):
        cv2.line(pixels, (100, 170), (foot, 240), (40, 40, 40), 14)
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), 1.5), np.uint8)


def test_too_few_checked_objects_teach_nothing(party: Party) -> None:
    with pytest.raises(NothingLearnedError, match="No class has 10 checked objects"):
        train([_check(party, seed) for seed in range(9)], ["bicycle"])


def test_people_are_looked_for_inside_the_picture_from_a_confidence_on() -> None:
    finder = PeopleFinder()
    pixels = _draw_figure()
    found = finder.find(pixels, 0.3)
    left, top, right, bottom = found.edges[0].tolist()
    assert left < 79 < 121 < right
    assert top < 66 < 240 < bottom
    assert (found.edges >= 0).all()
    assert (found.edges <= [200, 300, 200, 300]).all()
    assert found.confidences[0] > 0.9
    assert (np.diff(found.confidences) <= 0).all()
    assert len(finder.find(pixels, 0.9).edges) == 1
    assert len(finder.find(pixels[:100], 0.1).edges) == 0
