"""The finder from bytes to pairs, on real photographs and on images made to mislead it."""

import numpy as np
import pytest
import skimage
from PIL import Image, ImageFilter

from benchmarks.lookalikes import draw_set, make_bursts, put_subject
from dedup.pairs import Relation
from dedup.signature.hashes import gradient_quality

from .finder import COPY, PHOTOGRAPHS, SETTINGS, list_merged, relate, sign, sign_file, sign_original
from .photographs import change, originals, tiles

CROP = "crop 5 %, middle"

CHANGES = (
    "mirrored",
    "turned by 90 degrees",
    "turned by 180 degrees",
    "turned by 270 degrees",
    "turned by 2 degrees",
    "turned by 5 degrees",
    "turned, black 12",
    "perspective 0.1",
    "crop 10 %, middle",
    "crop 20 %, one side",
    "crop 20 %, corner",
    "crop corner 0.29",
    "border 5 %",
    "border 10 %",
    "meme bars",
    "screenshot",
    "blurred fill to 16:9",
    "brightness times 0.5",
    "brightness times 1.4",
    "stretched by 1.25",
    "stretch + crop 10 %",
    "mirror + corner 10 %",
    "crop + border",
    "words in a box",
    "watermark",
    "sticker 0.1",
    "hue by 30 degrees",
    "blurred by 2 px",
    "dark corners",
    "meme",
    "sticker 0.03",
)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_photograph_is_found_as_a_copy(name: str) -> None:
    first = CHANGES.index(name)
    for place in range(first, first + 4):
        photograph = PHOTOGRAPHS[place % len(PHOTOGRAPHS)]
        changed = sign_file(change(originals()[photograph], name))
        assert relate(sign_original(photograph), changed) == COPY, photograph


@pytest.mark.parametrize(
    "name", ["recompressed, quality 20", "resized to 50 %", "warm filter", "grey"]
)
def test_changed_copies_are_found_for_all_but_pages_of_text(name: str) -> None:
    missed = [
        photograph
        for photograph, image in originals().items()
        if relate(sign_original(photograph), sign_file(change(image, name))) != COPY
    ]
    assert set(missed) <= {"page", "text"}


def test_different_photographs_and_their_pieces_are_not_merged() -> None:
    named = originals() | tiles()
    assert len(named) > 200
    names = list(named)
    merged = list_merged(
        [
            sign_original(name) if name in originals() else sign(image)
            for name, image in named.items()
        ]
    )
    assert [(names[first], names[other]) for first, other in merged] == []


@pytest.mark.parametrize(("name", "gain"), [("china", 0.04), ("coffee", 0.03), ("flower", 0.03)])
def test_a_nearly_black_copy_is_found_as_a_copy(name: str, gain: float) -> None:
    soft = originals()[name].convert("L").filter(ImageFilter.GaussianBlur(3))
    dark = sign(soft.point(lambda level: round(level * gain)), quality=95)
    assert gradient_quality(dark.levels) < SETTINGS.min_quality
    assert relate(sign(soft), dark) == COPY


def paint_clouds(seed: int) -> Image.Image:
    """Soft clouds in a blue sky, with next to no features."""
    random = np.random.default_rng(seed)
    small = Image.fromarray(random.integers(0, 256, (7, 9), dtype=np.uint8))
    shade = small.resize((500, 375), Image.Resampling.BICUBIC)
    return Image.composite(
        Image.new("RGB", shade.size, "#eef2f6"), Image.new("RGB", shade.size, "#5b8fd0"), shade
    )


@pytest.mark.parametrize(
    "name",
    ["recompressed, quality 50", "resized to 50 %", "brightness times 0.5", "mirrored", CROP],
)
def test_a_copy_of_a_cloudy_sky_is_found_by_its_hash(name: str) -> None:
    skies = [paint_clouds(seed) for seed in range(8)]
    assert min(len(sign(sky).features.points) for sky in skies) < 12
    copies = [sign_file(change(sky, name)) for sky in skies]
    relations = relate(*(sign(sky) for sky in skies), *copies)
    assert relations == {(place, place + 8): Relation.DUPLICATE for place in range(8)}


