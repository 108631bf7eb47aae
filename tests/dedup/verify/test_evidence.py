"""Which guesses about two pictures are followed, and what becomes of many at once."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dedup.signature.brightness import read_brightness
from dedup.signature.maps import Turn
from dedup.signature.signature import make_signature
from dedup.signature.views import VIEWS, WHOLE_CODE, Kind, codes_of
from dedup.verify import evidence
from dedup.verify.evidence import Evidence, Guesses, gather_evidence
from tests.dedup.finder import hold_signatures
from tests.dedup.photographs import jpeg, originals

HALF_TURN = Turn(is_mirrored_in_x=True, is_mirrored_in_y=True)
WINDOW_CODE = codes_of(Kind.WINDOW)[0]
TURNED_CODE = next(code for code in codes_of(Kind.TURNED) if VIEWS[code].turn == HALF_TURN)


def lay(*pictures: Image.Image, view_code: int = WHOLE_CODE) -> dict[int, Evidence]:
    """What is found where each picture but the first is held for that view of the first."""
    source = hold_signatures([make_signature(read_brightness(jpeg(it))) for it in pictures])
    _, table = source.load_pictures(np.arange(len(pictures)))
    others = np.arange(1, len(pictures))
    whole, view = (np.full(len(others), code, np.uint8) for code in (WHOLE_CODE, view_code))
    return gather_evidence(table, Guesses(others - 1, others, np.zeros_like(others), whole, view))


def crop(image: Image.Image, width: float, height: float) -> Image.Image:
    left, top = (1 - width) / 2 * image.width, (1 - height) / 2 * image.height
    return image.crop(
        (round(left), round(top), round(image.width - left), image.height - round(top))
    )


def test_pictures_of_unlike_shapes_are_only_tried_as_a_stretch() -> None:
    image = originals()["coffee"]
    turned = image.resize((image.height, image.width))
    assert [one.is_stretched for one in lay(image, turned).values()] == [True]
    assert lay(image, turned, view_code=WINDOW_CODE) == {}


def test_a_crop_of_nearly_the_window_s_shape_is_followed() -> None:
    found = lay(
        originals()["coffee"], crop(originals()["coffee"], 0.8, 0.95), view_code=WINDOW_CODE
    )
    assert [one.is_stretched for one in found.values()] == [False]


def test_halves_are_compared_where_neither_picture_was_tilted() -> None:
    image = originals()["coffee"]
    halves = {}
    for degrees, view_code in ((0, WHOLE_CODE), (2, WHOLE_CODE), (180, TURNED_CODE)):
        copy = image.rotate(degrees, Image.Resampling.BICUBIC)
        [found] = lay(image, copy, view_code=view_code).values()
        halves[degrees] = found.weakest_half is not None
    assert halves == {0: True, 2: False, 180: True}


def test_so_many_at_once_give_what_each_alone_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    image = originals()["coffee"]
    copies = [image.resize((side, side * 3 // 4)) for side in (200, 250, 300, 350, 400)]
    together = lay(image, *copies)
    monkeypatch.setattr(evidence, "MEASURED_AT_ONCE", 2)
    parted = lay(image, *copies)
    assert list(parted) == list(together) == [0, 1, 2, 3, 4]
    for number, one in parted.items():
        assert one.similarity == pytest.approx(together[number].similarity, abs=1e-4)
        assert one.details == together[number].details
