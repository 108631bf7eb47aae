"""Copies are merged, scenes with another subject are linked, unlike pictures are neither."""

from __future__ import annotations

from random import Random

import pytest
from PIL import Image, ImageDraw, ImageFilter

from benchmarks.lookalikes import draw_set
from benchmarks.transformations import MORE, TRANSFORMATIONS
from dedup.pairs import Relation
from dedup.signature.picture import read_picture
from dedup.signature.signature import Signature, make_signature
from dedup.verify.tiles import Evidence
from dedup.verify.verdicts import verify
from tests.dedup.photographs import jpeg, originals

CHANGES = {it.name: it for it in (*TRANSFORMATIONS, *MORE)}


def sign(image: Image.Image, quality: int = 90) -> Signature:
    return make_signature(read_picture(jpeg(image, quality)))


def compare(first: Signature, second: Signature) -> tuple[Relation | None, Evidence | None]:
    return verify(first, second, []) or (None, None)


@pytest.mark.parametrize(
    "name",
    [
        "caption",
        "mirror + corner 10 %",
        "stretch + crop 10 %",
        "crop + border",
        "screenshot",
        "blurred fill to 16:9",
        "words in a box",
        "watermark",
        "sticker 0.1",
        "perspective 0.1",
        "turned, black 12",
        "crop corner 0.29",
    ],
)
def test_a_changed_photograph_is_a_duplicate(name: str) -> None:
    change = CHANGES[name]
    for photograph in ("coffee", "chelsea"):
        image = originals()[photograph]
        changed = make_signature(read_picture(change.render(image, Random(name))))
        assert compare(sign(image), changed)[0] is Relation.DUPLICATE


def add_subject(scene: Image.Image, at: float) -> Image.Image:
    """The scene with a cat at this share of its width."""
    subject = originals()["chelsea"].crop((100, 30, 330, 270)).resize((150, 150))
    mask = Image.new("L", subject.size, 0)
    ImageDraw.Draw(mask).ellipse((2, 2, 148, 148), fill=255)
    shown = scene.copy()
    place = round(at * (scene.width - 150)), scene.height - 170
    shown.paste(subject, place, mask.filter(ImageFilter.GaussianBlur(2)))
    return shown


@pytest.mark.parametrize("name", ["china", "coffee", "rocket"])
def test_a_place_with_its_subject_elsewhere_or_without_it_is_of_one_event(name: str) -> None:
    scene = originals()[name]
    here, there = sign(add_subject(scene, 0.1)), sign(add_subject(scene, 0.8))
    assert compare(here, there)[0] is Relation.SAME_EVENT
    assert compare(here, sign(scene))[0] is Relation.SAME_EVENT


@pytest.mark.parametrize(("first", "second"), [(1, 4), (7, 11)])
def test_screens_of_one_layout_with_other_words_are_not_merged(first: int, second: int) -> None:
    screens = draw_set("screens")
    assert compare(sign(screens[first]), sign(screens[second]))[0] is Relation.SAME_EVENT


def test_two_windows_of_a_panorama_are_of_one_event() -> None:
    wide = originals()["china"]
    left = wide.crop((0, 0, wide.width * 3 // 4, wide.height))
    right = wide.crop((wide.width // 4, 0, wide.width, wide.height))
    assert compare(sign(left), sign(right))[0] is Relation.SAME_EVENT


def test_unlike_photographs_are_nothing_to_one_another() -> None:
    assert compare(sign(originals()["coffee"]), sign(originals()["china"])) == (None, None)


def test_the_map_leads_from_the_first_image_to_the_second() -> None:
    image = originals()["coffee"]
    half = image.crop((0, 0, image.width // 2, image.height))
    relation, evidence = compare(sign(image), sign(half))
    assert relation is Relation.DUPLICATE
    assert evidence is not None
    assert evidence.first_to_second == pytest.approx((2, 0, 0, 0, 1, 0), abs=0.02)