def paint(levels: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Image.Image:
    return Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8)).convert("RGB")


def make_flat_images(kind: str, count: int) -> list[Image.Image]:
    """Nearly empty images, each of another scene."""
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
            above = random.integers(150, 250)
            below = random.integers(10, 120)
            made.append(paint(np.where(y < line, above, below) + noise))
        else:
            middle_x, middle_y = random.uniform(0.35, 0.65, 2)
            is_disc = np.hypot((x - middle_x) * 4, (y - middle_y) * 3) < random.uniform(0.3, 0.7)
            made.append(paint(10 + 230 * is_disc + noise))
    return made


@pytest.mark.parametrize("kind", ["black frames", "fog", "skies", "horizons", "moons"])
def test_different_flat_images_are_not_merged(kind: str) -> None:
    assert relate(*(sign(image) for image in make_flat_images(kind, 40))) == {}


@pytest.mark.parametrize("kind", ["screens", "letters", "forms"])
def test_pages_with_one_layout_and_different_words_are_not_merged(kind: str) -> None:
    assert list_merged([sign(page) for page in draw_set(kind)]) == []


def test_a_collage_is_never_merged_with_its_photographs() -> None:
    photographs = [originals()[name] for name in ("coffee", "chelsea", "rocket", "astronaut")]
    sheet = Image.new("RGB", (800, 600), "white")
    for number, photograph in enumerate(photographs):
        shown = photograph.resize((392, 292))
        sheet.paste(shown, (4 + number % 2 * 400, 4 + number // 2 * 300))
    relations = relate(*(sign(photograph) for photograph in photographs), sign(sheet))
    assert set(relations.values()) <= {Relation.COLLAGE}
    assert len(relations) >= 2
    assert all(ids[1] == 4 for ids in relations)


def test_collages_with_one_photograph_in_common_are_not_merged() -> None:
    others = [name for name in PHOTOGRAPHS if name != "astronaut"]
    left = [sign(lay_side_by_side("astronaut", name)) for name in others]
    right = [sign(lay_side_by_side(name, "astronaut")) for name in others]
    again = sign(lay_side_by_side("astronaut", others[0]), quality=60)
    assert list_merged([*left, *right, again]) == [(0, len(left) + len(right))]


def lay_side_by_side(left: str, right: str) -> Image.Image:
    sheet = Image.new("RGB", (640, 480), "white")
    for number, name in enumerate((left, right)):
        sheet.paste(originals()[name].resize((316, 476)), (2 + number * 320, 2))
    return sheet


def test_a_scene_whose_subject_moved_or_left_is_one_event() -> None:
    places = [originals()[name] for name in ("china", "coffee", "rocket")]
    for kind, pairs in make_bursts(places).items():
        if kind != "collages of two":
            for here, there in pairs:
                assert relate(sign(here), sign(there)) == {(0, 1): Relation.SAME_EVENT}, kind
    flat = [put_subject(places[0], Image.new("RGB", (400, 300)), at) for at in (0.05, 0.95)]
    bars = [places[0].copy(), places[0].copy()]
    for bar, top in zip(bars, (60, 200), strict=True):
        bar.paste("black", (100, top, 260, top + 16))
    assert relate(*map(sign, flat)) == relate(*map(sign, bars)) == {(0, 1): Relation.SAME_EVENT}


def test_photographs_that_only_overlap_are_one_event() -> None:
    left = originals()["motorcycle_left"]
    wide = originals()["china"]
    right = Image.open(f"{skimage.__path__[0]}/data/motorcycle_right.png").convert("RGB")
    right.thumbnail((500, 500))
    assert relate(sign(left), sign(right)) == {(0, 1): Relation.SAME_EVENT}
    quarter = wide.width // 4
    windows = [wide.crop((quarter * at, 0, quarter * (at + 3), wide.height)) for at in (0, 1)]
    assert relate(*map(sign, windows)) == {(0, 1): Relation.SAME_EVENT}
