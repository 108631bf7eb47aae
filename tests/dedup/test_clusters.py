"""The original is kept instead of its changed copies, and no verified pair is lost."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont, ImageOps
from sqlalchemy import select

from benchmarks import transformations
from catalog.party import Party
from catalog.tables import Duplicate
from collect.picture import PictureLimits, read_picture
from dedup.clusters import (
    PUBLIC_DOMAIN_RANK,
    UNKNOWN_RANK,
    Candidate,
    cluster_pairs,
    licence_rank,
    plan_removals,
)
from dedup.pairs import Pair, Relation
from tests.rows import load_rows

from .images import NOON, add_file, add_photo, load_duplicates, run
from .photographs import jpeg, originals, save

DAY_1 = datetime(2009, 6, 1, tzinfo=UTC)
DAY_2 = datetime(2009, 6, 2, tzinfo=UTC)
PLAIN = Candidate(1, DAY_2, licence_rank=3, is_fixed=False, jpeg_quality=50, flaws=1)


def near(first_id: int, second_id: int) -> Pair:
    return Pair(first_id, second_id, Relation.DUPLICATE, 0.1)


def removed(candidates: list[Candidate], pairs: list[Pair]) -> dict[int, int]:
    """The kept image of each removed one."""
    return {plan.image_id: plan.kept_image_id for plan in plan_removals(candidates, pairs)}


WORSE: dict[str, Any] = {"image_id": 2, "uploaded_at": None, "licence_rank": 7}
BETTER: dict[str, dict[str, Any]] = {
    "fewer flaws": WORSE | {"flaws": 0, "jpeg_quality": 1},
    "less recompressed": WORSE | {"jpeg_quality": 51},
    "uploaded earlier": WORSE | {"uploaded_at": DAY_1},
    "freer": {"image_id": 2, "licence_rank": 0},
    "larger": {"image_id": 2, "real_px": 1},
    "lower id": {"image_id": 0},
    "worked on": WORSE | {"flaws": 3, "is_fixed": True},
}


@pytest.mark.parametrize("how", BETTER)
def test_the_better_of_two_near_duplicates_is_kept(how: str) -> None:
    better = replace(PLAIN, **BETTER[how])
    pairs = [near(*sorted((PLAIN.image_id, better.image_id)))]
    assert removed([PLAIN, better], pairs) == {PLAIN.image_id: better.image_id}
    assert removed([better, PLAIN], pairs) == {PLAIN.image_id: better.image_id}


def test_a_plain_image_replaces_a_rich_one_only_if_people_worked_on_it() -> None:
    rich = replace(PLAIN, image_id=2)
    copies = [replace(PLAIN, image_id=i, flaws=0, is_plain=True) for i in (3, 4, 5)]
    pairs = [near(2, copy.image_id) for copy in copies]
    assert removed([rich, *copies], pairs) == {3: 2, 4: 2, 5: 2}
    fixed = replace(copies[0], is_fixed=True)
    assert removed([rich, fixed], pairs[:1]) == {2: 3}


def test_an_image_with_a_known_upload_time_is_preferred() -> None:
    unknown = replace(PLAIN, image_id=0, uploaded_at=None)
    assert removed([PLAIN, unknown], [near(0, 1)]) == {0: 1}


def test_a_chain_of_near_images_does_not_merge_its_distant_ends() -> None:
    """1 ~ 2 ~ 3: an image that is not near the kept one stays, whichever is best."""
    pairs = [near(1, 2), near(2, 3)]
    best_at_the_end = [replace(PLAIN, image_id=i, jpeg_quality=90 - i) for i in (1, 2, 3)]
    assert removed(best_at_the_end, pairs) == {2: 1}
    middle_is_best = [
        replace(PLAIN, image_id=i, jpeg_quality=9 if i == 2 else i) for i in (1, 2, 3)
    ]
    assert removed(middle_is_best, pairs) == {1: 2, 3: 2}


def test_two_near_images_that_people_worked_on_are_both_kept() -> None:
    first, second = (replace(PLAIN, image_id=i, is_fixed=True) for i in (1, 2))
    assert removed([first, second], [near(1, 2)]) == {}


def test_each_image_and_each_pair_is_in_exactly_one_cluster() -> None:
    pairs = [near(1, 2), near(3, 4), near(5, 6), near(2, 6), near(7, 8)]
    assert cluster_pairs(pairs) == [
        [near(1, 2), near(5, 6), near(2, 6)],
        [near(3, 4)],
        [near(7, 8)],
    ]
    assert cluster_pairs([]) == []


ids = st.integers(1, 9)
graphs = st.sets(st.tuples(ids, ids).filter(lambda pair: pair[0] < pair[1]), max_size=20)


@settings(deadline=None)
@given(graphs, st.permutations(range(1, 10)), st.sets(ids, max_size=3))
def test_every_removed_image_is_near_a_kept_one_and_no_two_kept_ones_are_near(
    edges: set[tuple[int, int]], areas: list[int], fixed: set[int]
) -> None:
    candidates = [
        replace(PLAIN, image_id=i, jpeg_quality=area, is_fixed=i in fixed)
        for i, area in enumerate(areas, start=1)
    ]
    plan = removed(candidates, [near(*edge) for edge in sorted(edges)])
    for image_id, kept_id in plan.items():
        assert kept_id not in plan
        assert image_id not in fixed
        assert tuple(sorted((image_id, kept_id))) in edges
    for first, second in edges:
        assert first in plan or second in plan or {first, second} <= fixed


CC = "https://creativecommons.org/licenses"


def test_licences_rank_from_public_domain_to_the_strictest_creative_commons() -> None:
    kinds = ["by", "by-sa", "by-nc", "by-nc-sa", "by-nd", "by-nc-nd"]
    ranks = [licence_rank(f"{CC}/{kind}/2.0/", None) for kind in kinds]
    assert ranks == sorted(set(ranks))
    assert ranks[0] > PUBLIC_DOMAIN_RANK
    assert ranks[-1] < UNKNOWN_RANK


@pytest.mark.parametrize(
    ("name", "same_url"),
    [
        ("CC BY-NC-SA 4.0", f"{CC}/by-nc-sa/4.0/"),
        ("Attribution-NonCommercial-ShareAlike License", f"{CC}/by-nc-sa/2.0/"),
        ("Attribution-NoDerivs License", f"{CC}/by-nd/2.0/"),
        ("Attribution License", f"{CC}/by/2.0/"),
        ("Public Domain Dedication (CC0)", "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
        ("United States Government Work", "https://creativecommons.org/publicdomain/mark/1.0/"),
    ],
)
def test_a_licence_name_ranks_like_its_url(name: str, same_url: str) -> None:
    assert licence_rank(None, name) == licence_rank(same_url, None) < UNKNOWN_RANK


@pytest.mark.parametrize(
    ("url", "name"),
    [(None, None), ("", ""), (None, "All Rights Reserved"), (None, "Photo by John"), (None, "7")],
)
def test_an_unknown_licence_ranks_last(url: str | None, name: str | None) -> None:
    assert licence_rank(url, name) == UNKNOWN_RANK


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
    "with noise": transformations.add_noise(6),
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


@pytest.mark.parametrize("deviation_levels", [8, 12, 20])
@pytest.mark.parametrize("name", ["moon", "rocket", "coffee", "grass"])
def test_a_noisy_photograph_is_kept_instead_of_copies_that_have_less_noise(
    party: Party, name: str, deviation_levels: float
) -> None:
    """As one taken at night: making it smaller or recompressing it smooths the noise."""
    image = originals()[name].convert("RGB")
    image = transformations.add_noise(deviation_levels)(image, Random(1))
    copies = [add(party, transformations.resize(share)(image, Random(1))) for share in (0.5, 0.7)]
    copies.append(add(party, image, quality=40))
    original = add(party, image)
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, original)


def test_the_less_recompressed_of_equal_copies_is_kept(party: Party) -> None:
    """How much a WebP lost is not known; what was made smaller for the store is not better."""
    image = originals()["china"]
    limits = PictureLimits(500, 100, 10**9, makes_jpeg=True)
    poor = add(party, image, 40)
    good = add(party, image, 90)
    enlarged = jpeg(transformations.resize(1.6)(image, Random(1)), 85)
    others = [save(image.resize((800, 600)), "WEBP", quality=99), enlarged]
    copies = [add_file(party, read_picture(other, limits).data) for other in others]
    copies.append(add_file(party, save(image, "WEBP", quality=90), size_wh=image.size))
    run(party)
    assert load_duplicates(party) == dict.fromkeys([poor, *copies], good)


def test_the_earlier_upload_of_equally_good_copies_is_kept(party: Party) -> None:
    image = originals()["china"]
    late = add(party, image, 90)
    early = add(party, ImageOps.mirror(image), 90)
    for image_id, day in ((late, 2), (early, 1)):
        add_photo(party, image_id, uploaded_at=NOON.replace(day=day))
    run(party)
    assert load_duplicates(party) == {late: early}


def test_the_earlier_upload_is_kept_instead_of_a_copy_with_much_noise(party: Party) -> None:
    """Nothing tells such a copy from a photograph at night, so neither counts as small."""
    image = originals()["coffee"]
    late = add(party, transformations.add_noise(12)(image, Random(1)))
    early = add(party, image)
    for image_id, day in ((late, 2), (early, 1)):
        add_photo(party, image_id, uploaded_at=NOON.replace(day=day))
    run(party)
    assert load_duplicates(party) == {late: early}


@pytest.mark.parametrize("name", ["chelsea", "china", "coffee", "astronaut"])
def test_a_copy_at_a_third_of_the_size_that_lost_nearly_all_in_jpeg_is_merged(
    party: Party, name: str
) -> None:
    image = originals()[name]
    original = add(party, image)
    copy = add(party, transformations.resize(1 / 3)(image, Random(1)), quality=10)
    run(party)
    assert load_duplicates(party) == {copy: original}


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
    assert load_ties(party) >= {frozenset((ids[0], ids[number])) for number in (1, 2)}


def test_one_original_is_kept_of_all_its_copies(party: Party) -> None:
    image = originals()["coffee"]
    copies = [add(party, change(image, Random(1))) for change in CHANGES.values()]
    original = add(party, image)
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, original)


def test_photographs_beside_one_picture_are_each_tied_to_their_original(party: Party) -> None:
    """They have more features in common with one another than with what they were made of."""
    images = [
        originals()[name] for name in ("coffee", "chelsea", "rocket", "china", "flower", "camera")
    ]
    made = [add(party, image) for image in images]
    run(party)
    beside = originals()["motorcycle_left"]
    sheets = [Image.new("RGB", (2 * image.width, image.height)) for image in images]
    for sheet, image in zip(sheets, images, strict=True):
        sheet.paste(beside.resize(image.size))
        sheet.paste(image, (image.width, 0))
    pairs = list(zip((add(party, sheet) for sheet in sheets), made, strict=True))
    run(party)
    assert load_ties(party) >= set(map(frozenset, pairs))


def test_the_picture_without_writing_is_kept_whatever_the_light_behind_it(party: Party) -> None:
    original = originals()["coffee"].convert("L")
    half = original.height // 2
    light = original.point(lambda level: 220 + level // 8)
    original.paste(original.point(lambda level: level // 8))
    original.paste(light.crop((0, half, light.width, 2 * half)), (0, half))
    captioned = original.copy()
    draw = ImageDraw.Draw(captioned)
    font = ImageFont.load_default(original.height / 11)
    for text, place in (("WHEN YOU SEE IT", 0.02), ("ONE MORE TIME", 0.85)):
        at = original.width / 10, place * original.height
        draw.text(at, text, "white", font, stroke_width=3, stroke_fill="black")
    worse = add(party, captioned)
    better = add(party, original)
    run(party)
    assert load_duplicates(party) == {worse: better}


def load_ties(party: Party) -> set[frozenset[int]]:
    """The pairs of images that belong together."""
    rows = load_rows(party, select(Duplicate).where(Duplicate.undone_at.is_(None)))
    return {frozenset((row.image_id, row.kept_image_id)) for row in rows}
