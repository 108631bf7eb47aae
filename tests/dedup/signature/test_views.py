"""The table of views, and that the view made for a crop meets the cropped picture's whole."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dedup.signature.brightness import read_brightness
from dedup.signature.maps import box_map
from dedup.signature.signature import Signature, make_signature
from dedup.signature.views import VIEWS, WHOLE_CODE, Cut, Kind, codes_of, locate_views
from tests.dedup.photographs import jpeg, noise, originals

NEAR_BITS = 10


def sign(image: Image.Image) -> Signature:
    return make_signature(read_brightness(jpeg(image)))


def hash_of(signature: Signature, code: int) -> int:
    views = signature.views
    return int(views.hashes[views.codes == code][0])


def cut_out(image: Image.Image, cut: Cut) -> Image.Image:
    width, height = image.size
    left, top, right, bottom = cut.box
    return image.crop(
        (round(width * left), round(height * top), round(width * right), round(height * bottom))
    )


@pytest.mark.parametrize("code", codes_of(Kind.WINDOW))
def test_a_window_has_nearly_the_hash_of_what_is_left_after_its_crop(code: int) -> None:
    image = originals()["coffee"]
    cropped = sign(cut_out(image, VIEWS[code].cut))
    distance = hash_of(sign(image), code) ^ hash_of(cropped, WHOLE_CODE)
    assert distance.bit_count() <= NEAR_BITS


@pytest.mark.parametrize("code", codes_of(Kind.TURNED))
def test_a_turned_view_has_nearly_the_hash_of_the_turned_picture(code: int) -> None:
    image, turn = originals()["chelsea"], VIEWS[code].turn
    turned = image.transpose(Image.Transpose.TRANSPOSE) if turn.is_transposed else image
    if turn.is_mirrored_in_x:
        turned = turned.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if turn.is_mirrored_in_y:
        turned = turned.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    distance = hash_of(sign(image), code) ^ hash_of(sign(turned), WHOLE_CODE)
    assert distance.bit_count() <= NEAR_BITS


@pytest.mark.parametrize("code", codes_of(Kind.TILTED))
def test_a_tilted_view_has_nearly_the_hash_of_the_middle_of_the_turned_picture(code: int) -> None:
    image, tilt = originals()["coffee"], VIEWS[code].tilt
    assert tilt is not None
    scale, degrees = tilt
    margin = 10 * (1 - scale)
    middle = cut_out(
        image.rotate(degrees, Image.Resampling.BICUBIC), Cut(margin, margin, margin, margin)
    )
    distance = hash_of(sign(image), code) ^ hash_of(sign(middle), WHOLE_CODE)
    assert distance.bit_count() <= NEAR_BITS


def too_bright(image: Image.Image) -> Image.Image:
    return image.point(lambda level: min(level * 7 // 5, 255))


@pytest.mark.parametrize("name", ["coffee", "china", "page", "retina"])
def test_a_clipped_view_has_nearly_the_hash_of_the_copy_that_is_too_bright(name: str) -> None:
    image = originals()[name].convert("L").point(lambda level: min(level + 60, 255))
    [code] = codes_of(Kind.CLIPPED)
    copy = hash_of(sign(too_bright(image)), WHOLE_CODE)
    assert (hash_of(sign(image), code) ^ copy).bit_count() <= NEAR_BITS


def test_a_picture_without_light_parts_has_no_clipped_view() -> None:
    dark = sign(originals()["coffee"].point(lambda level: level // 2))
    assert not np.isin(dark.views.codes, codes_of(Kind.CLIPPED)).any()


def test_codes_fit_a_byte_and_each_names_its_own_view() -> None:
    assert all(0 <= code < 256 and view.code == code for code, view in VIEWS.items())
    cuts = [VIEWS[code].cut for code in codes_of(Kind.WINDOW)]
    assert len(set(cuts)) == len(cuts)


def test_a_window_lies_where_its_cut_says() -> None:
    codes = np.array(codes_of(Kind.WINDOW), np.uint8)
    boxes = np.zeros((len(codes), 14, 4), np.uint8)
    maps = locate_views(codes, np.ones(len(codes), np.float32), boxes)
    expected = [box_map(*VIEWS[int(code)].cut.box) for code in codes]
    assert np.allclose(maps, np.stack(expected))


def test_a_darker_picture_without_coarse_contrast_still_has_its_hash() -> None:
    bricks = originals()["brick"]
    darker = bricks.point(lambda level: level // 2)
    distance = hash_of(sign(bricks), WHOLE_CODE) ^ hash_of(sign(darker), WHOLE_CODE)
    assert distance.bit_count() <= NEAR_BITS


def test_a_flat_picture_has_no_hash_however_noisy() -> None:
    assert len(sign(noise(500, 375, 12)).views.codes) == 0
