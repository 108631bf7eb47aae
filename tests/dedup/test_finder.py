"""The finder from bytes to pairs, on real photographs and on images made to mislead it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

from catalog.settings import DedupSettings
from dedup.candidates import BYTES_PER_IMAGE, Census
from dedup.clusters import find_leaders
from dedup.executors import open_threads
from dedup.matching import Matcher
from dedup.pairs import Pair, Relation
from dedup.signature.hashes import gradient_quality
from dedup.signature.picture import read_picture
from dedup.signature.signature import Signature, make_signature
from tests.dedup.finder import find_pairs_among, hold_signatures

from .photographs import RENDITIONS, crop_sides, jpeg, originals, resize, tiles

SETTINGS = DedupSettings()

# Pages, coins in rows and cells are no scenes; the moon is a disc on black.
PHOTOGRAPHS = ("astronaut", "camera", "chelsea", "china", "coffee", "flower", "rocket")
Edit = Callable[[Image.Image], Image.Image]


def sign(image: Image.Image, quality: int = 90) -> Signature:
    return make_signature(read_picture(jpeg(image, quality)))


@cache
def sign_original(name: str) -> Signature:
    return sign(originals()[name])


def relate(*signatures: Signature) -> dict[tuple[int, int], Relation]:
    pairs = find_pairs_among(signatures, SETTINGS, workers=2)
    return {pair.ids: pair.relation for pair in pairs}


def cut(image: Image.Image, left: float, top: float, right: float, bottom: float) -> Image.Image:
    width, height = image.size
    return image.crop(
        (
            round(width * left),
            round(height * top),
            round(width * (1 - right)),
            round(height * (1 - bottom)),
        )
    )


def add_meme_bars(image: Image.Image) -> Image.Image:
    bar_px = round(image.height * 0.18)
    sheet = Image.new("RGB", (image.width, image.height + 2 * bar_px), "white")
    sheet.paste(image, (0, bar_px))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(bar_px // 2)
    draw.text((image.width / 2, bar_px / 2), "WHEN YOU FINALLY", "black", font, "mm")
    return sheet


EDITS: dict[str, Edit] = {
    "mirrored": ImageOps.mirror,
    "upside down": lambda image: image.rotate(180),
    "a quarter turn": lambda image: image.transpose(Image.Transpose.ROTATE_90),
    "three quarter turns": lambda image: image.transpose(Image.Transpose.ROTATE_270),
    "turned by 2 degrees": lambda image: image.rotate(2, Image.Resampling.BICUBIC),
    "turned by 5 degrees": lambda image: image.rotate(-5, Image.Resampling.BICUBIC),
    "a tenth cut off all around": lambda image: cut(image, 0.05, 0.05, 0.05, 0.05),
    "a fifth cut off the left": lambda image: cut(image, 0.2, 0, 0, 0),
    "a fifth cut off the foot": lambda image: cut(image, 0, 0, 0, 0.2),
    "a fifth cut off a corner": lambda image: cut(image, 0.2, 0.2, 0, 0),
    "a white border of 5 %": lambda image: ImageOps.expand(image, image.width // 20, "white"),
    "a black border of 10 %": lambda image: ImageOps.expand(image, image.width // 10, "black"),
    "meme bars": add_meme_bars,
    "half as bright": lambda image: image.point(lambda level: level // 2),
    "too bright": lambda image: image.point(lambda level: min(level * 7 // 5, 255)),
    "stretched": lambda image: image.resize((image.width * 5 // 4, image.height)),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_photograph_is_found_again(name: str) -> None:
    found = {
        photograph: relate(sign_original(photograph), sign(EDITS[name](originals()[photograph])))
        for photograph in PHOTOGRAPHS
    }
    assert found == {key: {(0, 1): Relation.DUPLICATE} for key in PHOTOGRAPHS}


@pytest.mark.parametrize("name", RENDITIONS)
def test_a_rendition_of_anything_but_a_page_or_a_blur_is_found_again(name: str) -> None:
    missed = [
        photograph
        for photograph, image in originals().items()
        if relate(sign_original(photograph), _sign_bytes(RENDITIONS[name](image)))
        != {(0, 1): Relation.DUPLICATE}
    ]
    cropped_blur = {"clock_motion"} if name == "cropped by 2 %" else set()
    assert set(missed) <= {"page", "text"} | cropped_blur  # the blur holds too few details


def _sign_bytes(data: bytes) -> Signature:
    return make_signature(read_picture(data))


def test_no_two_photographs_and_no_two_pieces_of_them_are_merged() -> None:
    named = originals() | tiles()
    assert len(named) > 200
    pairs = find_pairs_among([sign(image) for image in named.values()], SETTINGS, workers=2)
    names = list(named)
    merged = [
        (names[pair.first_id], names[pair.second_id])
        for pair in pairs
        if pair.relation is Relation.DUPLICATE
    ]
    assert merged == []


@pytest.mark.parametrize(("name", "gain"), [("china", 0.04), ("coffee", 0.03), ("flower", 0.03)])
def test_a_nearly_black_copy_is_found(name: str, gain: float) -> None:
    soft = originals()[name].convert("L").filter(ImageFilter.GaussianBlur(3))
    dark = sign(soft.point(lambda level: round(level * gain)), quality=95)
    assert gradient_quality(dark.levels) < SETTINGS.min_quality
    assert relate(sign(soft), dark) == {(0, 1): Relation.DUPLICATE}


def paint_clouds(seed: int) -> Image.Image:
    """Soft clouds in a blue sky, with next to no features."""
    random = np.random.default_rng(seed)
    small = Image.fromarray(random.integers(0, 256, (7, 9), dtype=np.uint8))
    shade = small.resize((500, 375), Image.Resampling.BICUBIC)
    return Image.composite(
        Image.new("RGB", shade.size, "#eef2f6"), Image.new("RGB", shade.size, "#5b8fd0"), shade
    )


SKY_COPIES: dict[str, Edit] = {
    "recompressed": lambda sky: sky,
    "half the size": lambda sky: resize(sky, 0.5),
    "half the light": lambda sky: ImageEnhance.Brightness(sky).enhance(0.5),
    "a fifth of the light": lambda sky: ImageEnhance.Brightness(sky).enhance(0.2),
    "mirrored": ImageOps.mirror,
    "cropped by 4 %": lambda sky: crop_sides(sky, 0.04),
}


@pytest.mark.parametrize("name", SKY_COPIES)
def test_a_copy_of_a_sky_is_found_by_its_hash(name: str) -> None:
    skies = [paint_clouds(seed) for seed in range(8)]
    assert min(len(sign(it).features.points) for it in skies) < 12
    copies = [sign(SKY_COPIES[name](it), quality=50) for it in skies]
    found = relate(*(sign(it) for it in skies), *copies)
    assert found == {(place, place + 8): Relation.DUPLICATE for place in range(8)}


def paint(levels: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Image.Image:
    return Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8)).convert("RGB")


def make_flat_images(kind: str, count: int) -> list[Image.Image]:
    """Images that hold next to nothing, no two of them of one scene."""
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:300, 0:400] / np.array([300, 400]).reshape(2, 1, 1)
    made = []
    for _ in range(count):
        noise = random.normal(0, 2, (300, 400))
        if kind == "black frames":
            made.append(paint(random.uniform(0, 6) + noise))
        elif kind == "fog":
            made.append(paint(random.uniform(150, 220) + noise))
        elif kind == "skies":
            angle = random.uniform(0, 6.28)
            slope = np.cos(angle) * (x - 0.5) + np.sin(angle) * (y - 0.5)
            made.append(paint(140 + random.uniform(30, 110) * slope + noise))
        elif kind == "horizons":
            line = random.uniform(0.3, 0.7) + random.uniform(-0.1, 0.1) * (x - 0.5)
            above, below = random.integers(150, 250), random.integers(10, 120)
            made.append(paint(np.where(y < line, above, below) + noise))
        else:
            middle_x, middle_y = random.uniform(0.35, 0.65, 2)
            is_disc = np.hypot((x - middle_x) * 4, (y - middle_y) * 3) < random.uniform(0.3, 0.7)
            made.append(paint(10 + 230 * is_disc + noise))
    return made


@pytest.mark.parametrize("kind", ["black frames", "fog", "skies", "horizons", "moons"])
def test_flat_images_are_not_merged_by_accident(kind: str) -> None:
    assert relate(*(sign(image) for image in make_flat_images(kind, 40))) == {}


def type_page(seed: int) -> Image.Image:
    """A page of a letter: black words on white, different on each page."""
    random = np.random.default_rng(seed)
    page = Image.new("RGB", (480, 640), "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(13)
    for line in range(28):
        words = ["x" * int(length) for length in random.integers(2, 9, 9)]
        draw.text((40, 40 + line * 20), " ".join(words)[:52], "black", font)
    return page


def draw_screen(seed: int) -> Image.Image:
    """A window with a title, a menu, a list and buttons, whose words differ."""
    random = np.random.default_rng(seed)
    screen = Image.new("RGB", (640, 480), "#d8d8d8")
    draw, font = ImageDraw.Draw(screen), ImageFont.load_default(14)
    draw.rectangle((0, 0, 640, 26), fill="#34568b")
    draw.rectangle((20, 60, 620, 400), fill="white", outline="#888")
    for row in range(14):
        words = "".join(chr(97 + it) for it in random.integers(0, 26, random.integers(5, 40)))
        draw.text((30, 66 + row * 23), words, "black", font)
    for button in range(3):
        draw.rectangle(
            (340 + button * 95, 430, 425 + button * 95, 460), fill="#eee", outline="#555"
        )
    return screen


@pytest.mark.parametrize("make", [type_page, draw_screen])
def test_pages_and_screens_are_not_merged_by_accident(make: Callable[[int], Image.Image]) -> None:
    found = relate(*(sign(make(seed)) for seed in range(30)))
    assert [ids for ids, relation in found.items() if relation is Relation.DUPLICATE] == []


@pytest.mark.parametrize("make", [type_page, draw_screen])
def test_the_same_page_or_screen_saved_again_is_merged(make: Callable[[int], Image.Image]) -> None:
    assert relate(sign(make(1)), sign(resize(make(1), 0.8), quality=70)) == {
        (0, 1): Relation.DUPLICATE
    }


def test_a_collage_is_never_merged_and_half_of_what_it_holds_is_reported() -> None:
    photographs = [originals()[name] for name in ("coffee", "chelsea", "rocket", "astronaut")]
    sheet = Image.new("RGB", (800, 600), "white")
    for number, photograph in enumerate(photographs):
        shown = photograph.resize((392, 292))
        sheet.paste(shown, (4 + number % 2 * 400, 4 + number // 2 * 300))
    found = relate(*(sign(photograph) for photograph in photographs), sign(sheet))
    assert set(found.values()) <= {Relation.COLLAGE}
    assert len(found) >= 2
    assert all(ids[1] == 4 for ids in found)


def test_sheets_with_one_photograph_in_common_are_not_merged() -> None:
    others = [name for name in PHOTOGRAPHS if name != "astronaut"]
    left = [sign(lay_side_by_side("astronaut", name)) for name in others]
    right = [sign(lay_side_by_side(name, "astronaut")) for name in others]
    again = sign(lay_side_by_side("astronaut", others[0]), quality=60)
    found = relate(*left, *right, again)
    merged = [ids for ids, relation in found.items() if relation is Relation.DUPLICATE]
    assert merged == [(0, len(left) + len(right))]


def lay_side_by_side(left: str, right: str) -> Image.Image:
    sheet = Image.new("RGB", (640, 480), "white")
    for number, name in enumerate((left, right)):
        sheet.paste(originals()[name].resize((316, 476)), (2 + number * 320, 2))
    return sheet


def test_the_two_views_of_a_stereo_camera_are_one_event() -> None:
    left = originals()["motorcycle_left"]
    right = Image.open(_stereo_right_path()).convert("RGB")
    right.thumbnail((500, 500))
    assert relate(sign(left), sign(right)) == {(0, 1): Relation.SAME_EVENT}


def _stereo_right_path() -> str:
    import skimage

    return f"{skimage.__path__[0]}/data/motorcycle_right.png"


@cache
def many_signatures() -> list[Signature]:
    found = []
    for name in PHOTOGRAPHS:
        image = originals()[name]
        found += [sign_original(name), sign(crop_sides(image, 0.1)), sign(ImageOps.mirror(image))]
    return found


def match(is_new: list[bool], part_images: int) -> list[Pair]:
    """What is found when only so many images' words are in memory at a time."""
    with open_threads(2) as executor:
        memory_bytes = part_images * 2 * BYTES_PER_IMAGE
        matcher = Matcher(hold_signatures(many_signatures()), 10, memory_bytes, executor, 2)
        return matcher.match(Census(np.arange(len(is_new)), np.array(is_new)))


ROWS = 3 * len(PHOTOGRAPHS)


@cache
def match_all() -> list[Pair]:
    """What is found where all are new and in memory."""
    return match([True] * ROWS, ROWS)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.booleans(), min_size=ROWS, max_size=ROWS), st.integers(5, ROWS))
def test_shards_find_what_the_whole_finds(is_new: list[bool], part_images: int) -> None:
    whole = match(is_new, ROWS)
    assert [(it.ids, it.relation) for it in match(is_new, part_images)] == [
        (it.ids, it.relation) for it in whole
    ]
    known = {it.ids for it in match_all() if is_new[it.first_id] or is_new[it.second_id]}
    assert {it.ids for it in whole} <= known
    leaders = find_leaders(match_all())
    for one, other in known - {it.ids for it in whole}:  # both are copies of a third
        assert sum(leaders[it] == leaders[one] == leaders[other] for it in leaders) > 2
    assert len(match_all()) >= 2 * len(PHOTOGRAPHS)  # each original with both of its copies
