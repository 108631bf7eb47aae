"""Where two pictures differ, and whether that was drawn over them or changed."""

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from dedup.verify.changes import Changes, find_changes
from tests.dedup.photographs import originals

SIDE_PX = 256
EVERYWHERE = np.ones((SIDE_PX, SIDE_PX), np.bool_)
POINTS = np.stack(np.meshgrid(*[np.linspace(0.02, 0.98, 33)] * 2), -1).reshape(-1, 2)
Draw = Callable[[Image.Image], None]


def photograph(name: str = "coffee") -> Image.Image:
    return originals()[name].convert("L").resize((SIDE_PX, SIDE_PX))


def compare(
    first: Image.Image,
    second: Image.Image,
    points: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = POINTS,
) -> Changes:
    levels = [np.asarray(image, np.float32) for image in (first, second)]
    return find_changes(levels[0], levels[1], EVERYWHERE, points)


def draw_on(image: Image.Image, draw: Draw) -> Image.Image:
    drawn = image.copy()
    draw(drawn)
    return drawn


def write(image: Image.Image) -> None:
    """Two lines of white letters."""
    for row in (90, 190):
        ImageDraw.Draw(image).text((20, row), "holiday 2007", 255, ImageFont.load_default(20))


def stick(image: Image.Image) -> None:
    """A plain white square."""
    ImageDraw.Draw(image).rectangle((150, 40, 200, 90), fill=255)


def put_other_subject(image: Image.Image) -> None:
    """A piece of another photograph, a quarter as wide and as high."""
    image.paste(photograph("astronaut").resize((64, 64)), (96, 96))


def test_a_picture_does_not_differ_from_itself() -> None:
    changes = compare(photograph(), photograph())
    assert changes.similarity == pytest.approx(1.0, abs=1e-3)
    assert (changes.changed, changes.drawn) == (0.0, (0.0, 0.0))
    assert changes.details > 0


@pytest.mark.parametrize("draw", [write, stick])
def test_writing_and_stickers_are_drawn_over_the_picture_that_has_them(draw: Draw) -> None:
    plain = photograph()
    drawn = draw_on(photograph(), draw)
    first = compare(drawn, plain)
    second = compare(plain, drawn)
    assert first.changed == second.changed == 0.0
    assert first.drawn[0] > 0.005
    assert second.drawn[1] > 0.005
    assert first.drawn[1] == second.drawn[0] == 0.0


def test_what_was_drawn_over_is_surrounded() -> None:
    """The sticker is from 150 to 200 and 40 to 90 of 256 pixels."""
    changes = compare(photograph(), draw_on(photograph(), stick))
    (box,) = changes.drawn_boxes
    assert box == pytest.approx((150 / 256, 40 / 256, 201 / 256, 91 / 256), abs=0.07)


def test_another_subject_is_a_change_and_nothing_drawn() -> None:
    changes = compare(photograph(), draw_on(photograph(), put_other_subject))
    assert changes.changed > 0.02
    assert changes.drawn == (0.0, 0.0)


def test_one_plain_subject_here_and_there_has_moved() -> None:
    here = photograph()
    there = photograph()
    ImageDraw.Draw(here).rectangle((20, 40, 60, 80), fill=0)
    ImageDraw.Draw(there).rectangle((180, 40, 220, 80), fill=0)
    assert compare(here, there).changed > 0.01


def test_a_place_without_a_feature_does_not_count() -> None:
    elsewhere = POINTS[(POINTS[:, 1] > 0.7)]
    changes = compare(photograph(), draw_on(photograph(), put_other_subject), elsewhere)
    assert changes.changed == 0.0


def test_what_the_mask_hides_is_not_compared() -> None:
    mask = EVERYWHERE.copy()
    mask[64:192, 64:192] = False
    levels = [
        np.asarray(image, np.float32)
        for image in (photograph(), draw_on(photograph(), put_other_subject))
    ]
    assert find_changes(levels[0], levels[1], mask, POINTS).changed == 0.0


@pytest.mark.parametrize(
    "change",
    [
        lambda image: image.point(lambda level: level // 2 + 20),
        lambda image: image.filter(ImageFilter.GaussianBlur(2)),
        lambda image: Image.fromarray(
            (np.asarray(image) * np.linspace(1, 0.7, SIDE_PX)[None]).astype(np.uint8)
        ),
    ],
    ids=["less contrast", "softer", "light from one side"],
)
def test_light_and_softness_change_nothing(change: Callable[[Image.Image], Image.Image]) -> None:
    changes = compare(photograph(), change(photograph()))
    assert changes.similarity > 0.9
    assert (changes.changed, changes.drawn) == (0.0, (0.0, 0.0))


def test_even_pictures_have_no_details_and_no_similarity() -> None:
    grey = Image.new("L", (SIDE_PX, SIDE_PX), 128)
    assert compare(grey, grey) == Changes()
