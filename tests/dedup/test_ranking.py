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
    """How much a WebP lost is not known."""
    image = originals()["china"]
    poor, good = add(party, image, 40), add(party, image, 90)
    converted = add_file(party, save(image, "WEBP", quality=90), size_wh=image.size)
    run(party)
    assert load_duplicates(party) == {poor: good, converted: good}


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
    assert load_ties(party) >= {frozenset((ids[0], ids[it])) for it in (1, 2)}


def test_one_original_is_kept_of_all_its_copies(party: Party) -> None:
    image = originals()["coffee"]
    copies = [add(party, change(image, Random(1))) for change in CHANGES.values()]
    original = add(party, image)
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, original)


def test_photographs_beside_one_picture_are_each_tied_to_their_original(party: Party) -> None:
    """They have more features in common with one another than with what they were made of."""
    images = [
        originals()[it] for it in ("coffee", "chelsea", "rocket", "china", "flower", "camera")
    ]
    made = [add(party, image) for image in images]
    run(party)
    beside = originals()["motorcycle_left"]
    sheets = [Image.new("RGB", (2 * it.width, it.height)) for it in images]
    for sheet, image in zip(sheets, images, strict=True):
        sheet.paste(beside.resize(image.size))
        sheet.paste(image, (image.width, 0))
    pairs = list(zip((add(party, it) for it in sheets), made, strict=True))
    run(party)
    assert load_ties(party) >= set(map(frozenset, pairs))


def test_the_picture_without_writing_is_kept_whatever_the_light_behind_it(party: Party) -> None:
    original = originals()["coffee"].convert("L")
    half = original.height // 2
    light = original.point(lambda level: 220 + level // 8)
    original.paste(original.point(lambda level: level // 8))
    original.paste(light.crop((0, half, light.width, 2 * half)), (0, half))
    captioned = original.copy()
    draw, font = ImageDraw.Draw(captioned), ImageFont.load_default(original.height / 11)
    for text, place in (("WHEN YOU SEE IT", 0.02), ("ONE MORE TIME", 0.85)):
        at = original.width / 10, place * original.height
        draw.text(at, text, "white", font, stroke_width=3, stroke_fill="black")
    worse, better = add(party, captioned), add(party, original)
    run(party)
    assert load_duplicates(party) == {worse: better}


def load_ties(party: Party) -> set[frozenset[int]]:
    """The pairs of images that belong together."""
    rows = load_rows(party, select(Duplicate).where(Duplicate.undone_at.is_(None)))
    return {frozenset((row.image_id, row.kept_image_id)) for row in rows}
