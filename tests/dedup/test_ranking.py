"""The original is kept instead of its changed copies, and no verified pair is lost."""

from collections.abc import Callable
from random import Random

import pytest
from PIL import Image, ImageOps
from sqlalchemy import select

from benchmarks import transformations
from catalog.party import Party
from catalog.tables import Duplicate
from tests.rows import load_rows

from .images import NOON, add_file, add_photo, load_duplicates, run
from .photographs import jpeg, originals

Change = Callable[[Image.Image, Random], Image.Image]
CHANGES: dict[str, Change] = {
    "border": transformations.add_border(0.08),
    "bars with words": transformations.add_meme_bars,
    "screenshot": transformations.take_screenshot,
    "caption": transformations.write_caption,
    "enlarged": transformations.resize(2.0),
    "made smaller": transformations.resize(0.5),
    "before its own blurred enlargement": transformations.fill_blurred(16 / 9),
    "cropped": transformations.crop_middle(0.1),
    "turned": transformations.rotate(5),
}


def add(party: Party, image: Image.Image, quality: int = 92) -> int:
    return add_file(party, jpeg(image, quality), size_wh=image.size)


@pytest.mark.parametrize("name", CHANGES)
def test_the_original_is_kept_instead_of_its_changed_copy(party: Party, name: str) -> None:
    image = originals()["coffee"]
    copy = add(party, CHANGES[name](image, Random(1)), 95 if name == "enlarged" else 92)
    original = add(party, image)
    run(party)
    assert load_duplicates(party) == {copy: original}


def test_the_less_recompressed_of_equal_copies_is_kept(party: Party) -> None:
    poor, good = add(party, originals()["china"], 40), add(party, originals()["china"], 90)
    run(party)
    assert load_duplicates(party) == {poor: good}


def test_the_earlier_upload_of_equally_good_copies_is_kept(party: Party) -> None:
    image = originals()["china"]
    late, early = add(party, image, 90), add(party, ImageOps.mirror(image), 90)
    for image_id, day in ((late, 2), (early, 1)):
        add_photo(party, image_id, uploaded_at=NOON.replace(day=day))
    run(party)
    assert load_duplicates(party) == {late: early}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_both_copies_stay_linked_to_their_original(party: Party, order: tuple[int, ...]) -> None:
    """The crop and the bordered copy come in any order, each in a separate run."""
    image = originals()["coffee"]
    random = Random(3)
    made = [
        image,
        transformations.crop_corner(0.2)(image, random),
        transformations.add_border(0.1)(image, random),
    ]
    ids = {}
    for number in order:
        ids[number] = add(party, made[number])
        run(party)
    rows = load_rows(party, select(Duplicate).where(Duplicate.undone_at.is_(None)))
    tied = {frozenset((row.image_id, row.kept_image_id)) for row in rows}
    assert frozenset((ids[0], ids[1])) in tied
    assert frozenset((ids[0], ids[2])) in tied
