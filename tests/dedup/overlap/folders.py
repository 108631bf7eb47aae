"""Folders of other people's images, and released images to compare them with."""

from collections.abc import Mapping
from pathlib import Path

from PIL import Image as PILImage
from PIL import ImageOps

from catalog.party import Party
from catalog.states import ImageState
from tests.dedup.images import NOON, add_file, run, set_state
from tests.dedup.photographs import jpeg, originals
from tests.qa.rows import add_person, add_revision
from tests.rows import add_release, writing
from vockit.format.image_sets import Split

OURS = ("astronaut", "camera", "chelsea", "coffee", "motorcycle_left", "rocket", "china")
THEIRS_ALONE = ("flower", "ihc", "retina")


def hold_originals(party: Party, names: tuple[str, ...] = OURS) -> dict[str, int]:
    """The ids of photographs that the party has, hashed and in its pool."""
    ids = {name: add_file(party, jpeg(originals()[name])) for name in names}
    run(party)
    return ids


def release(party: Party, name: str, splits: Mapping[int, Split]) -> None:
    ann = add_person(party, f"ann of {name}")
    placed = {
        image_id: (add_revision(party, image_id, ann), split) for image_id, split in splits.items()
    }
    writing(party, add_release, name, NOON, placed)
    for image_id in splits:
        set_state(party, image_id, ImageState.RELEASED)


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def crop(image: PILImage.Image, share: float) -> PILImage.Image:
    """Without this share of its width on the left and of its height at the bottom."""
    left = round(image.width * share)
    bottom = round(image.height * (1 - share))
    return image.crop((left, 0, image.width, bottom))


def border(image: PILImage.Image) -> PILImage.Image:
    return ImageOps.expand(image, round(0.06 * image.width), "white")


def make_theirs(folder: Path) -> Path:
    """Copies of some of OURS, changed in ways that one hash of the whole image misses."""
    photographs = originals()
    files = {
        "recompressed.jpg": jpeg(photographs["astronaut"], quality=30),
        "cropped.jpg": jpeg(crop(photographs["chelsea"], 0.12)),
        "deep/mirrored.jpg": jpeg(ImageOps.mirror(photographs["coffee"])),
        "deep/bordered.jpg": jpeg(border(photographs["rocket"])),
        "turned.jpg": jpeg(photographs["china"].rotate(90, expand=True)),
        **{f"own/{name}.jpg": jpeg(photographs[name]) for name in THEIRS_ALONE},
        "notes.txt": b"no picture",
        ".hidden/x.jpg": b"not looked at",
    }
    return write_files(folder, files)


COPIES = {
    "recompressed.jpg": "astronaut",
    "cropped.jpg": "chelsea",
    "deep/mirrored.jpg": "coffee",
    "deep/bordered.jpg": "rocket",
    "turned.jpg": "china",
}
