"""How much a photograph lost by compression, told by its file and by the comment of our own."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from catalog.jpeg_quality import estimate_quality, tell_quality

NOISE = np.random.default_rng(1).integers(0, 256, (32, 48, 3), dtype=np.uint8)


def save(picture: Image.Image, kind: str, **options: Any) -> Image.Image:
    """The picture as it is read back from a file of this kind."""
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return Image.open(io.BytesIO(file.getvalue()))


def draw(mode: str = "RGB") -> Image.Image:
    return Image.fromarray(NOISE).convert(mode)


@pytest.mark.parametrize("quality", [25, 50, 75, 85, 95])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_the_quality_of_libjpeg_is_told_from_the_table(quality: int, mode: str) -> None:
    assert estimate_quality(save(draw(mode), "JPEG", quality=quality)) == pytest.approx(
        quality, abs=1.5
    )


def test_a_file_of_lower_quality_is_never_told_as_better() -> None:
    estimates = [estimate_quality(save(draw(), "JPEG", quality=n)) for n in range(1, 101, 3)]
    assert estimates == sorted(estimates)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "BMP"])
def test_a_format_without_loss_has_the_best_quality(kind: str) -> None:
    assert estimate_quality(save(draw(), kind)) == 100


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP"])
def test_a_palette_may_stand_for_any_loss(kind: str) -> None:
    assert estimate_quality(save(draw("P"), kind)) == 0


def test_a_picture_that_was_not_read_from_a_file_has_no_known_quality() -> None:
    assert estimate_quality(draw()) == 0


@pytest.mark.parametrize(("came", "stored", "quality"), [(40, 95, 40), (95, 60, 60)])
def test_a_file_made_of_another_is_no_better_than_either(
    came: int, stored: int, quality: int
) -> None:
    original = save(draw(), "JPEG", quality=came)
    made = save(draw(), "JPEG", quality=stored, comment=tell_quality(original))
    assert estimate_quality(made) == pytest.approx(quality, abs=1.5)


@pytest.mark.parametrize("comment", [b"", b"holiday 2009", b"it came with quality 3"])
def test_a_comment_of_another_program_says_nothing(comment: bytes) -> None:
    made = save(draw(), "JPEG", quality=90, comment=comment)
    assert estimate_quality(made) == pytest.approx(90, abs=1.5)
