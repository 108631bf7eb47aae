"""What is kept of an image comes back out of the catalogue's columns as it went in."""

import numpy as np
import pytest
from PIL import Image

from dedup.errors import BrokenImageError
from dedup.signature.features import unpack_features
from dedup.signature.signature import (
    RECIPE,
    hash_image,
    pack_signature,
    unpack_layout,
    unpack_views,
    unpack_words,
)
from tests.dedup.finder import sign, sign_original
from tests.dedup.photographs import jpeg, originals


def test_a_packed_signature_comes_back_as_it_was() -> None:
    signature = sign_original("coffee")
    packed = pack_signature(signature)
    columns = packed.signature
    layout = unpack_layout(columns["views"])
    assert layout.boxes == signature.layout.boxes
    assert layout.aspect == pytest.approx(signature.layout.aspect)
    assert np.array_equal(unpack_views(columns["views"]), signature.views)
    assert np.array_equal(unpack_words(columns["words"]), signature.words)
    assert len(unpack_features(columns["features"]).points) == len(signature.features.points)
    assert columns["real_px"] == signature.origin.real_px
    assert columns["recipe"] == packed.image["hash_recipe"] == RECIPE


def test_the_same_bytes_always_hash_to_the_same() -> None:
    data = jpeg(originals()["china"])
    assert hash_image(data) == hash_image(data)


def test_the_small_picture_is_kept_without_loss_and_the_larger_one_nearly() -> None:
    signature = sign_original("china")
    assert signature.levels.shape == (128, 128)
    assert signature.shown.shape == (256, 256)
    shrunk = np.asarray(Image.fromarray(signature.shown).reduce(2), np.int64)
    assert np.abs(shrunk - signature.levels).mean() < 3


def test_a_picture_of_few_shades_keeps_each_of_them() -> None:
    random = np.random.default_rng(2)
    dark = Image.fromarray(random.integers(0, 8, (256, 256), np.uint8))
    shown = sign(dark, quality=100).shown
    assert len(np.unique(shown)) > 4


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"<html></html>", b"\xff\xd8\xff"])
def test_bytes_that_are_no_image_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(BrokenImageError):
        hash_image(data)


def test_an_image_that_breaks_off_is_refused() -> None:
    data = jpeg(originals()["china"])
    with pytest.raises(BrokenImageError, match="the image cannot be decoded"):
        hash_image(data[: len(data) // 2])
