"""The original is kept instead of its changed copies, and no verified pair is lost."""

from collections.abc import Callable
from random import Random

import pytest
from PIL import Image, ImageDraw, ImageFont, ImageOps
from sqlalchemy import select

from benchmarks import transformations
from catalog.party import Party
from catalog.tables import Duplicate
from tests.rows import load_rows

from .images import NOON, add_file, add_photo, load_duplicates, run
from .photographs import jpeg, originals, save

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


def test_one_original_is_kept_of_all_its_copies(party: Party) -> None:
    """A copy that is compared with few others must not hide its flaws."""
    image = originals()["coffee"]
    copies = [add(party, change(image, Random(1)), 92) for change in CHANGES.values()]
    original = add(party, image)
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, original)


def write(image: Image.Image, text: str, where: tuple[float, float]) -> None:
    """Write white letters of an eleventh of the height with black outlines."""
    at = where[0] * image.width, where[1] * image.height
    font = ImageFont.load_default(image.height / 11)
    ImageDraw.Draw(image).text(at, text, "white", font, stroke_width=3, stroke_fill="black")


def test_photographs_beside_one_picture_are_each_tied_to_their_original(party: Party) -> None:
    """They have more features in common with one another than with what they were made of."""
    images = [
        originals()[it] for it in ("coffee", "chelsea", "rocket", "china", "flower", "camera")
    ]
    ids = [add(party, image) for image in images]
    run(party)
    made = {}
    for original, image in zip(ids, images, strict=True):
        sheet = Image.new("RGB", (2 * image.width, image.height))
        sheet.paste(originals()["motorcycle_left"].resize(image.size))
        sheet.paste(image, (image.width, 0))
        made[add(party, sheet)] = original
    run(party)
    rows = load_rows(party, select(Duplicate).where(Duplicate.undone_at.is_(None)))
    tied = {frozenset((row.image_id, row.kept_image_id)) for row in rows}
    assert tied >= {frozenset(it) for it in made.items()}


def test_the_picture_without_writing_is_kept_whatever_the_light_behind_it(party: Party) -> None:
    original = originals()["coffee"].convert("L")
    dark, light = (original.point(lambda it, low=low: low + it // 8) for low in (0, 220))
    original.paste(dark)
    original.paste(
        light.crop((0, dark.height // 2, dark.width, dark.height)), (0, dark.height // 2)
    )
    captioned = original.copy()
    for text, place in (("WHEN YOU SEE IT", (0.1, 0.02)), ("ONE MORE TIME", (0.1, 0.85))):
        write(captioned, text, place)
    worse, better = add(party, captioned), add(party, original)
    run(party)
    assert load_duplicates(party) == {worse: better}


def test_a_file_of_unknown_compression_is_kept_only_without_a_better_copy(party: Party) -> None:
    image = originals()["china"]
    converted = add_file(party, save(image, "WEBP", quality=90), size_wh=image.size)
    original = add(party, image, 80)
    run(party)
    assert load_duplicates(party) == {converted: original}
