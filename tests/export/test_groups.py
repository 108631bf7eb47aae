"""Near-duplicates and photos of one owner stay together; nothing else does."""

from __future__ import annotations

from catalog.settings import DedupSettings
from catalog.states import ImageState, Source
from export.groups import Link, bind_images, find_near_pairs
from export.rows import HashRow, ImageRow, PhotoRow


def image(number: int, *owners: str | None, source: Source = Source.FLICKR) -> ImageRow:
    photos = tuple(PhotoRow(source, f"{number}-{owner}", owner_id=owner) for owner in owners)
    digest = f"{number:064d}"
    return ImageRow(number, digest, 60, 40, ImageState.CHECKED, photos, (), ())


def group(images: list[ImageRow], pairs: list[tuple[int, int]]) -> list[list[int]]:
    """The ids of the images of each group."""
    groups = bind_images(images, [Link(*pair) for pair in pairs])
    return [[row.id for row in group.images] for group in groups]


def test_images_of_nobody_known_stand_alone() -> None:
    assert group([image(2), image(1), image(3, None), image(4, "")], []) == [
        [1],
        [2],
        [3],
        [4],
    ]


def test_photos_of_one_owner_stay_together() -> None:
    images = [
        image(1, "ann"),
        image(2, "bob"),
        image(3, "ann"),
        image(4, "bob", "carl"),
        image(5, "carl"),
    ]
    assert group(images, []) == [[1, 3], [2, 4, 5]]


def test_the_same_name_at_another_source_is_another_owner() -> None:
    images = [image(1, "ann"), image(2, "ann", source=Source.FOLDER)]
    assert group(images, []) == [[1], [2]]


def test_near_duplicates_stay_together_also_over_an_image_that_was_put_aside() -> None:
    images = [image(number) for number in (1, 2, 3, 4)]
    assert group(images, [(9, 1), (9, 3), (2, 8)]) == [[1, 3], [2], [4]]


def hashes(phash_64: int, phash_256: int = 0, quality: float = 50, recipe: str = "a") -> HashRow:
    return HashRow(recipe, f"{phash_64:016x}", f"{phash_256:064x}", quality)


def near(*rows: HashRow) -> list[tuple[int, int]]:
    return find_near_pairs(enumerate(rows, start=1), DedupSettings())


def test_hashes_within_both_thresholds_are_near() -> None:
    assert near(hashes(0), hashes(2**10 - 1), hashes(2**11 - 1)) == [(1, 2), (2, 3)]
    assert near(hashes(0), hashes(0, 2**80 - 1)) == [(1, 2)]
    assert near(hashes(0), hashes(0, 2**81 - 1)) == []
    assert near(hashes(2**64 - 1, 2**256 - 1), hashes(2**64 - 1, 2**256 - 1)) == [(1, 2)]


def test_dull_images_and_other_recipes_match_nothing() -> None:
    assert near(hashes(0, quality=19.9), hashes(0)) == []
    assert near(hashes(0, quality=20), hashes(0)) == [(1, 2)]
    assert near(hashes(0, recipe="b"), hashes(0)) == []
    assert near() == []


def test_a_stricter_setting_than_the_least_quality_holds() -> None:
    settings = DedupSettings(min_quality=60)
    assert find_near_pairs([(1, hashes(0)), (2, hashes(0))], settings) == []


def test_images_that_dedup_looks_at_but_that_are_too_plain_bind_no_group() -> None:
    plain = [hashes(0, quality=DedupSettings().min_quality + 1) for _ in range(50)]
    assert near(*plain, hashes(0), hashes(0)) == [(51, 52)]


def test_many_hashes_are_compared_in_portions() -> None:
    rows = [
        hashes(number * 0x9E3779B97F4A7C15 % 2**64, number**9 * 977**20 % 2**256)
        for number in range(600)
    ]
    assert near(*rows, rows[0], rows[300]) == [(1, 601), (301, 602)]
