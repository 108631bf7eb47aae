from __future__ import annotations

import hashlib
import io

import imagehash
import numpy as np
import pytest
from PIL import Image, ImageDraw

from catalog.settings import DedupSettings
from dedup.pairs import BrokenImageError
from dedup.signature.signature import RECIPE, WholeHashes, gradient_quality, hash_image
from tests.dedup.photographs import jpeg, noise, originals

SETTINGS = DedupSettings()
PINNED = {
    "coffee": "5a29a2aee309ad00",
    "china": "a318535e490fa995",
    "page": "a37caa2e678d057e",
    "brick": "34dd1f57e7c06bf8",
}


def whole(data: bytes) -> WholeHashes:
    return hash_image(data).whole


def distances(first: WholeHashes, second: WholeHashes) -> tuple[int, int]:
    return (
        (int(first.phash_64, 16) ^ int(second.phash_64, 16)).bit_count(),
        (int(first.phash_256, 16) ^ int(second.phash_256, 16)).bit_count(),
    )


def are_near(first: WholeHashes, second: WholeHashes) -> bool:
    if min(first.quality, second.quality) < SETTINGS.min_quality:
        return False
    bits_64, bits_256 = distances(first, second)
    return bits_64 <= SETTINGS.max_distance_64_bits and bits_256 <= SETTINGS.max_distance_256_bits


def png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def flat_images() -> list[bytes]:
    sky = Image.linear_gradient("L").resize((400, 300)).point(lambda level: 120 + level // 8)
    return [
        *(jpeg(Image.new("RGB", (400, 300), colour)) for colour in ("black", "white", "teal")),
        jpeg(sky),
        jpeg(sky.rotate(180)),
        jpeg(noise(400, 300, 4)),
    ]


def test_flat_images_have_too_little_quality_to_match_anything() -> None:
    *smooth, noisy = (whole(data).quality for data in flat_images())
    assert max(smooth) < SETTINGS.min_quality
    assert noisy < 5  # registration keeps noise apart, and hashes alone ask for 5


def test_photographs_have_enough_quality_to_be_matched() -> None:
    assert min(whole(jpeg(image)).quality for image in originals().values()) > 30


def test_quality_is_that_of_the_formula_of_pdq() -> None:
    stripes = np.zeros((64, 64), dtype=np.uint8)
    stripes[:, 32:] = 51  # one step of 20 percent in each of 64 rows
    assert gradient_quality(stripes) == pytest.approx(64 * 20 / 90)
    assert gradient_quality(np.full((64, 64), 9, dtype=np.uint8)) == 0
    assert gradient_quality(np.indices((64, 64)).sum(axis=0).astype(np.uint8) % 2 * 255) == 100


def test_the_bits_are_imagehash_s_own() -> None:
    image = originals()["coffee"]
    squeezed = image.convert("L").resize((128, 128), Image.Resampling.HAMMING)
    luma = squeezed.reduce(2)
    found = whole(png(image))
    assert found.phash_64 == str(imagehash.phash(luma, 8, 8))
    assert found.phash_256 == str(imagehash.phash(luma, 16, 4))
    assert (len(found.phash_64), len(found.phash_256)) == (16, 64)


@pytest.mark.parametrize(("name", "digest"), PINNED.items())
def test_no_bit_changes_while_the_recipe_keeps_its_name(name: str, digest: str) -> None:
    found = hash_image(png(originals()[name]))
    everything = found.whole.phash_256.encode() + found.luma + found.views
    assert hashlib.sha256(everything).hexdigest()[:16] == digest, RECIPE


@pytest.mark.slow
def test_decoding_a_jpeg_at_a_smaller_scale_changes_few_bits() -> None:
    for image in originals().values():
        data = jpeg(image.resize((1600, 1200)))
        with Image.open(io.BytesIO(data)) as file:
            bits_64, bits_256 = distances(whole(data), whole(png(file.convert("RGB"))))
        assert bits_64 <= 4
        assert bits_256 <= 24


@pytest.mark.parametrize("mode", ["L", "CMYK", "RGB", "YCbCr"])
def test_every_colour_model_of_jpeg_gives_the_photograph_s_hash(mode: str) -> None:
    image = originals()["chelsea"]
    file = io.BytesIO()
    image.convert(mode).save(file, "JPEG", quality=92)
    assert are_near(whole(file.getvalue()), whole(jpeg(image)))


def test_a_jpeg_that_keeps_rgb_gives_the_photograph_s_hash() -> None:
    image = originals()["chelsea"]
    file = io.BytesIO()
    image.save(file, "JPEG", quality=92, keep_rgb=True)
    assert are_near(whole(file.getvalue()), whole(jpeg(image)))


def test_what_is_transparent_counts_as_white() -> None:
    image = originals()["astronaut"]
    hidden = image.convert("RGBA")
    hidden.paste((0, 0, 0, 0), (0, 0, image.width, image.height // 3))
    shown = image.copy()
    ImageDraw.Draw(shown).rectangle((0, 0, image.width, image.height // 3 - 1), fill="white")
    assert hash_image(png(hidden)) == hash_image(png(shown))


def test_a_palette_and_one_pixel_are_images_too() -> None:
    image = originals()["astronaut"]
    assert are_near(whole(png(image.convert("P"))), whole(jpeg(image)))
    assert whole(png(Image.new("RGB", (1, 1)))).quality == 0


@pytest.mark.parametrize(
    "data",
    [b"", b"not an image", b"<html>gone</html>", b"\xff\xd8\xff\xe0", b"%!PS-Adobe-3.0 EPSF-3.0\n"],
)
def test_what_is_no_image_is_called_so(data: bytes) -> None:
    with pytest.raises(BrokenImageError, match=r"expected an image|cannot be decoded"):
        hash_image(data)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_broken_wherever_it_ends(share: float) -> None:
    data = jpeg(originals()["rocket"])
    with pytest.raises(BrokenImageError):
        hash_image(data[: int(len(data) * share)])
