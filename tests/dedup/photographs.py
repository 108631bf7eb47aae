"""Real photographs out of installed packages, and copies of them."""

import io
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random

from PIL import Image

from benchmarks.transformations import BY_NAME

# The right view of the motorcycle pair is left out: it shows what the left one shows.
SCIKIT_IMAGE = (
    "astronaut.png brick.png camera.png cell.png chelsea.png clock_motion.png coffee.png coins.png "
    "color.png grass.png gravel.png hubble_deep_field.jpg ihc.png moon.png motorcycle_left.png "
    "page.png retina.jpg rocket.jpg text.png"
)
SCIKIT_LEARN = ("china.jpg", "flower.jpg")
LONGEST_SIDE_PX = 500


def _package_folder(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None, f"install the extra `demo`: {name} is missing"
    assert spec.origin is not None
    return Path(spec.origin).parent


@cache
def originals() -> dict[str, Image.Image]:
    """Distinct photographs by name, longest side 500 pixels at most."""
    images = _package_folder("skimage") / "data"
    paths = [images / name for name in SCIKIT_IMAGE.split()]
    paths += [_package_folder("sklearn") / "datasets/images" / name for name in SCIKIT_LEARN]
    return {path.stem: _read(path) for path in paths}


def tiles() -> dict[str, Image.Image]:
    """Nine pieces of each photograph that share no pixel; some look alike, as gravel does."""
    return {
        f"{name}-{column}{row}": image.crop(
            (
                image.width * column // 3,
                image.height * row // 3,
                image.width * (column + 1) // 3,
                image.height * (row + 1) // 3,
            )
        )
        for name, image in originals().items()
        for column in range(3)
        for row in range(3)
    }


def save(image: Image.Image, kind: str, **how: object) -> bytes:
    """The bytes of a file of this kind."""
    file = io.BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def jpeg(image: Image.Image, quality: int = 92) -> bytes:
    return save(image.convert("RGB"), "JPEG", quality=quality)


def resize(image: Image.Image, share: float) -> Image.Image:
    return image.resize((round(image.width * share), round(image.height * share)))


def crop_sides(image: Image.Image, share: float) -> Image.Image:
    """The image without this share of its width and height, half of it from each side."""
    left = round(image.width * share / 2)
    top = round(image.height * share / 2)
    return image.crop((left, top, image.width - left, image.height - top))


def change(image: Image.Image, name: str) -> bytes:
    """The JPEG file after the benchmark's change of this name."""
    return BY_NAME[name].render(image, Random(name))


def _read(path: Path) -> Image.Image:
    with Image.open(path) as file:
        image = file.convert("RGB")
    image.thumbnail((LONGEST_SIDE_PX, LONGEST_SIDE_PX))
    return image
