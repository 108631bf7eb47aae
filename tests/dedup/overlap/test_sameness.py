"""Plain pictures match only if they are identical."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from catalog.party import Party
from dedup.constants import LEVELS_SIDE_PX
from dedup.overlap.details import hash_levels
from dedup.signature.hashes import gradient_quality
from tests.dedup.finder import sign
from tests.dedup.images import add_file
from tests.dedup.photographs import jpeg, originals, save
from tests.dedup.test_finder import make_flat_images

from .folders import hold_originals, write_files
from .test_comparison import KINDS, compare, names

Picture = Image.Image


@cache
def darken(name: str, gain: float) -> Picture:
    """A soft photograph that is nearly black, and too plain."""
    soft = originals()[name].convert("L").filter(ImageFilter.GaussianBlur(3))
    dark = soft.point(lambda level: round(level * gain))
    assert gradient_quality(sign(dark).levels) < 1
    return dark


def hold(party: Party, *files: bytes) -> list[int]:
    ids = [add_file(party, data) for data in files]
    hold_originals(party, ())
    return ids


@pytest.mark.parametrize("kind", KINDS)
def test_an_identical_file_is_found_even_if_plain(party: Party, tmp_path: Path, kind: str) -> None:
    black = jpeg(Image.new("RGB", (500, 375)))
    [ours] = hold(party, black)
    report = compare(party, write_files(tmp_path / "theirs", {"black.jpg": black}), kind)
    assert names(report) == {"black.jpg": ours}
    assert not report.is_clear
    assert report.overlaps[0].similarity == (1.0 if kind == "pictures" else None)
    assert report.overlaps[0].distance_bits == (None if kind == "pictures" else 0)


@pytest.mark.parametrize("kind", KINDS)
def test_an_identical_file_is_found_before_dedup(party: Party, tmp_path: Path, kind: str) -> None:
    data = jpeg(originals()["rocket"])
    ours = add_file(party, data)
    report = compare(party, write_files(tmp_path / "theirs", {"a.jpg": data}), kind)
    assert names(report) == {"a.jpg": ours}
    assert report.not_hashed == 1


def test_an_identical_file_is_found_if_ours_was_a_duplicate(party: Party, tmp_path: Path) -> None:
    """Its hashes alone do not show which image it duplicates."""
    dark = jpeg(darken("coffee", 0.03), 95)
    soft = originals()["coffee"].convert("L").filter(ImageFilter.GaussianBlur(3))
    bright = jpeg(soft, 95)  # no more recompressed than the dark one, so that it is kept
    kept, aside = hold(party, bright, dark)
    folder = write_files(tmp_path / "theirs", {"dark.jpg": dark})
    report = compare(party, folder, "hashes")
    assert names(report) == {"dark.jpg": aside}
    assert report.ours == 1
    assert names(compare(party, folder, "pictures")) == {"dark.jpg": kept}


@pytest.mark.parametrize("kind", KINDS)
def test_plain_pictures_of_equal_pixels_are_found(party: Party, tmp_path: Path, kind: str) -> None:
    pictures = {name: darken(name, 0.02).convert("RGB") for name in ("coffee", "china")}
    ours = hold(party, *(save(picture, "PNG") for picture in pictures.values()))
    files = {f"{name}.bmp": save(picture, "BMP") for name, picture in pictures.items()}
    report = compare(party, write_files(tmp_path / "theirs", files), kind)
    assert names(report) == dict(zip(files, ours, strict=True))


FLAT = ("black frames", "fog", "skies")
SIMPLE = ("horizons", "moons")
"""Hashes alone cannot tell these apart, as the manual says."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "flat"), [("pictures", FLAT + SIMPLE), ("hashes", FLAT)])
def test_different_plain_pictures_do_not_match(
    party: Party, tmp_path: Path, kind: str, flat: tuple[str, ...]
) -> None:
    made = {name: make_flat_images(name, 16) for name in flat}
    hold(party, *(jpeg(picture) for pictures in made.values() for picture in pictures[::2]))
    files = {
        f"{name} {number}.jpg": jpeg(picture)
        for name, pictures in made.items()
        for number, picture in enumerate(pictures[1::2])
    }
    assert names(compare(party, write_files(tmp_path / "theirs", files), kind)) == {}


def test_a_plain_gradient_has_no_level_hash() -> None:
    ramp = np.tile(np.arange(LEVELS_SIDE_PX, dtype=np.uint8), (LEVELS_SIDE_PX, 1))
    assert hash_levels(ramp) is None
    assert hash_levels(np.full_like(ramp, 9)) is None
    assert hash_levels(ramp ^ np.uint8(3)) is not None
